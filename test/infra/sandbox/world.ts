import { EventEmitter, on } from "node:events";
import type { TestContext } from "node:test";
import type { SimulatedTerminalOptions, TerminalEvent } from "../../../infra/sandbox/terminal/options.ts";
import { type SimulatedTerminal, startSimulatedTerminal } from "../../../infra/sandbox/terminal/terminal.ts";
import { type FakeRelay, startFakeRelay } from "./fake-relay.ts";

export interface World {
  relay: FakeRelay;
  terminal: SimulatedTerminal;
  events: TerminalEvent[];
  /** Resolves with the first event of this type that is not older than the terminal. */
  event<Type extends TerminalEvent["type"]>(type: Type): Promise<Extract<TerminalEvent, { type: Type }>>;
}

/** A fake relay and an online terminal T1 that needs no time for anything; both are stopped after the test. */
export async function startWorld(test: TestContext, options: Partial<SimulatedTerminalOptions> = {}): Promise<World> {
  const relay = await startFakeRelay();
  test.after(() => relay.stop());
  return startTerminal(test, relay, options);
}

export async function startTerminal(test: TestContext, relay: FakeRelay, options: Partial<SimulatedTerminalOptions> = {}): Promise<World> {
  const emitter = new EventEmitter();
  const events: TerminalEvent[] = [];
  const terminal = await startSimulatedTerminal({
    terminalId: "T1",
    url: relay.url,
    latencyMs: 0,
    speed: 100,
    random: () => 0,
    onEvent: (event) => {
      events.push(event);
      emitter.emit("event", event);
    },
    ...options,
  });
  test.after(() => terminal.stop());
  await terminal.online;
  return {
    relay,
    terminal,
    events,
    event: async (type) => {
      const is = (event: TerminalEvent): event is Extract<TerminalEvent, { type: typeof type }> => event.type === type;
      const found = events.find(is);
      if (found !== undefined) return found;
      for await (const [event] of on(emitter, "event")) if (is(event)) return event;
      throw new Error("unreachable");
    },
  };
}

let uuids = 0;

/** A command as the relay would send it. */
export function command(members: object): { uuid: string; [member: string]: unknown } {
  uuids += 1;
  return { uuid: `u-${uuids}`, amount: 1000, service: "PAYCC", terminalId: "T1", ...members };
}
