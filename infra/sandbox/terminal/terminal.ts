import { CommandRunner } from "./command-runner.ts";
import { Memory } from "./memory.ts";
import { type SimulatedTerminalOptions, settingsOf } from "./options.ts";
import { Outbox } from "./outbox.ts";
import { Pace } from "./pace.ts";
import { poll } from "./poll-link.ts";
import { RelayClient } from "./relay-client.ts";
import { keepConnected } from "./websocket-link.ts";

export interface SimulatedTerminal {
  readonly terminalId: string;
  /** Resolves when it is online for the first time. */
  readonly online: Promise<void>;
  /** Stops at once: what is at work is interrupted, what was not posted stays in the state file, if there is one. */
  stop(): Promise<void>;
}

/**
 * Starts a simulated terminal; it looks for the relay until it is stopped, so the relay need not be up yet. Rejects only when the state file
 * cannot be read or written.
 */
export async function startSimulatedTerminal(options: SimulatedTerminalOptions): Promise<SimulatedTerminal> {
  const online = withResolver();
  const given = settingsOf(options);
  const settings: typeof given = {
    ...given,
    onEvent: (event) => {
      if (event.type === "online") online.resolve();
      given.onEvent(event);
    },
  };
  const stopping = new AbortController();
  const { signal } = stopping;
  const pace = new Pace(settings.speed, settings.random);
  const client = new RelayClient(settings);
  const memory = new Memory(settings.stateFile);
  const outbox = new Outbox(client, pace, signal, settings.onEvent);
  const runner = new CommandRunner(settings, { memory, outbox, pace, signal });
  const link =
    settings.link === "poll" ? poll(settings, { client, runner, pace, signal }) : keepConnected(settings, { runner, pace, signal });
  return {
    terminalId: settings.terminalId,
    online: online.promise,
    stop: async () => {
      stopping.abort();
      await Promise.all([link, runner.stopped(), outbox.stopped()]);
    },
  };
}

function withResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}
