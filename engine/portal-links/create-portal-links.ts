import type { Clock } from "../kernel/clock.ts";
import { type CommitPart, NO_PART } from "../kernel/commit-part.ts";
import { RelayError } from "../kernel/errors.ts";
import { cursorOf, placeOfCursor } from "../kernel/merchant-index-store.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";
import { isInScope } from "../kernel/merchant-scope.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { Links } from "../links/links.ts";
import type { MerchantAccounts } from "../links/merchant-accounts.ts";
import { ATTEMPTS_MAX } from "../workflow/run-workflow.ts";
import type { GuardPart } from "../workflow/workflow.ts";
import { linkOrderOf } from "./attempt.ts";
import { checkedOrder, invalid } from "./check-order.ts";
import { portalLinkIdOf } from "./object-row.ts";
import {
  PORTAL_LINK_ATTEMPTS_MAX,
  PORTAL_LINK_MAILS_MAX,
  PORTAL_LINKS_PER_HOUR_MAX,
  type PortalLinkAttempt,
  type PortalLinkRecord,
} from "./portal-link.ts";
import { PortalLinkCause } from "./portal-link-cause.ts";
import type { PortalLinkMails } from "./portal-link-mails.ts";
import { countEntry, type PortalLinkQueries } from "./portal-link-queries.ts";
import type { PortalLinkMade, PortalLinkQuery, PortalLinks } from "./portal-links.ts";
import { isOver, isTimeOver } from "./rules.ts";
import type { PortalLinkWorkflow } from "./workflow.ts";

/** In nearly every attempt another caller may change the same entries, but each only once. */
const BESIDE_ATTEMPTS_MAX = 512;

const HOUR_MS = 3_600_000;
/** A fixed pause, because the age of the first links of the hour is not read. */
const RETRY_AFTER_SECONDS = 60;

export interface PortalLinksOptions {
  workflow: PortalLinkWorkflow;
  queries: PortalLinkQueries;
  digest: Digest;
  links: Pick<Links, "createUnlessRefused" | "resume" | "verify" | "verifyNow">;
  accounts: Pick<MerchantAccounts, "ofMerchant">;
  mails: PortalLinkMails;
  clock: Clock;
  newToken(): string;
  /** Returns true for a deactivated merchant, for which no payment begins. It reads only memory. */
  isInactive(merchantId: string): boolean;
  returnUrl(token: string): string;
}

/** The limits of a new link, and what its commit adds or why it is rejected. */
interface Making<Refusal> {
  requireRoom(atMs: number): Promise<void>;
  counting(record: PortalLinkRecord): CommitPart["operations"];
  beside(record: PortalLinkRecord): Promise<GuardPart | { refusal: Refusal }>;
  attemptsMax: number;
}

/**
 * Attempts change through their links, whose commits step the portal link
 * (portal-link-companion.ts).
 */
