import { available, type Entry, type Kv, prefixRange } from "../kernel/kv.ts";
import { readBareRecord, recordText } from "../kernel/schemas.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import { type AuditEntry, type AuditOutcome, isMerchantsOwn } from "./audit-entry.ts";

/**
 * The log of administrative changes. Endpoints are written to it by their declaration (`audit` in http/endpoint/endpoint.ts); what changes something
 * outside of a request calls `record` itself. Rejects with RelayError `unavailable` when the store cannot answer.
 */
export interface AuditLog {
  /** Stores an entry, usually `begun`; answers with its id. A change is not begun before this has resolved. */
  record(entry: AuditEntry): Promise<string>;
  /** Tells what came of it. The change has happened by then, so that this failing is for the log of the node and not for the caller. */
  settle(id: string, entry: AuditEntry, outcome: AuditOutcome): Promise<void>;
  /** Newest first; `before` is the last id of the page before, empty for the first. Without what merchants did themselves. */
  page(page: { before: string; limit: number }): Promise<AuditPage>;
  /** The same of one merchant's log, from and until these times. */
  pageOfMerchant(merchantId: string, page: MerchantAuditRange): Promise<AuditPage>;
}

export type AuditPage = { id: string; entry: AuditEntry }[];

export interface MerchantAuditRange {
  before: string;
  limit: number;
  /** First millisecond, and first one after the range; absent: no end. */
  fromMs?: number | undefined;
  untilMs?: number | undefined;
}

/** How long an entry of the audit log is kept. */
export const AUDIT_LIFETIME_MS = 400 * 86_400_000;

/** Entries that are kept; beyond it the oldest go of whoever has the most, however young they are. A thousand changes a week for two years. */
export const AUDIT_ENTRIES_MAX = 100_000;

/** The same in the log of one merchant, whose people are five: twenty changes a day for as long as entries are kept, and some more. */
export const MERCHANT_AUDIT_ENTRIES_MAX = 10_000;

const AUDIT = "u/";
const OF_MERCHANTS = "um/";
const PAGE = 1_000;

/** Entries beyond the bound are looked for once in so many that this writer adds: it takes reading all that are kept. */
const TRIM_EVERY = 1_000;

/** The same for the log of the merchant that the entry is of. */
const TRIM_MERCHANT_EVERY = 100;

export interface AuditStoreOptions {
  kv: Kv;
  /** Unique among all writers (shards of all nodes and restarts). */
  writer: string;
  /** What nobody waits for has failed; for the log. */
  failed(what: string, error: unknown): void;
  entriesMax?: number;
  merchantEntriesMax?: number;
}

/**
 * The audit log on the key-value store: `u/<id>`, and of each merchant `um/<merchantId>/<id>`, with `<13-digit ms>-<writer>-<count>` as the id.
 *
 * What merchants do themselves, and what partners do through Partner API v1, is only in the merchant's log: the size of a log is limited, and many calls
 * of one of them would push out the administrators'. What others did to a merchant is in its log once it is known that it was done to this
 * merchant: whoever is told that there is none has written nothing there.
 */
