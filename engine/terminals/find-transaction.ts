import { type Caller, maySee, maySend, notPermitted, senderOf, visibilityOf } from "../access/caller.ts";
import type { Ids } from "../kernel/ids.ts";
import type { Transaction, TransactionMethod, TransactionStatus } from "../payments/transaction.ts";
import type { TransactionList } from "../payments/transaction-list.ts";
import type { CancelOutcome, CommandView, Terminals } from "./terminals.ts";

/** `unknown` is also the answer for what the caller may not see. */
export type TransactionLookup = { type: "found"; transaction: Transaction | null; view: CommandView } | { type: "unknown" };

/** Bounds the look-ups of one caller that wait at once. */
export interface WaitPlaces {
  /** False where the caller has as many as it may. */
  take(sender: string): boolean;
  giveBack(sender: string): void;
}

export interface FindTransaction {
  /**
   * By uuid; waits up to `waitMs` for the result, and not at all where too many look-ups of the caller wait. A look-up that waits gives its place back, and is
   * rejected with the reason of `gone`, as soon as that is aborted.
   */
  byUuid(caller: Caller, uuid: string, waitMs: number, gone?: AbortSignal): Promise<TransactionLookup>;
  /** Of the terminal's latest command that the caller may see, else its last transaction. */
  latest(caller: Caller, terminalId: string, waitMs: number, gone?: AbortSignal): Promise<TransactionLookup>;
  page(caller: Caller, query: PageQuery, gone?: AbortSignal): Promise<Transaction[]>;
}

export interface PageQuery {
  terminalId: string;
  fromMs?: number;
  untilMs?: number;
  methods: readonly TransactionMethod[];
  status: TransactionStatus;
  limit: number;
  offset: number;
}

export interface FindTransactionOptions {
  terminals: Terminals;
  list: TransactionList;
  waits: WaitPlaces;
}

export function createFindTransaction({ terminals, list, waits }: FindTransactionOptions): FindTransaction {
  async function waiting<T>(caller: Caller, waitMs: number, lookUp: (waitMs: number) => Promise<T>): Promise<T> {
    if (waitMs === 0) return lookUp(0);
    const sender = senderOf(caller);
    if (!waits.take(sender)) return lookUp(0);
    try {
      return await lookUp(waitMs);
    } finally {
      waits.giveBack(sender);
    }
  }

  return {
    byUuid: async (caller, uuid, waitMs, gone) => {
      const view = await waiting(caller, waitMs, (ms) =>
        terminals.command(uuid, ms, (terminalId, sender) => maySee(caller, terminalId, sender), gone),
      );
      return view === null ? { type: "unknown" } : { type: "found", transaction: view.transaction, view };
    },
    latest: async (caller, terminalId, waitMs, gone) => {
      const visibility = visibilityOf(caller, terminalId);
      if (visibility.type === "none") return { type: "unknown" };
      const sender = visibility.type === "all" ? null : visibility.sender;
      const view = await waiting(caller, waitMs, (ms) => terminals.latest(terminalId, sender, ms, gone));
      return view === null ? { type: "unknown" } : { type: "found", transaction: view.transaction, view };
    },
    page: async (caller, query, gone) => {
      const visibility = visibilityOf(caller, query.terminalId);
      if (visibility.type === "none") return [];
      return list.page(visibility.type === "all" ? query : { ...query, sender: visibility.sender }, gone);
    },
  };
}

export interface CommandLifeView extends CommandView {
  /** When an answer came that could not be read; null where none did, or where there is a result, or none can come. */
  unreadableAnswerAtMs: number | null;
}

export interface CommandLifeOperations {
  /** Where a command stands; null for one that is not known or that the caller may not see. */
  find(caller: Caller, uuid: string): Promise<CommandLifeView | null>;
  /**
   * Cancels a command (ARCHITECTURE.md, promise 3). `not_found` also for one that the caller may not see or not send; RelayError `forbidden` where it may see
   * all of the terminal and not send. `uuid`: as its sender wrote it.
   */
  cancel(caller: Caller, uuid: string): Promise<{ uuid: string; outcome: CancelOutcome }>;
}

export function createCommandLife({ terminals, ids }: { terminals: Terminals; ids: Ids }): CommandLifeOperations {
  function visible(caller: Caller, uuid: string): Promise<CommandView | null> {
    return terminals.command(uuid, 0, (terminalId, sender) => maySee(caller, terminalId, sender));
  }

  return {
    find: async (caller, uuid) => {
      const view = await visible(caller, uuid);
      if (view === null) return null;
      const isAwaited = view.transaction === null && (view.state === "sent" || view.state === "unknown");
      return { ...view, unreadableAnswerAtMs: isAwaited ? await terminals.unreadableAnswerAtMs(view.uuid) : null };
    },
    cancel: async (caller, uuid) => {
      const view = await visible(caller, uuid);
      // A result that nobody asked for is all that this caller sees; another's command of the same uuid is not his to cancel.
      if (view === null || view.command === null) return { uuid, outcome: { type: "not_found" } };
      if (!maySend(caller, view.terminalId)) {
        if (visibilityOf(caller, view.terminalId).type === "all") throw notPermitted(caller);
        return { uuid, outcome: { type: "not_found" } };
      }
      return { uuid: view.uuid, outcome: await terminals.cancel({ uuid: view.uuid, cancelUuid: ids.uuid() }) };
    },
  };
}
