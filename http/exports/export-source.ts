import type { Caller } from "../../engine/access/caller.ts";
import { merchantRoleMay } from "../../engine/access/merchant-user-grant.ts";
import type { ExportRecord } from "../../engine/exports/export.ts";
import { ExportRefused, type ExportSource } from "../../engine/exports/export-source.ts";
import { csvPieces } from "./csv-pieces.ts";
import { type ListOperations, listRows } from "./list-rows.ts";
import { TransactionTotals } from "./transaction-totals.ts";
import { xlsxPieces } from "./xlsx-pieces.ts";

export interface ExportSourceOptions extends ListOperations {
  /**
   * Takes the place for a sheet, which needs much memory, so that a node makes one at a time.
   * Returns false while another one is being made.
   */
  takeSheet(): boolean;
  giveSheetBack(): void;
  /** Resolves after this many milliseconds. */
  pause(ms: number): Promise<void>;
}

/** The interval between checks for whether another sheet is done. */
const LOOK_MS = 500;

/** Returns the contents of exports. Lists are read as the requester may see them now. */
export function createExportSource(options: ExportSourceOptions): ExportSource {
  return {
    turn: async ({ order }, signal) => {
      if (order.format === "CSV") return () => {};
      while (!options.takeSheet()) {
        if (signal.aborted) return () => {};
        await options.pause(LOOK_MS);
      }
      return options.giveSheetBack;
    },
    pieces: async function* (record, signal) {
      const { order, createdAtMs } = record;
      const caller = await callerOf(options, record);
      const totals = new TransactionTotals();
      const rows = listRows(options, caller, order, createdAtMs, totals);
      if (order.format === "CSV") yield* csvPieces(rows, order, options.localTime);
      else yield* xlsxPieces(rows, order, { localTime: options.localTime, signal, totals });
    },
  };
}

/**
 * Returns the requester with their current role. A requester who may no longer export gets nothing,
 * even for an older request.
 */
async function callerOf({ users }: Pick<ListOperations, "users">, record: ExportRecord): Promise<Caller> {
  const { merchantId, partnerId, livemode, createdBy, order } = record;
  if (createdBy.type === "key") {
    return {
      type: "merchantKey",
      merchant: { merchantId, partnerId, livemode, kind: "secret", keyId: "", requestsPerMinute: 0, services: [] },
    };
  }
  const { userId } = createdBy;
  const user = (await users.list(merchantId)).find((one) => one.userId === userId);
  const isPermitted =
    user !== undefined &&
    user.state === "ACTIVE" &&
    merchantRoleMay(user.role, "operate") &&
    (!order.personalData || merchantRoleMay(user.role, "see personal data"));
  if (!isPermitted) throw new ExportRefused("not_permitted");
  const { email, role } = user;
  const session = { sessionId: "", stage: "full", accountId: "", steppedUpUntilMs: 0 } as const;
  return { type: "merchantUser", user: { ...session, email, role, userId, merchantId, partnerId, livemode } };
}
