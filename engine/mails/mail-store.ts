import type { Shop } from "../branding/branding.ts";
import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { RelayError } from "../kernel/errors.ts";
import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { Stored } from "../kernel/stored.ts";
import { TIME_DIGITS, timeDigits } from "../kernel/time-digits.ts";
import { type Mail, type MailKind, type MailRoomName, roomOf } from "./mail.ts";
import { isMailAddress } from "./mail-address.ts";
import { mailHtml } from "./mail-html.ts";
import type { MailRecord } from "./mail-record.ts";
import type { MailBody } from "./mail-text.ts";

export const MAILS = "mail/";
const DUE = "due/mail/";
/** Newest last, for the administrators' list. */
const BY_TIME = "mail-at/";
const QUEUED = "mail-queued/";
/** Mails of a merchant by the time at which they are first sent, kept until an hour after it: the quota of its hour. */
const OF_MERCHANT = "mail-of/";
/** Mails of a merchant or an address that wait. */
const WAITING = "mail-waiting/";

/** What was sent is remembered this long: to whom, about what and when. */
const KEPT_MS = 30 * 86_400_000;

const HOUR_MS = 3_600_000;

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
  /** When it is sent at first, as `MailStore.room` says; at once where it is left out. */
  sendAtMs?: number;
}

/**
 * A mail that is to be queued. Its HTML is made of `body`, for the customers of `shop` or for
 * people of the portal.
 */
export interface OwedMail extends Omit<Mail, "html" | "logo"> {
  body?: MailBody;
  shop?: Shop;
}

/**
 * The sealed part of a record. Versions before HTML wrote the first two members only, and ignore
 * the others.
 */
export interface MailContent extends Pick<Mail, "subject" | "text" | "html"> {
  /** The id of the logo that is attached when the mail is sent. */
  logo?: string;
}

/**
 * Queues a mail in the commit that makes it due. That commit has to check a version, so that it cannot be stored twice: stored again, the
 * mail would be sent again. Ask `room` before. @throws RangeError for a mail that no mailer could take: validate addresses
 * before (engine/mails/mail-address.ts)
 */
export function mailOperations(mail: OwedMail, { box, atMs, expiresAtMs, sendAtMs = atMs }: MailTerms): Operation[] {
  if (!ID.test(mail.id)) throw new RangeError("a mail has no usable id");
  if (!isMailAddress(mail.to)) throw new RangeError(`the mail ${mail.id} has no usable address`);
  if (mail.subject.length > SUBJECT_LENGTH_MAX || mail.text.length > TEXT_LENGTH_MAX)
    throw new RangeError(`the mail ${mail.id} is too long`);
  if (!(expiresAtMs > atMs && expiresAtMs - atMs <= WORTH_MAX_MS)) throw new RangeError(`the mail ${mail.id} has no usable end`);
  const { id, kind, to, merchantId } = mail;
  const sealed = box.seal(JSON.stringify(contentOf(mail)), placeOf(id));
  // One whose turn does not come in time is looked at once more, when its time is over.
  const nextAtMs = Math.min(Math.max(sendAtMs, atMs), expiresAtMs);
  const record: MailRecord = {
    ...{ schema: 1, id, kind, to, merchantId, state: "QUEUED", sealed, attempts: 0, nextAtMs, expiresAtMs },
    ...{ createdAtMs: atMs, updatedAtMs: atMs },
  };
  const turn = turnPrefix(kind, shareOf(record));
  return [
    ...recordOperations(record),
    ...dueOperations(DUE, id, null, nextAtMs),
    ...waitingKeys(record).map((key): Operation => ({ type: "put", key, value: "1" })),
    ...(roomOf(kind).perHourMax === null
      ? []
      : [{ type: "put" as const, key: `${turn}${timeDigits(sendAtMs)}/${id}`, value: "1", expiresAtMs: sendAtMs + HOUR_MS }]),
  ];
}

function contentOf({ subject, text, body, shop }: OwedMail): MailContent {
  if (body === undefined) return { subject, text };
  const logo = shop?.logo?.id;
  return { subject, text, html: mailHtml(subject, body, shop ?? null), ...(logo === undefined ? {} : { logo }) };
}

/** The content of a mail that has not ended; null for one that has. */
export function mailText(box: SecretBox, { id, sealed }: MailRecord): MailContent | null {
  return sealed === null ? null : JSON.parse(box.open(sealed, placeOf(id)));
}

