import { LoadRefused } from "./deployment.ts";
import { LoadTerminal, type TerminalReports } from "./load-terminal.ts";
import { type LoadOptions, TERMINAL_DIGITS } from "./options.ts";
import { pause } from "./pauses.ts";
import { isInShare } from "./payment-of.ts";

/** WebSockets that are opened at once: a relay lets an address have 500 that have not logged in yet. */
const OPENING_AT_ONCE = 100;

/** Looked at after so many that were started. */
const LOOK_AFTER = 25;

/** Without one more terminal that came online in this time, the others are not waited for. */
const ONLINE_WITHIN_MS = 30_000;

const LOOK_AGAIN_MS = 50;

export function terminalIdsOf({ terminals, terminalPrefix }: Pick<LoadOptions, "terminals" | "terminalPrefix">): string[] {
  return Array.from({ length: terminals }, (_, index) => terminalPrefix + String(index + 1).padStart(TERMINAL_DIGITS, "0"));
}

/** Some terminals do not come online; why, by the reason that they were told. */
export class NotOnline extends Error {
  constructor(online: number, terminals: number, reasons: ReadonlyMap<string, number>) {
    const told = [...reasons].map(([reason, count]) => `${reason} (${count})`).join(", ");
    super(`${online} of ${terminals} terminals are online, the others not: ${told}`);
  }
}

interface Heard {
  /** Nobody waits for them any longer. */
  stopping: AbortSignal;
  progress(online: number): void;
}

/** All terminals of a run. */
export class Fleet {
  readonly terminals: readonly LoadTerminal[];

  private constructor(terminals: readonly LoadTerminal[]) {
    this.terminals = terminals;
  }

  /** Starts them, some at once; rejects with `NotOnline` where some stay away, and with `LoadRefused` where `stopping` aborts before all are there. */
  static async start(options: LoadOptions, reports: TerminalReports, heard: Heard): Promise<Fleet> {
    const { url, terminalSecret, pollShare, pollIntervalMs } = options;
    const terminals: LoadTerminal[] = [];
    const fleet = new Fleet(terminals);
    const ofKind = { poll: 0, websocket: 0 };
    const polling = Math.max(1, Math.floor(options.terminals * pollShare));
    try {
      for (const [index, terminalId] of terminalIdsOf(options).entries()) {
        const link = isInShare(index, pollShare) ? "poll" : "websocket";
        const answerMs = isInShare(ofKind[link], options.slowShare) ? options.slowAnswerMs : options.answerMs;
        ofKind[link] += 1;
        terminals.push(new LoadTerminal({ terminalId, url, terminalSecret, link, pollIntervalMs, answerMs, reports }));
        // Polls of all at the same moment would be beyond what an address may send in a second.
        if (link === "poll") await pause(pollIntervalMs / polling);
        if (index % LOOK_AFTER === 0) await fleet.#waitUntilAway(OPENING_AT_ONCE, heard);
      }
      await fleet.#waitUntilAway(1, heard);
      return fleet;
    } catch (error) {
      await fleet.stop();
      throw error;
    }
  }

  get online(): number {
    return this.terminals.reduce((count, { isOnline }) => count + (isOnline ? 1 : 0), 0);
  }

  async stop(): Promise<void> {
    await Promise.all(this.terminals.map((terminal) => terminal.stop()));
  }

  /** Resolves when fewer than so many are not online. */
  async #waitUntilAway(most: number, { stopping, progress }: Heard): Promise<void> {
    let best = this.online;
    let giveUpAtMs = performance.now() + ONLINE_WITHIN_MS;
    for (;;) {
      // A run without a payment would find all well.
      if (stopping.aborted) throw new LoadRefused("stopped before the first payment");
      if (this.terminals.length - this.online < most) return;
      await pause(LOOK_AGAIN_MS);
      const { online } = this;
      if (online > best) {
        best = online;
        giveUpAtMs = performance.now() + ONLINE_WITHIN_MS;
        progress(online);
      }
      if (performance.now() > giveUpAtMs) throw new NotOnline(online, this.terminals.length, this.#reasons());
    }
  }

  #reasons(): Map<string, number> {
    const reasons = new Map<string, number>();
    for (const { isOnline, reason } of this.terminals) if (!isOnline) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    return reasons;
  }
}
