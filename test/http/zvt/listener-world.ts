import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
      allows: () => true,
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

export interface Certificate {
  cert: string;
  key: string;
}

/** A certificate for localhost that signs itself, for an hour. */
export function selfSigned(): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "zvt-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
    execFileSync(
      "openssl",
      [
        "req",
        "-x509",
        "-newkey",
        "ec",
        "-pkeyopt",
        "ec_paramgen_curve:prime256v1",
        "-nodes",
        "-days",
        "1",
        "-keyout",
        key,
        "-out",
        cert,
        ...subject,
      ],
      { stdio: "ignore" },
    );
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