export function createPortalLinks(options: PortalLinksOptions): PortalLinks {
  const { workflow, queries, digest, links, accounts, mails, clock, newToken, isInactive, returnUrl } = options;
  const { store } = workflow;
  const cause = new PortalLinkCause();

  async function findOwned(owner: MerchantParty, id: string): Promise<Stored<PortalLinkRecord> | null> {
    const stored = await store.load(id);
    return stored !== null && isInScope(stored.record, owner) ? stored : null;
  }

  async function reload(id: string): Promise<PortalLinkRecord> {
    const stored = await store.load(id);
    if (stored === null) throw new Error(`the portal link ${id} is gone`);
    return stored.record;
  }

  async function requireRoom(owner: MerchantParty, atMs: number): Promise<void> {
    const made = await queries.createdSince(owner, atMs - HOUR_MS, PORTAL_LINKS_PER_HOUR_MAX);
    if (made < PORTAL_LINKS_PER_HOUR_MAX) return;
    throw new RelayError("rate_limited", `A merchant may create ${PORTAL_LINKS_PER_HOUR_MAX} payment links in an hour; retry later`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  const create: PortalLinks["create"] = (owner, order, createdBy, operation) =>
    made<never>(owner, order, createdBy, operation, {
      ...hourLimit(owner),
      attemptsMax: ATTEMPTS_MAX,
      beside: async () => NO_PART,
    });

  const createUncounted: PortalLinks["create"] = (owner, order, createdBy, operation) =>
    made<never>(owner, order, createdBy, operation, {
      ...{ requireRoom: async () => undefined, counting: () => [], attemptsMax: ATTEMPTS_MAX },
      beside: async () => NO_PART,
    });

  const createBeside: PortalLinks["createBeside"] = (owner, order, createdBy, operation, beside) =>
    made(owner, order, createdBy, operation, { ...hourLimit(owner), attemptsMax: BESIDE_ATTEMPTS_MAX, beside });

  function hourLimit(owner: MerchantParty): Pick<Making<never>, "requireRoom" | "counting"> {
    return { requireRoom: (atMs) => requireRoom(owner, atMs), counting: (record) => [countEntry(record)] };
  }

  async function made<Refusal>(
    ...[owner, order, createdBy, operation, making]: [...Parameters<PortalLinks["create"]>, Making<Refusal>]
  ): Promise<PortalLinkMade | Refusal> {
    const id = portalLinkIdOf(operation.id, digest);
    return retryOnConflict(making.attemptsMax, async () => {
      // If another request with the same operation was first, its link is returned.
      const existing = await findOwned(owner, id);
      if (existing !== null) return { type: "created", link: existing.record };
      const atMs = clock.nowMs();
      const checked = checkedOrder(order, atMs);
      const { merchantId, partnerId, livemode } = owner;
      const account = await accounts.ofMerchant(owner);
      if (account.type !== "account") return account;
      await making.requireRoom(atMs);
      const record: PortalLinkRecord = {
        ...{ schema: 1, id, token: newToken(), merchantId, partnerId, livemode, order: checked, createdBy },
        ...{ createdAtMs: atMs, updatedAtMs: atMs, state: "PENDING", late: false, attempts: [], paidAtMs: null, cancelledAtMs: null },
        ...{ mails: [], nextAtMs: checked.expiresAtMs, events: 0 },
      };
      const beside = await making.beside(record);
      if ("refusal" in beside) return beside.refusal;
      const part = { ...beside, operations: [...making.counting(record), ...beside.operations] };
      const created = await workflow.create({ record, effects: [] }, { type: "link.created", atMs }, operation, part);
      return "record" in created ? { type: "created", link: created.record } : CONFLICT;
    });
  }

  const cancel: PortalLinks["cancel"] = (owner, id, operation) =>
    retryOnConflict(ATTEMPTS_MAX, async () => {
      const found = await findOwned(owner, id);
      if (found === null) return null;
      if (found.record.state === "CANCELLED" && found.record.cancelledBy === operation.id) {
        return { type: "cancelled", link: found.record } as const;
      }
      const last = found.record.attempts.at(-1);
      // A paid link cannot be cancelled. Without an answer it is, and the attempt is still tracked.
      if (found.record.state === "PENDING" && last !== undefined && !isOver(last)) await links.verifyNow(last.txId);
      const stored = await findOwned(owner, id);
      if (stored === null) return null;
      const event = { type: "cancel.requested", atMs: clock.nowMs(), operationId: operation.id } as const;
      const cancelled = await workflow.step(stored, event, operation);
      if (cancelled === CONFLICT) return CONFLICT;
      return { type: cancelled.type === "refused" ? "not_pending" : "cancelled", link: cancelled.record } as const;
    });

  const send: PortalLinks["send"] = (owner, id, email, locale, operation) =>
    retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await findOwned(owner, id);
      if (stored === null) return null;
      const { record } = stored;
      const mailId = prefixedId("plm_", digest(`portal link mail ${id} ${operation.id}`));
      if (record.mails.some((mail) => mail.id === mailId)) return { type: "sent", link: record } as const;
      const atMs = clock.nowMs();
      if (record.state !== "PENDING" || isTimeOver(record, atMs)) return { type: "not_pending", link: record } as const;
      const to = email ?? record.order.customerEmail;
      if (to === null) return { type: "no_address", link: record } as const;
      if (!mails.canReach(to)) throw invalid("email", "must be an e-mail address");
      if (record.mails.length >= PORTAL_LINK_MAILS_MAX) return { type: "too_many", link: record } as const;
      const operations = await mails.sent(record, to, locale, mailId);
      const sent = await workflow.step(stored, { type: "mail.owed", atMs: clock.nowMs(), mailId }, operation, { checks: [], operations });
      if (sent === CONFLICT) return CONFLICT;
      // The link has just expired.
      return { type: sent.type === "refused" ? "not_pending" : "sent", link: sent.record } as const;
    });

  type Paying = NonNullable<Awaited<ReturnType<PortalLinks["pay"]>>>;

  const pay: PortalLinks["pay"] = (token) =>
    retryOnConflict(ATTEMPTS_MAX, async () => {
      const stored = await queries.byToken(token);
      if (stored === null) return null;
      const { record } = stored;
      const atMs = clock.nowMs();
      if (record.state !== "PENDING" || isTimeOver(record, atMs)) return { type: "closed", link: record } as const;
      const last = record.attempts.at(-1);
      if (last !== undefined && isPayable(last, atMs)) return payable(record, last);
      if (last?.state === "opening" && atMs < last.expiresAtMs) {
        // Another request opens this attempt, or died while it did. The attempt continues here.
        await links.resume(last.txId, cause);
        return opened(record.id, last.txId);
      }
      if (last !== undefined && !isOver(last)) {
        // The attempt has expired here, but only the gateway can confirm that nobody pays it.
        await links.verifyNow(last.txId);
        const found = await reload(record.id);
        const verified = found.attempts.at(-1);
        const isDecided = found.state !== "PENDING" || verified === undefined || verified.txId !== last.txId || isOver(verified);
        return isDecided ? CONFLICT : ({ type: "not_yet", link: found } as const);
      }
      return begin(record, atMs);
    });

  async function begin(record: PortalLinkRecord, atMs: number): Promise<Paying | typeof CONFLICT> {
    if (record.attempts.length >= PORTAL_LINK_ATTEMPTS_MAX) return { type: "too_many", link: record };
    if (isInactive(record.merchantId)) return { type: "inactive", link: record };
    const account = await accounts.ofMerchant(record);
    if (account.type !== "account") return { type: account.type, link: record };
    const order = linkOrderOf(record, account, returnUrl(record.token), atMs);
    const created = await links.createUnlessRefused(order, cause);
    // The link was cancelled, expired or used by another request meanwhile.
    return created === null ? CONFLICT : opened(record.id, order.txId);
  }

  /** The link may have been cancelled while the attempt was opened. */
  async function opened(id: string, txId: string): Promise<Paying> {
    const link = await reload(id);
    const attempt = link.attempts.find((one) => one.txId === txId);
    if (link.state !== "PENDING" || attempt === undefined) return { type: "closed", link };
    if (attempt.state === "failed") return { type: "refused", link };
    return isPayable(attempt, clock.nowMs()) ? payable(link, attempt) : { type: "not_yet", link };
  }

  async function list(owner: MerchantParty, query: PortalLinkQuery): ReturnType<PortalLinks["list"]> {
    const { limit, cursor, state, fromMs, beforeMs, customerEmail, q, agentId = null, currency = null, order = "newest" } = query;
    const after = cursor === null ? null : placeOfCursor(cursor, CURSOR_ID);
    const found = q === null ? null : await byId(owner, q);
    if (found !== null) return { items: matchesQuery(found, query) ? [found] : [], next: null };
    const page = await queries.page(owner, {
      limit,
      after,
      fromMs,
      beforeMs,
      state,
      customerEmail,
      reference: q,
      agentId,
      currency,
      order,
    });
    return { items: page.items, next: page.next === null ? null : cursorOf(page.next) };
  }

  /** Accepts the id of a link or of one of its attempts. */
  async function byId(owner: MerchantParty, q: string): Promise<PortalLinkRecord | null> {
    const [id = "", ...attempt] = q.trim().split(".");
    const found = (await findOwned(owner, id))?.record ?? null;
    if (attempt.length === 0) return found;
    return found?.attempts.some(({ txId }) => txId === q.trim()) === true ? found : null;
  }

  return {
    create,
    createUncounted,
    createBeside,
    cancel,
    send,
    pay,
    list,
    find: async (owner, id) => (await findOwned(owner, id))?.record ?? null,
    byToken: async (token) => (await queries.byToken(token))?.record ?? null,
    verified: async (token) => {
      const stored = await queries.byToken(token);
      if (stored === null) return null;
      const last = stored.record.attempts.at(-1);
      if (last === undefined || last.state === "paid" || isOver(last)) return stored.record;
      await links.verify(last.txId);
      return reload(stored.record.id);
    },
  };
}

function isPayable({ state, url, expiresAtMs }: PortalLinkAttempt, atMs: number): boolean {
  return state === "open" && url !== null && atMs < expiresAtMs;
}

function payable(link: PortalLinkRecord, { url, txId }: PortalLinkAttempt) {
  if (url === null) throw new Error(`the attempt ${txId} has no address`);
  return { type: "payable", link, url } as const;
}

function matchesQuery({ state, createdAtMs, createdBy, order }: PortalLinkRecord, query: PortalLinkQuery): boolean {
  const { fromMs, beforeMs, customerEmail, agentId = null, currency = null } = query;
  if (currency !== null && order.currency !== currency) return false;
  if (agentId !== null && (createdBy.type !== "agent" || createdBy.agentId !== agentId)) return false;
  if (query.state !== null && query.state !== state) return false;
  if ((fromMs !== null && createdAtMs < fromMs) || (beforeMs !== null && createdAtMs >= beforeMs)) return false;
  return customerEmail === null || order.customerEmail?.toLowerCase() === customerEmail.trim().toLowerCase();
}

const CURSOR_ID = /^pl_[a-z0-9]{24}$/;