/** Where a mail stands in the list of all, newest first. */
export type MailPlace = Pick<MailRecord, "createdAtMs" | "id">;

/** Whose share of a room a mail takes: its merchant's, or its address's where it belongs to no merchant. */
export type MailShare = { readonly merchantId: string } | { readonly merchantId: null; readonly to: string };

/** Mails that are owed, and those that were. Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface MailStore extends DueIndex {
  load(id: string): Promise<Stored<MailRecord> | null>;
  /** Null where another version of it stands. */
  replace(before: Stored<MailRecord>, after: MailRecord): Promise<Stored<MailRecord> | null>;
  /** Newest first, those behind `after` only. */
  page(after: MailPlace | null, limit: number): Promise<MailRecord[]>;
  /**
   * When another mail of this kind is sent at first, wall time in milliseconds UTC: at once, or when
   * the hour's quota has room again. Null where too many wait. Mails of commits that are under way
   * meanwhile do not count, so as many more as there are such commits may find room.
   */
  room(kind: MailKind, share: MailShare, atMs: number): Promise<number | null>;
  /** How many mails of a kind wait, counted up to what its room takes. */
  queued(kind: MailKind): Promise<number>;
}

/**
 * Mails on the key-value store: `mail/<id>`, their deadlines `due/mail/...`, `mail-at/<13 digits of milliseconds>/<id>` for the list,
 * `mail-queued/<kind>/<id>`, `mail-waiting/<room>/<merchantId or address>/<id>` and `mail-of/<room>/<merchantId>/<13 digits of milliseconds>/<id>` to count them.
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
            ...(before.state === "QUEUED" && after.state !== "QUEUED"
              ? waitingKeys(after).map((key) => ({ type: "delete" as const, key }))
              : []),
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
    room: (kind, of, atMs) =>
      available(async () => {
        const { name, kinds, queuedMax, waitingMax, perHourMax } = roomOf(kind);
        const share = shareOf(of);
        const [waiting, ...queued] = await Promise.all([
          kv.count({ ...prefixRange(waitingPrefix(name, share)), limit: waitingMax }),
          ...kinds.map((one) => kv.count({ ...prefixRange(`${QUEUED}${one}/`), limit: queuedMax })),
        ]);
        if (waiting >= waitingMax || queued.reduce((sum, count) => sum + count, 0) >= queuedMax) return null;
        if (perHourMax === null) return atMs;
        const prefix = turnPrefix(kind, share);
        const turns = await kv.scan({ ...prefixRange(prefix), limit: perHourMax, reverse: true });
        const first = turns.length < perHourMax ? undefined : turns.at(-1);
        return first === undefined ? atMs : Math.max(atMs, Number(first.key.slice(prefix.length, prefix.length + TIME_DIGITS)) + HOUR_MS);
      }),
    queued: (kind) => available(() => kv.count({ ...prefixRange(`${QUEUED}${kind}/`), limit: roomOf(kind).queuedMax })),
  };
}

const RETRY_AFTER_SECONDS = 600;

/** When a mail that somebody asks for is sent. @throws RelayError `rate_limited` where too many of its share, or of all, wait */
export async function requiredRoom(store: Pick<MailStore, "room">, kind: MailKind, share: MailShare, atMs: number): Promise<number> {
  const sendAtMs = await store.room(kind, share, atMs);
  if (sendAtMs !== null) return sendAtMs;
  throw new RelayError("rate_limited", "Too many mails are waiting to be sent; retry later", { retryAfterSeconds: RETRY_AFTER_SECONDS });
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

/** What counts a mail while it waits. */
function waitingKeys(record: MailRecord): string[] {
  const { kind, id } = record;
  return [`${QUEUED}${kind}/${id}`, `${waitingPrefix(roomOf(kind).name, shareOf(record))}${id}`];
}

function shareOf(share: MailShare): string {
  return share.merchantId ?? share.to.toLowerCase();
}

function waitingPrefix(room: MailRoomName, share: string): string {
  return `${WAITING}${room}/${share}/`;
}

function turnPrefix(kind: MailKind, share: string): string {
  return `${OF_MERCHANT}${roomOf(kind).name}/${share}/`;
}

/** What the sealed text is bound to. */
function placeOf(id: string): string {
  return `mail/${id}`;
}

function mailOf(key: string, text: string): MailRecord {
  return readRecord("mail", key, text);
}
