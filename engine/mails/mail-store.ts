import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import type { Mail, MailKind } from "./mail.ts";
import { isMailAddress } from "./mail-address.ts";
import type { MailRecord } from "./mail-record.ts";

export const MAILS = "mail/";
const DUE = "due/mail/";
/** Newest last, for the administrators' list. */
const BY_TIME = "mail-at/";
const QUEUED = "mail-queued/";
/** What a merchant had written within the last hour. */
const OF_MERCHANT = "mail-of/";

/** What was sent is remembered this long: to whom, about what and when. */
const KEPT_MS = 30 * 86_400_000;

const HOUR_MS = 3_600_000;

/** Mails that wait. An invitation waits for 72 hours at most, so more of them mean that somebody has the relay write mails. */
export const QUEUED_MAX = 10_000;

/** Mails that one merchant may have written in an hour: a team of five with all its notices, several times over. */
export const MERCHANT_MAILS_PER_HOUR_MAX = 50;

/** No mail is worth something for longer than this. */
const WORTH_MAX_MS = 7 * 86_400_000;

const ID = /^[A-Za-z0-9_.-]{1,100}$/;

const SUBJECT_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 20_000;

export interface MailTerms {
  box: SecretBox;
  atMs: number;
  /** Until when the mail is worth something, seven days ahead at most; it is tried for that long. */
  expiresAtMs: number;
}

/**
 * Queues a mail in the commit that makes it due. That commit has to check a version, so that it cannot be stored twice: stored again, the
 * mail would be sent again. Ask `hasRoom` before. @throws RangeError for a mail that no mailer could take: validate addresses
 * before (engine/mails/mail-address.ts)
 */
export function mailOperations(mail: Mail, { box, atMs, expiresAtMs }: MailTerms): Operation[] {
  if (!ID.test(mail.id)) throw new RangeError("a mail has no usable id");
  if (!isMailAddress(mail.to)) throw new RangeError(`the mail ${mail.id} has no usable address`);
  if (mail.subject.length > SUBJECT_LENGTH_MAX || mail.text.length > TEXT_LENGTH_MAX)
    throw new RangeError(`the mail ${mail.id} is too long`);
  if (!(expiresAtMs > atMs && expiresAtMs - atMs <= WORTH_MAX_MS)) throw new RangeError(`the mail ${mail.id} has no usable end`);
  const { id, kind, to, merchantId, subject, text } = mail;
  const sealed = box.seal(JSON.stringify({ subject, text }), placeOf(id));
  const record: MailRecord = {
    ...{ schema: 1, id, kind, to, merchantId, state: "QUEUED", sealed, attempts: 0, nextAtMs: atMs, expiresAtMs },
    ...{ createdAtMs: atMs, updatedAtMs: atMs },
  };
  const ofMerchant: Operation[] =
    merchantId === null
      ? []
      : [{ type: "put", key: `${merchantPrefix(merchantId)}${timeDigits(atMs)}/${id}`, value: "1", expiresAtMs: atMs + HOUR_MS }];
  return [
    ...recordOperations(record),
    ...dueOperations(DUE, id, null, atMs),
    { type: "put", key: queuedKey(record), value: "1" },
    ...ofMerchant,
  ];
}

/** Subject and text of a mail that has not ended; null for one that has. */
export function mailText(box: SecretBox, { id, sealed }: MailRecord): Pick<Mail, "subject" | "text"> | null {
  return sealed === null ? null : JSON.parse(box.open(sealed, placeOf(id)));
}

/** Where a mail stands in the list of all, newest first. */
export type MailPlace = Pick<MailRecord, "createdAtMs" | "id">;

/** Mails that are owed, and those that were. Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface MailStore extends DueIndex {
  load(id: string): Promise<Stored<MailRecord> | null>;
  /** Null where another version of it stands. */
  replace(before: Stored<MailRecord>, after: MailRecord): Promise<Stored<MailRecord> | null>;
  /** Newest first, those behind `after` only. */
  page(after: MailPlace | null, limit: number): Promise<MailRecord[]>;
  /**
   * Whether another mail may be queued, in all and of this merchant. Mails of commits that are under way meanwhile do not count, so as many
   * more as there are such commits may find room.
   */
  hasRoom(merchantId: string | null, atMs: number): Promise<boolean>;
  /** How many mails of a kind wait, counted up to QUEUED_MAX. */
  queued(kind: MailKind): Promise<number>;
}

