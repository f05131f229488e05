import { type Caller, maySee, visibilityOf } from "../access/caller.ts";
import type { Transaction, TransactionMethod, TransactionStatus } from "../payments/transaction.ts";
import type { TransactionList } from "../payments/transaction-list.ts";
import type { CommandView, Terminals } from "./terminals.ts";

/** `unknown` is also the answer for what the caller may not see. */
export type TransactionLookup = { type: "found"; transaction: Transaction | null; view: CommandView } | { type: "unknown" };

export interface FindTransaction {
  /** By uuid; waits up to `waitMs` for the result. */
  byUuid(caller: Caller, uuid: string, waitMs: number): Promise<TransactionLookup>;
  /** Of the terminal's latest command that the caller may see, else its last transaction. */
  latest(caller: Caller, terminalId: string, waitMs: number): Promise<TransactionLookup>;
  page(caller: Caller, query: PageQuery): Promise<Transaction[]>;
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

export function createFindTransaction({ terminals, list }: { terminals: Terminals; list: TransactionList }): FindTransaction {
  return {
    byUuid: async (caller, uuid, waitMs) => {
      const view = await terminals.command(uuid, waitMs, (terminalId, sender) => maySee(caller, terminalId, sender));
      return view === null ? { type: "unknown" } : { type: "found", transaction: view.transaction, view };
    },
    latest: async (caller, terminalId, waitMs) => {
      const visibility = visibilityOf(caller, terminalId);
      if (visibility.type === "none") return { type: "unknown" };
      const view = await terminals.latest(terminalId, visibility.type === "all" ? null : visibility.sender, waitMs);
      return view === null ? { type: "unknown" } : { type: "found", transaction: view.transaction, view };
    },
    page: async (caller, query) => {
      const visibility = visibilityOf(caller, query.terminalId);
      if (visibility.type === "none") return [];
      return list.page(visibility.type === "all" ? query : { ...query, sender: visibility.sender });
    },
  };
}
