import { randomUUID } from "node:crypto";
import type { TestContext } from "node:test";
import type { ZvtListenOptions, ZvtReports } from "../../../engine/zvt/zvt-payments.ts";
import { startZvtListener, type ZvtListener } from "../../../http/zvt/listener.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { FakePayments } from "./fake-payments.ts";

/** A listener on a free port of this machine, in real time. */
export class ListenerWorld {
  readonly payments = new FakePayments(() => performance.now());
  readonly closed: string[] = [];
  readonly refused: string[] = [];
  readonly opened: string[] = [];
  onClosed = (): void => {};

  async start(t: TestContext, changes: Partial<ZvtListenOptions> = {}): Promise<ZvtListener> {
    const reports: ZvtReports = {
      opened: ({ address, port }) => void this.opened.push(`${address} ${port}`),
      closed: (_connection, _routeId, reason) => {
        this.closed.push(reason);
        this.onClosed();
      },
      frame: () => {},
      refused: (reason) => void this.refused.push(reason),
      raw: () => {},
    };
    const options: ZvtListenOptions = {
      host: "127.0.0.1",
      ports: [0],
      maxConnections: 10,
      routeIds: ["r1"],
      allows: () => true,
      isProxy: () => false,
      logRawBytes: false,
      tls: null,
      ...changes,
    };
    const listener = await startZvtListener(options, {
      ...{ payments: this.payments, reports, timers: machineTimers, version: "relay 1.0", ids: { uuid: randomUUID } },
      clock: { nowMs: () => performance.now(), monotonicMs: () => performance.now() },
      localTimeOf: () => ({ time: "102030", date: "1125" }),
    });
    t.after(() => listener.stop(0));
    return listener;
  }
}