/**
 * Mails on the key-value store: `mail/<id>`, their deadlines `due/mail/...`, `mail-at/<13 digits of milliseconds>/<id>` for the list,
 * `mail-queued/<kind>/<id>` and `mail-of/<merchantId>/<13 digits of milliseconds>/<id>` to count them.
 */
export function createMailStore(kv: Kv): MailStore {
  return {
    ...createDueIndex(kv, DUE),
    load: (id) =>
      available(async () => {
        // Ids come out of requests as they are.
        const entry = ID.test(id) ? await kv.get(MAILS + id) : null;
        return entry === null ? null : { record: mailOf(entry.key, entry.value), version: entry.version };
      }),
    replace: ({ record: before, version }, after) =>
      available(async () => {
        const result = await kv.commit({
          checks: [{ key: MAILS + before.id, version }],
          operations: [
            ...recordOperations(after),
            ...dueOperations(DUE, after.id, before.nextAtMs, after.nextAtMs),
            ...(before.state === "QUEUED" && after.state !== "QUEUED" ? [{ type: "delete" as const, key: queuedKey(after) }] : []),
          ],
        });
        return result.type === "committed" ? { record: after, version: result.version } : null;
      }),
    page: (after, limit) =>
      available(async () => {
        const { from, to } = prefixRange(BY_TIME);
        const places = await kv.scan({ from, to: after === null ? to : timeKey(after), limit, reverse: true });
        const entries = places.length === 0 ? [] : await kv.getMany(places.map(({ value }) => MAILS + value));
        // Both are kept equally long, but they do not go in the same moment.
        return entries.filter((entry) => entry !== null).map(({ key, value }) => mailOf(key, value));
      }),
    hasRoom: (merchantId, atMs) =>
      available(async () => {
        if ((await kv.count({ ...prefixRange(QUEUED), limit: QUEUED_MAX })) >= QUEUED_MAX) return false;
        if (merchantId === null) return true;
        const prefix = merchantPrefix(merchantId);
        const range = { from: prefix + timeDigits(atMs - HOUR_MS), to: prefixRange(prefix).to, limit: MERCHANT_MAILS_PER_HOUR_MAX };
        return (await kv.count(range)) < MERCHANT_MAILS_PER_HOUR_MAX;
      }),
    queued: (kind) => available(() => kv.count({ ...prefixRange(`${QUEUED}${kind}/`), limit: QUEUED_MAX })),
  };
}

/** When a record goes, for whoever writes it again with its text sealed anew. */
export function mailExpiresAtMs(mail: unknown): number {
  const facts: { readonly [name: string]: unknown } = typeof mail === "object" && mail !== null ? { ...mail } : {};
  const sinceMs = facts["state"] === "QUEUED" ? facts["expiresAtMs"] : facts["updatedAtMs"];
  if (typeof sinceMs !== "number" || !Number.isSafeInteger(sinceMs)) throw new Error("a mail does not say how long it is kept");
  return sinceMs + KEPT_MS;
}

/** A queued mail is kept until its time is over at least: its deadline ends it then. */
function recordOperations(record: MailRecord): Operation[] {
  const { id } = record;
  const expiresAtMs = mailExpiresAtMs(record);
  return [
    { type: "put", key: MAILS + id, value: recordText("mail", record), expiresAtMs },
    { type: "put", key: timeKey(record), value: id, expiresAtMs },
  ];
}

function timeKey({ createdAtMs, id }: MailPlace): string {
  return `${BY_TIME}${timeDigits(createdAtMs)}/${id}`;
}

function queuedKey({ kind, id }: MailRecord): string {
  return `${QUEUED}${kind}/${id}`;
}

function merchantPrefix(merchantId: string): string {
  return `${OF_MERCHANT}${merchantId}/`;
}

/** What the sealed text is bound to. */
function placeOf(id: string): string {
  return `mail/${id}`;
}

function mailOf(key: string, text: string): MailRecord {
  return readRecord("mail", key, text);
}
