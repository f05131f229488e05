import { LATEST_SENDERS_MAX } from "../kernel/limits.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AttentionItem } from "../payments/attention.ts";
import type { TerminalContext } from "./events.ts";
import { type FedCommand, fedAtMs, isUnsolicited, takenBack } from "./fed-command.ts";
import { countsAsLatest } from "./latest-commands.ts";
import { stateOf, toRecord } from "./rules.ts";
import { afterHistoryLoss } from "./step-terminal.ts";
import type { CommandRecord, LatestEntry } from "./terminal-record.ts";
import type { LoadedTerminal, TerminalStore } from "./terminal-store.ts";

/** Another node that starts may take the same back at this moment. */
const ATTEMPTS_MAX = 8;

const IDLE: TerminalContext = { queue: [], sent: [], latest: [] };

/**
 * Gives a store that was taken back to an earlier copy what the feed has carried of one terminal since: a repeated uuid is a duplicate again, a result is found,
 * and what ended waits no more. Answers how many commands and results that were. Can be repeated. For before the terminal has a home.
 */
export async function takeBack(store: TerminalStore, terminalId: string, fed: readonly FedCommand[], atMs: number): Promise<number> {
  return retryOnConflict(ATTEMPTS_MAX, async () => {
    const terminal = await store.loadTerminal(terminalId);
    const commands = await missingOf(store, fed);
    if (commands.length === 0) return 0;
    const context = await contextAfter(store, terminalId, terminal, fed, commands, atMs);
    const outcome = await store.commit({
      terminalId,
      terminal: {
        record: toRecord(terminalId, context),
        version: terminal?.version ?? 0,
        workBefore: stateOf(terminal?.record ?? IDLE),
        historyLost: terminal?.historyLost === true,
      },
      decidedBy: null,
      claims: [],
      commands,
      // They are where they come from.
      rows: [],
      attention: commands.flatMap(({ record }) => unknownPayment(record)),
      settled: [],
      atMs,
    });
    return outcome.type === "committed" ? commands.length : CONFLICT;
  });
}

function unknownPayment({ terminalId, uuid, command, life }: CommandRecord): AttentionItem[] {
  if (life?.state !== "unknown" || command?.kind !== "payment") return [];
  return [{ kind: "unknown", terminalId, uuid, atMs: life.finishedAtMs, detail: "The command was sent, and no result arrived", raw: null }];
}

async function missingOf(store: TerminalStore, fed: readonly FedCommand[]): Promise<Stored<CommandRecord>[]> {
  const stored = await Promise.all(fed.map(({ terminalId, uuid }) => store.loadCommandAt(terminalId, uuid)));
  return fed.flatMap((one, index) => {
    const found = stored[index] ?? null;
    // What nobody asked for lies under its terminal, whoever else has a command of that uuid.
    const before = isUnsolicited(one) && found?.record.terminalId !== one.terminalId ? null : found;
    const record = takenBack(one, before?.record ?? null);
    return record === null ? [] : [{ record, version: before?.version ?? 0 }];
  });
}

/** Stored anew it is no old record any more, so that what its lost history leaves open has to stand in it. */
async function contextAfter(
  store: TerminalStore,
  terminalId: string,
  terminal: LoadedTerminal | null,
  fed: readonly FedCommand[],
  commands: readonly Stored<CommandRecord>[],
  atMs: number,
): Promise<TerminalContext> {
  const record = terminal?.record ?? IDLE;
  const { queue, sent, latest } = terminal?.historyLost === true ? afterHistoryLoss(record, atMs) : record;
  const ended = new Set(commands.map(({ record }) => record.uuid));
  return {
    queue: queue.filter(({ uuid }) => !ended.has(uuid)),
    sent: sent.filter(({ uuid }) => !ended.has(uuid)),
    latest: await latestAfter(store, terminalId, latest, fed),
  };
}

interface Dated extends LatestEntry {
  atMs: number;
}

/** The latest of each sender, the newest first, whichever of the two knows it. */
async function latestAfter(
  store: TerminalStore,
  terminalId: string,
  latest: readonly LatestEntry[],
  fed: readonly FedCommand[],
): Promise<LatestEntry[]> {
  const known = await Promise.all(
    latest.map(async (entry): Promise<Dated> => {
      const stored = await store.loadCommandAt(terminalId, entry.uuid);
      return { ...entry, atMs: stored?.record.command?.acceptedAtMs ?? stored?.record.life?.finishedAtMs ?? 0 };
    }),
  );
  const told = fed.filter(({ life, result }) => {
    const kind = life?.kind ?? result?.kind ?? null;
    return kind === null ? result !== null : countsAsLatest(kind);
  });
  const dated = [
    ...told.map(
      (one): Dated => ({
        sender: one.life?.sender ?? one.result?.sender ?? "",
        uuid: one.uuid,
        answered: one.result !== null,
        atMs: fedAtMs(one),
      }),
    ),
    ...known,
  ].sort((one, other) => other.atMs - one.atMs || Number(other.answered) - Number(one.answered));
  const newest = dated.filter(({ sender }, index) => dated.findIndex((entry) => entry.sender === sender) === index);
  // What nobody asked for never passes for the answer to a command that still waits for one.
  if (newest[0]?.sender === "" && newest[1]?.answered === false) newest.shift();
  return newest.slice(0, LATEST_SENDERS_MAX).map(({ sender, uuid, answered }) => ({ sender, uuid, answered }));
}
