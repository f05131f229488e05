import { available, type Kv, prefixRange } from "../kernel/kv.ts";
import { readBareRecord, recordText } from "../kernel/schemas.ts";
import { AUDIT_ENTRIES_MAX, AUDIT_LIFETIME_MS, type AuditEntry } from "./audit.ts";
import type { AuditLog } from "./audit-log.ts";

const AUDIT = "u/";
const PAGE = 1_000;

/** Entries beyond the bound are looked for once in so many that this writer adds: it takes reading all that are kept. */
const TRIM_EVERY = 1_000;

export interface AuditStoreOptions {
  kv: Kv;
  /** Unique among all writers (shards of all nodes and restarts). */
  writer: string;
  /** What nobody waits for has failed; for the log. */
  failed(what: string, error: unknown): void;
  entriesMax?: number;
}

/** The audit log on the key-value store: `u/<13-digit ms>-<writer>-<count>`. */
export function createAuditStore({ kv, writer, failed, entriesMax = AUDIT_ENTRIES_MAX }: AuditStoreOptions): AuditLog {
  let recorded = 0;

  async function write(id: string, entry: AuditEntry): Promise<void> {
    const operation = {
      type: "put",
      key: AUDIT + id,
      value: recordText("audit", entry),
      expiresAtMs: entry.atMs + AUDIT_LIFETIME_MS,
    } as const;
    await available(() => kv.commit({ checks: [], operations: [operation] }));
  }

  async function trim(): Promise<void> {
    let kept = 0;
    let { from, to } = prefixRange(AUDIT);
    for (;;) {
      const page = await kv.scan({ from, to, limit: PAGE, reverse: true });
      const surplus = page.slice(Math.max(0, entriesMax - kept));
      kept += page.length - surplus.length;
      if (surplus.length > 0) await kv.commit({ checks: [], operations: surplus.map(({ key }) => ({ type: "delete", key })) });
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      to = last.key;
    }
  }

  return {
    record: async (entry) => {
      recorded += 1;
      const count = recorded;
      const id = `${String(entry.atMs).padStart(13, "0")}-${writer}-${String(count).padStart(9, "0")}`;
      await write(id, entry);
      if (count % TRIM_EVERY === 0) trim().catch((error: unknown) => failed("audit trim", error));
      return id;
    },
    settle: (id, entry, outcome) => write(id, { ...entry, outcome }).catch((error: unknown) => failed("audit", error)),
    page: ({ before, limit }) =>
      available(async () => {
        const { from, to } = prefixRange(AUDIT);
        const entries = await kv.scan({ from, to: before === "" ? to : AUDIT + before, limit, reverse: true });
        return entries.map(({ key, value }) => ({ id: key.slice(AUDIT.length), entry: readBareRecord<AuditEntry>("audit", key, value) }));
      }),
  };
}
