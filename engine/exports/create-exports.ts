import type { Clock } from "../kernel/clock.ts";
import { cursorOf, placeOfCursor } from "../kernel/merchant-index-store.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { EXPORTS_KEPT_MAX, EXPORTS_UNDER_WAY_MAX, type ExportRecord } from "./export.ts";
import type { ExportFiles } from "./export-files.ts";
import type { ExportStore } from "./export-store.ts";
import type { Exports, ExportsSeen } from "./exports.ts";
import { isOver, roomWith } from "./rules.ts";

const ROUNDS_MAX = 16;
const CURSOR_ID = /^exp_[a-z0-9]{24}$/;

export interface ExportsOptions {
  store: ExportStore;
  /** Null if this installation has no folder for files. */
  files: Pick<ExportFiles, "open"> | null;
  clock: Pick<Clock, "nowMs">;
  digest: Digest;
  became(state: ExportRecord["state"]): void;
}

/** Creates the operations that merchants have on their exports. */
export function createExports({ store, files, clock, digest, became }: ExportsOptions): Exports {
  async function find(owner: MerchantParty, seen: ExportsSeen, id: string): Promise<ExportRecord | null> {
    const stored = await store.load(id);
    return stored !== null && isShown(owner, seen, stored.record, clock.nowMs()) ? stored.record : null;
  }

  return {
    create: async (owner, order, createdBy, operation) => {
      if (files === null) return { type: "no_folder" };
      const { merchantId, partnerId, livemode } = owner;
      const id = prefixedId("exp_", digest(`export ${operation.id}`));
      return retryOnConflict(ROUNDS_MAX, async () => {
        const [existing, room] = await Promise.all([store.load(id), store.room(owner)]);
        if (existing !== null) return { type: "created", record: existing.record } as const;
        if (room.record.underWay.length >= EXPORTS_UNDER_WAY_MAX) return { type: "too_many" } as const;
        if (room.record.kept >= EXPORTS_KEPT_MAX) return { type: "full" } as const;
        const nowMs = clock.nowMs();
        const record: ExportRecord = {
          ...{ schema: 1, id, merchantId, partnerId, livemode, order, createdBy, createdAtMs: nowMs, updatedAtMs: nowMs },
          ...{ state: "QUEUED", attempts: 0, leaseOf: "", leaseUntilMs: null, startedAtMs: null, endedAtMs: null, failure: null },
          ...{ file: null, rows: null, bytes: null, expiresAtMs: null, nextAtMs: nowMs },
        };
        const taken = { record: roomWith(room.record, id), version: room.version };
        if ((await store.commit({ after: record, before: null, version: 0, room: taken })) === null) return CONFLICT;
        became("QUEUED");
        return { type: "created", record } as const;
      });
    },
    find,
    list: async (owner, seen, { limit, cursor }) => {
      const nowMs = clock.nowMs();
      const after = cursor === null ? null : placeOfCursor(cursor, CURSOR_ID);
      const page = await store.page(owner, { limit, after, matches: (record) => isShown(owner, seen, record, nowMs) });
      return { items: page.items, next: page.next === null ? null : cursorOf(page.next) };
    },
    open: async (owner, seen, id) => {
      const record = await find(owner, seen, id);
      if (record === null) return null;
      if (record.state !== "READY" || record.file === null || files === null) return "not_ready";
      const pieces = await files.open(record.file);
      return pieces === null ? null : { record, pieces: () => pieces };
    },
  };
}

/** An expired export is not shown, even if it has not been removed yet. */
function isShown(owner: MerchantParty, seen: ExportsSeen, record: ExportRecord, nowMs: number): boolean {
  if (record.merchantId !== owner.merchantId || record.livemode !== owner.livemode || isOver(record, nowMs)) return false;
  if (seen === "all") return true;
  const { createdBy } = record;
  if (seen.type === "key" || createdBy.type === "key") return seen.type === createdBy.type;
  return seen.userId === createdBy.userId;
}
