import { type Caller, maySend, notPermitted, senderOf } from "../access/caller.ts";
import type { GatewayInstrument } from "../gateway/gateway.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { isTerminalId } from "../kernel/identifiers.ts";
import { LINK_LIFETIME_MS, LINK_TEXT_LENGTH_MAX } from "../kernel/limits.ts";
import { currencyDecimals, readAmount } from "../kernel/money.ts";
import type { GatewayAccounts } from "./gateway-accounts.ts";
import type { LinkOrder } from "./link.ts";
import { causeOf } from "./link-companion.ts";
import type { LinkCreated, Links } from "./links.ts";

/** What a caller asks for; everything that came in a body is checked here. */
export interface LinkRequest {
  amount: unknown;
  /** EUR where absent. */
  currency: string | undefined;
  /** The partner's own terminal at the gateway where absent. */
  terminalId: string | undefined;
  description: string | undefined;
  merchantReference: string | undefined;
  customerEmail: string | undefined;
  returnUrl: string | undefined;
  instrument: GatewayInstrument;
  capture: "now" | "later";
  attachment: string | null;
  /** Until when it can be paid, at most LINK_LIFETIME_MS from now; that is the default. */
  expiresAtMs?: number | null;
  /** As its caller was answered; for logs. */
  requestId?: string;
}

/**
 * Creates a payment link, once for its `operationId`, which becomes its txId. Throws RelayError `invalid_request` naming the member,
 * `forbidden` for a terminal of others.
 */
export interface CreateLink {
  /** For the partner that asks (`POST /api/v1/paybylink`). */
  ofPartner(caller: Caller, request: LinkRequest, operationId: string): Promise<LinkCreated>;
  /** For a terminal, by whoever may send to it; `terminalId` is that of the path. */
  ofTerminal(caller: Caller, terminalId: string, request: LinkRequest, operationId: string): Promise<LinkCreated>;
}

export interface CreateLinkOptions {
  links: Pick<Links, "create" | "byTxId">;
  accounts: GatewayAccounts;
  clock: Clock;
  /** The merchant whose a terminal's payments on the account of this partner are; null for none. */
  shopOf(terminalId: string, partnerId: number | null): string | null;
}

