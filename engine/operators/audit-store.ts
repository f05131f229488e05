import type { AdministratorRole } from "../access/administrator-role.ts";
import { available, type Kv, prefixRange } from "../kernel/kv.ts";
import { readBareRecord, recordText } from "../kernel/schemas.ts";

/**
 * The log of administrative changes. Endpoints are written to it by their declaration (`audit` in http/endpoint/endpoint.ts); what changes something
 * outside of a request calls `record` itself. Rejects with RelayError `unavailable` when the store cannot answer.
 */
export interface AuditLog {
  /** Stores an entry, usually `begun`; answers with its id. A change is not begun before this has resolved. */
  record(entry: AuditEntry): Promise<string>;
  /** Tells what came of it. The change has happened by then, so that this failing is for the log of the node and not for the caller. */
  settle(id: string, entry: AuditEntry, outcome: AuditOutcome): Promise<void>;
  /** Newest first; `before` is the last id of the page before, empty for the first. */
  page(page: { before: string; limit: number }): Promise<{ id: string; entry: AuditEntry }[]>;
}

/** How long an entry of the audit log is kept. */
export const AUDIT_LIFETIME_MS = 400 * 86_400_000;

/** Entries that are kept; beyond it the oldest go, however young they are. A thousand changes a week for two years. */
export const AUDIT_ENTRIES_MAX = 100_000;

/** One administrative change: who, when, from where, what. Never holds a secret, nor any value that was sent. */
export interface AuditEntry {
  atMs: number;
  /** `administrator`, `partner:7`: as a command's sender is named. */
  actor: string;
  /** The login's name. */
  username: string;
  /** An administrator's at that time; absent for others, and in entries of before there were roles. */
  role?: AdministratorRole;
  ipAddress: string;
  requestId: string;
  /** `noun.verb`. */
  action: string;
  /** Id or name of what was changed. */
  subject: string;
  /** Names of the members that were sent, without their values. */
  members: readonly string[];
  outcome: AuditOutcome;
}

/** `begun` stays where the node died on the way: whether it happened is then not known. `refused` carries the reason's code. */
export type AuditOutcome = { type: "begun" } | { type: "done" } | { type: "refused"; code: string };

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
