import { AGENT_SCOPES } from "../access/words.ts";
import { RelayError } from "../kernel/errors.ts";
import { AMOUNT_MINOR_MAX } from "../kernel/limits.ts";
import { maskPans } from "../kernel/mask.ts";
import { currencyDecimals } from "../kernel/money.ts";
import type { AddressLists } from "../partners/partner-secrets.ts";
import { type AgentLimits, NO_AGENT_LIMITS } from "./agent-credential.ts";
import type { AgentCredentialOrder } from "./agent-credentials.ts";
import { AGENT_ADDRESSES_MAX, AGENT_DAYS_MAX, AGENT_LINKS_PER_HOUR_MAX, AGENT_NAME_LENGTH_MAX } from "./words.ts";

const DAY_MS = 86_400_000;
const SLACK_MS = 60_000;

/** Masks card numbers in the name. Throws RelayError `invalid_request` naming the member. */
export function checkedOrder(order: AgentCredentialOrder, atMs: number, addressLists: AddressLists): AgentCredentialOrder {
  const { name, scopes, limits, ipAllow, expiresAtMs } = order;
  if (name.trim() === "" || name.length > AGENT_NAME_LENGTH_MAX)
    throw invalid("name", `must have 1 to ${AGENT_NAME_LENGTH_MAX} characters`);
  // Half a surrogate pair is no character either.
  if (/[\p{Cc}\p{Cs}]/u.test(name)) throw invalid("name", "may have no control characters");
  const permitted = AGENT_SCOPES.filter((scope) => scopes.includes(scope));
  if (permitted.length === 0 || permitted.length !== new Set(scopes).size)
    throw invalid("scopes", `must be some of ${AGENT_SCOPES.join(", ")}`);
  const leftMs = expiresAtMs - atMs;
  if (!(leftMs >= DAY_MS - SLACK_MS && leftMs <= AGENT_DAYS_MAX * DAY_MS + SLACK_MS)) {
    throw invalid("expiresInDays", `must be from 1 to ${AGENT_DAYS_MAX}`);
  }
  return {
    name: maskPans(name.trim()),
    scopes: permitted,
    limits: permitted.includes("links:create") ? checkedLimits(limits) : NO_AGENT_LIMITS,
    ipAllow: checkedAddresses(ipAllow, addressLists),
    expiresAtMs,
  };
}

function checkedLimits({ currency, perLinkMaxMinor, perDayMinor, totalMinor, linksPerHour }: AgentLimits): AgentLimits {
  if (currencyDecimals(currency) === null) throw invalid("limits.currency", "must be an ISO 4217 code such as EUR");
  for (const [member, amount] of Object.entries({ perLinkMaxMinor, perDayMinor, totalMinor })) {
    if (Number.isSafeInteger(amount) && amount >= 1 && amount <= AMOUNT_MINOR_MAX) continue;
    throw invalid(`limits.${member}`, `must be a whole number of minor units from 1 to ${AMOUNT_MINOR_MAX}, for the scope links:create`);
  }
  // A limit that can never apply is a mistake, such as euros instead of cents.
  if (perLinkMaxMinor > perDayMinor) throw invalid("limits.perLinkMaxMinor", "may not be more than perDayMinor");
  if (perDayMinor > totalMinor) throw invalid("limits.perDayMinor", "may not be more than totalMinor");
  if (!Number.isInteger(linksPerHour) || linksPerHour < 1 || linksPerHour > AGENT_LINKS_PER_HOUR_MAX) {
    throw invalid("limits.linksPerHour", `must be a whole number from 1 to ${AGENT_LINKS_PER_HOUR_MAX}`);
  }
  return { currency, perLinkMaxMinor, perDayMinor, totalMinor, linksPerHour };
}

function checkedAddresses(entries: readonly string[], addressLists: AddressLists): readonly string[] {
  if (entries.length > AGENT_ADDRESSES_MAX) throw invalid("ipAllow", `may have at most ${AGENT_ADDRESSES_MAX} entries`);
  try {
    addressLists.compile(entries);
  } catch (error) {
    if (error instanceof RelayError) throw invalid("ipAllow", error.message);
    throw error;
  }
  return [...new Set(entries)];
}

function invalid(member: string, demand: string): RelayError {
  return new RelayError("invalid_request", `${member}: ${demand}`);
}