export function createCreateLink({ links, accounts, clock, shopOf }: CreateLinkOptions): CreateLink {
  function order(request: LinkRequest, operationId: string, facts: Facts): LinkOrder {
    const shop = shopOf(facts.terminalId, facts.partnerId);
    const currency = request.currency ?? "EUR";
    if (currencyDecimals(currency) === null) throw invalid("currency", "must be an ISO 4217 code such as EUR");
    const amount = readAmount(request.amount, currency);
    if (typeof amount === "string") throw invalid("amount", amount);
    const createdAtMs = clock.nowMs();
    return {
      txId: operationId,
      ...facts,
      ...(shop === null ? {} : { shop }),
      amount: amount.text,
      amountMinor: amount.minor,
      currency,
      description: text("reason", request.description),
      merchantReference: text("merchantReference", request.merchantReference),
      customerEmail: email(request.customerEmail),
      instrument: request.instrument,
      capture: request.capture,
      returnUrl: url("returnUrl", request.returnUrl),
      createdAtMs,
      expiresAtMs: Math.min(request.expiresAtMs ?? Number.POSITIVE_INFINITY, createdAtMs + LINK_LIFETIME_MS),
      attachment: request.attachment,
    };
  }

  /** A link that is stored already goes on: its creation may only be repeated, and its buyer may have its address. */
  async function requireActiveMerchant(terminalId: string, operationId: string): Promise<void> {
    if (!accounts.isMerchantInactive(terminalId) || (await links.byTxId(operationId)) !== null) return;
    throw new RelayError("invalid_request", "The merchant of this terminal is deactivated");
  }

  /** The same request again, with the time that it named at first, goes on with the link that it made. */
  async function requireTime({ expiresAtMs = null }: LinkRequest, operationId: string): Promise<void> {
    if (expiresAtMs === null) return;
    const nowMs = clock.nowMs();
    if (expiresAtMs > nowMs + LINK_LIFETIME_MS + CLOCKS_DIFFER_MS) throw invalid("expiresAt", "may be at most one hour from now");
    if (expiresAtMs <= nowMs && (await links.byTxId(operationId)) === null) throw invalid("expiresAt", "has passed");
  }

  async function ofPartner(caller: Caller, request: LinkRequest, operationId: string): Promise<LinkCreated> {
    if (caller.type !== "partner") throw new RelayError("forbidden", "Payment links are created by partners");
    const account = accounts.ofPartner(caller.partnerId);
    if (account === null)
      throw new RelayError("invalid_request", "This partner has no account at the card gateway; an administrator must add one");
    const terminalId = request.terminalId ?? account.terminalId;
    if (!isTerminalId(terminalId)) throw invalid("terminalID", "must be 1 to 64 letters, digits, dots, underscores or dashes");
    if (request.terminalId !== undefined && !maySend(caller, terminalId)) throw invalid("terminalID", "is not a terminal of this partner");
    await requireActiveMerchant(terminalId, operationId);
    await requireTime(request, operationId);
    const { merchantId } = account;
    const facts = { terminalId, partnerId: caller.partnerId, merchantId, owner: senderOf(caller) };
    return links.create(order(request, operationId, facts), causeOf(request.requestId));
  }

  return {
    ofPartner,
    ofTerminal: async (caller, terminalId, request, operationId) => {
      if (request.terminalId !== undefined && request.terminalId !== terminalId)
        throw invalid("terminalID", "differs from the terminalId in the path");
      if (!maySend(caller, terminalId)) throw notPermitted(caller);
      if (caller.type === "partner") return ofPartner(caller, { ...request, terminalId }, operationId);
      await requireActiveMerchant(terminalId, operationId);
      const account = accounts.ofTerminal(terminalId);
      if (account === null)
        throw new RelayError("invalid_request", "This terminal has no account at the card gateway; an administrator must add one");
      const { partnerId, credentials } = account;
      // What a terminal does is its merchant's partner's to see.
      const owner = partnerId === null ? senderOf(caller) : `partner:${partnerId}`;
      const facts = { terminalId, partnerId, merchantId: credentials.merchantId, owner };
      return links.create(order(request, operationId, facts), causeOf(request.requestId));
    },
  };
}

/** As for signatures: a client's hour may end a little later than the relay's, which then counts. */
const CLOCKS_DIFFER_MS = 300_000;

function invalid(member: string, demand: string): RelayError {
  return new RelayError("invalid_request", `${member}: ${demand}`);
}

/** What an order has of its caller and terminal, not of the request. */
type Facts = Pick<LinkOrder, "terminalId" | "partnerId" | "merchantId" | "owner">;

/** Control characters have no place on a payment page; the value is not quoted, it may be personal. */
function text(member: string, value: string | undefined): string | null {
  if (value === undefined || value === "") return null;
  if (value.length > LINK_TEXT_LENGTH_MAX) throw invalid(member, `may have at most ${LINK_TEXT_LENGTH_MAX} characters`);
  // Half a surrogate pair is no character either.
  if (/[\p{Cc}\p{Cs}]/u.test(value)) throw invalid(member, "may have no control characters");
  return value;
}

function email(value: string | undefined): string | null {
  const given = text("customerEmail", value);
  if (given === null || /^[^\s@]+@[^\s@]+$/.test(given)) return given;
  throw invalid("customerEmail", "must be an e-mail address");
}

const URL_LENGTH_MAX = 2_048;

function url(member: string, value: string | undefined): string | null {
  if (value === undefined) return null;
  if (value.length <= URL_LENGTH_MAX && /^https?:\/\/[!-~]+$/.test(value)) return value;
  throw invalid(member, `must be an http or https address of at most ${URL_LENGTH_MAX} characters`);
}