export function createAuditStore(options: AuditStoreOptions): AuditLog {
  const { kv, writer, failed, entriesMax = AUDIT_ENTRIES_MAX, merchantEntriesMax = MERCHANT_AUDIT_ENTRIES_MAX } = options;
  let recorded = 0;
  let recordedOfMerchants = 0;

  async function write(id: string, entry: AuditEntry): Promise<void> {
    const value = recordText("audit", entry);
    const operations = keysOf(id, entry).map((key) => ({ type: "put", key, value, expiresAtMs: entry.atMs + AUDIT_LIFETIME_MS }) as const);
    if (operations.length > 0) await available(() => kv.commit({ checks: [], operations }));
  }

  /** The newest pages first; entries that come meanwhile are not seen. */
  async function* pagesOf(prefix: string): AsyncGenerator<Entry[]> {
    let { from, to } = prefixRange(prefix);
    for (;;) {
      const page = await kv.scan({ from, to, limit: PAGE, reverse: true });
      yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      to = last.key;
    }
  }

  /**
   * Of who has the most in a full log the oldest go, until the rest fits: whoever makes many changes, a program or somebody who wants one forgotten, pushes out
   * no more than its own.
   */
  async function trim(prefix: string, max: number): Promise<void> {
    const made = new Map<string, number>();
    for await (const page of pagesOf(prefix)) for (const entry of page) made.set(whoOf(entry), (made.get(whoOf(entry)) ?? 0) + 1);
    const each = shareOf([...made.values()], max);
    if (each === null) return;
    const kept = new Map<string, number>();
    let all = 0;
    for await (const page of pagesOf(prefix)) {
      const surplus = page.filter((entry) => {
        const who = whoOf(entry);
        const own = kept.get(who) ?? 0;
        if (own >= each || all >= max) return true;
        kept.set(who, own + 1);
        all += 1;
        return false;
      });
      if (surplus.length > 0) await kv.commit({ checks: [], operations: surplus.map(({ key }) => ({ type: "delete", key })) });
    }
  }

  function whoOf({ key, value }: Entry): string {
    const { actor, username } = readBareRecord<AuditEntry>("audit", key, value);
    return `${actor} ${username}`;
  }

  function scan(prefix: string, from: string, to: string, limit: number): Promise<AuditPage> {
    return available(async () => {
      const entries = await kv.scan({ from, to, limit, reverse: true });
      return entries.map(({ key, value }) => ({ id: key.slice(prefix.length), entry: readBareRecord<AuditEntry>("audit", key, value) }));
    });
  }

  return {
    record: async (entry) => {
      const { atMs, merchantId } = entry;
      recorded += 1;
      if (merchantId !== undefined) recordedOfMerchants += 1;
      const [count, countOfMerchants] = [recorded, recordedOfMerchants];
      const id = `${timeDigits(atMs)}-${writer}-${String(count).padStart(9, "0")}`;
      await write(id, entry);
      if (count % TRIM_EVERY === 0) trim(AUDIT, entriesMax).catch((error: unknown) => failed("audit trim", error));
      if (merchantId !== undefined && countOfMerchants % TRIM_MERCHANT_EVERY === 0) {
        trim(`${OF_MERCHANTS}${merchantId}/`, merchantEntriesMax).catch((error: unknown) => failed("audit trim of a merchant", error));
      }
      return id;
    },
    settle: (id, entry, outcome) => write(id, { ...entry, outcome }).catch((error: unknown) => failed("audit", error)),
    page: ({ before, limit }) => {
      const { from, to } = prefixRange(AUDIT);
      return scan(AUDIT, from, before === "" ? to : AUDIT + before, limit);
    },
    pageOfMerchant: async (merchantId, { before, limit, fromMs, untilMs }) => {
      const prefix = `${OF_MERCHANTS}${merchantId}/`;
      const { from, to } = prefixRange(prefix);
      const first = fromMs === undefined ? from : prefix + timeDigits(fromMs);
      const ends = [to, ...(before === "" ? [] : [prefix + before]), ...(untilMs === undefined ? [] : [prefix + timeDigits(untilMs)])];
      const [end = to] = ends.sort();
      return first < end ? scan(prefix, first, end, limit) : [];
    },
  };
}

/** How many of each may stay, so that all of them together fit; null where they do. */
function shareOf(counts: readonly number[], max: number): number | null {
  let [left, room] = [counts.length, max];
  for (const count of counts.toSorted((one, other) => one - other)) {
    const share = Math.floor(room / left);
    if (count > share) return Math.max(1, share);
    left -= 1;
    room -= count;
  }
  return null;
}

/** Where an entry stands, as far as it has come. */
function keysOf(id: string, entry: AuditEntry): string[] {
  const { actor, merchantId, outcome } = entry;
  const ofMerchant = merchantId === undefined ? [] : [`${OF_MERCHANTS}${merchantId}/${id}`];
  if (isMerchantsOwn(entry)) return ofMerchant;
  // Whoever likes could fill the log; what comes of it is told where it is known of whom (a sign-in, somebody who has joined).
  if (actor === "anonymous") return [];
  if (actor.startsWith("partner-api:")) return isOfPartners(outcome) ? ofMerchant : [];
  const isNone = outcome.type === "begun" || (outcome.type === "refused" && NOT_FOUND.includes(outcome.code));
  return [AUDIT + id, ...(isNone ? [] : ofMerchant)];
}

/** As an error, and as the status of an answer. */
const NOT_FOUND: readonly string[] = ["not_found", "404"];

/**
 * Whether it was seen that the merchant is the calling partner's: it was done, or the endpoint itself answered why it was not. An error (`forbidden`,
 * `conflict`) may come before that, and partners may name any merchant.
 */
function isOfPartners(outcome: AuditOutcome): boolean {
  if (outcome.type !== "refused") return outcome.type === "done";
  return /^\d{3}$/.test(outcome.code) && outcome.code !== "404";
}
