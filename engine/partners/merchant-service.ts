import type { ServiceCode } from "../access/partner-grant.ts";
import { RelayError } from "../kernel/errors.ts";
import { holdsSchemePan } from "../kernel/mask.ts";

/** What each service is, for those who choose among them. */
export const SERVICE_DESCRIPTIONS: Readonly<Record<ServiceCode, string>> = {
  IGFS: "Card payments",
  SHIFT4: "Card payments by SHIFT4",
  PAYPAL: "PayPal",
  AMAZON_PAY: "Amazon Pay",
  BANCOMAT_PAY: "BANCOMAT Pay",
  BIZUM: "Instant account-to-account payments, Spain only",
  SKRILL: "Skrill",
  ZONDA: "Crypto",
  SATISPAY: "SATISPAY",
  ASSIOPAY: "Electronic meal vouchers",
};

/** `sandbox`: the service's test system; `live`: money moves. */
export type ServiceMode = "sandbox" | "live";

export const SERVICE_MODES = ["sandbox", "live"] as const;

/**
 * A configuration as it is stored and shown: what is secret stands here as its mask only. The secrets themselves are sealed apart
 * (`ServiceSecrets`).
 */
export interface ServiceConfiguration {
  mode: ServiceMode;
  /** By name; a secret's value is its mask. */
  members: { [name: string]: string };
  updatedAtMs: number;
}

/** The secret members by name, in the clear: never stored or shown so. */
export type ServiceSecrets = ReadonlyMap<string, string>;

export interface MemberRule {
  readonly name: string;
  readonly secret: boolean;
  readonly lengthMax: number;
}

/** Certificates and keys as PEM: an RSA key of 8192 bits has 6,400 characters, a chain of certificates a few times as many. */
const PEM_LENGTH_MAX = 16_384;

const TEXT_LENGTH_MAX = 256;

/** Part of the interface: it is shown to customers. */
export const BANCOMAT_PAY_NAME_LENGTH_MAX = 35;

/**
 * Members by service; services that are not here take a map of strings. BANCOMAT_PAY's certificate is kept as a secret: its format is not fixed, and it may
 * hold the key too. Two of its members are limited to 5 and 11 characters, but it is not known which, so neither limit is enforced.
 */
const MEMBERS: { readonly [code in ServiceCode]?: readonly MemberRule[] } = {
  BANCOMAT_PAY: [
    { name: "idPg", secret: false, lengthMax: TEXT_LENGTH_MAX },
    { name: "idNegozio", secret: false, lengthMax: TEXT_LENGTH_MAX },
    { name: "merchantName", secret: false, lengthMax: BANCOMAT_PAY_NAME_LENGTH_MAX },
    { name: "certificate", secret: true, lengthMax: PEM_LENGTH_MAX },
    { name: "privateKey", secret: true, lengthMax: PEM_LENGTH_MAX },
  ],
  PAYPAL: [
    { name: "clientId", secret: false, lengthMax: TEXT_LENGTH_MAX },
    { name: "clientSecret", secret: true, lengthMax: TEXT_LENGTH_MAX },
  ],
  SHIFT4: [
    { name: "merchantId", secret: false, lengthMax: TEXT_LENGTH_MAX },
    { name: "signatureKey", secret: true, lengthMax: TEXT_LENGTH_MAX },
  ],
};

/** Of services whose members are not given. */
export const MAP_MEMBERS_MAX = 32;

export const MAP_VALUE_LENGTH_MAX = 4_096;

const MAP_NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** The members that a service has, or null where it takes a map of strings, each of which may be a secret. */
export function membersOf(code: ServiceCode): readonly MemberRule[] | null {
  return MEMBERS[code] ?? null;
}

/** A configuration that was read, its secrets apart from what may be shown. */
export interface ReadConfiguration {
  mode: ServiceMode;
  members: { [name: string]: string };
  secrets: ServiceSecrets;
}

/**
 * Reads a whole configuration. Every member of a service is required; only a secret that is stored may be left out, or be sent as the
 * mask that is shown for it, and then stays. In a map, members that are left out are removed. Throws RelayError `invalid_request` naming
 * the member, never its value. `stored` is null where nothing is configured.
 */
export function readConfiguration(
  code: ServiceCode,
  body: unknown,
  stored: { members: { readonly [name: string]: string }; secrets: ServiceSecrets } | null,
): ReadConfiguration {
  const given = textMembers(body);
  const mode = modeOf(given.get("mode"));
  given.delete("mode");
  const rules = membersOf(code) ?? mapRules(given);
  const known = new Set(rules.map(({ name }) => name));
  for (const name of given.keys()) if (!known.has(name)) refuse(name, `is not a member of ${code}`);
  const members: [string, string][] = [];
  const secrets = new Map<string, string>();
  for (const rule of rules) {
    const value = memberValue(rule, given.get(rule.name), stored);
    if (rule.secret) secrets.set(rule.name, value);
    // It is shown and kept as it is.
    if (!rule.secret && holdsSchemePan(value)) refuse(rule.name, "must not be a card number");
    members.push([rule.name, rule.secret ? maskSecret(value) : value]);
  }
  return { mode, members: Object.fromEntries(members), secrets };
}

/** What is shown of a secret: its last four characters where it is long enough that they give nothing away. */
export function maskSecret(secret: string): string {
  return MASK + (secret.length >= SHOWN_FROM_LENGTH && /^[\x21-\x7e]+$/.test(secret) ? secret.slice(-SHOWN) : "");
}

const MASK = "********";

const SHOWN = 4;

const SHOWN_FROM_LENGTH = 20;

/** What is shown to a caller of a name that it chose. */
function refuse(name: string, demand: string): never {
  throw new RelayError("invalid_request", `${name.replace(/[^\x20-\x7e]/g, "?").slice(0, 64)}: ${demand}`);
}

function textMembers(body: unknown): Map<string, string> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new RelayError("invalid_request", "body: must be an object");
  const members = new Map<string, string>();
  for (const [name, value] of Object.entries(body)) {
    // The same as a member that is left out.
    if (value === null) continue;
    if (typeof value !== "string") refuse(name, "must be a string");
    members.set(name, value);
  }
  return members;
}

function modeOf(text: string | undefined): ServiceMode {
  if (text === undefined) refuse("mode", "is required");
  const mode = SERVICE_MODES.find((word) => word === text);
  return mode ?? refuse("mode", `must be one of ${SERVICE_MODES.join(", ")}`);
}

function mapRules(given: ReadonlyMap<string, string>): MemberRule[] {
  if (given.size > MAP_MEMBERS_MAX)
    throw new RelayError("invalid_request", `body: may have at most ${MAP_MEMBERS_MAX} members in addition to mode`);
  const odd = [...given.keys()].find((name) => !MAP_NAME.test(name));
  if (odd !== undefined) refuse(odd, "is not a name of 1 to 64 letters, digits and underscores that begins with a letter");
  return [...given.keys()].map((name) => ({ name, secret: true, lengthMax: MAP_VALUE_LENGTH_MAX }));
}

/** Control characters, halves of characters, line and paragraph separators. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Line ends and tabs, which are part of a PEM. */
const LINES = /[\r\n\t]/g;

function memberValue(
  { name, secret, lengthMax }: MemberRule,
  given: string | undefined,
  stored: { members: { readonly [name: string]: string }; secrets: ServiceSecrets } | null,
): string {
  const kept = secret ? stored?.secrets.get(name) : undefined;
  if (kept !== undefined && (given === undefined || given === maskSecret(kept))) return kept;
  if (given === undefined) refuse(name, "is required");
  if (secret && given.startsWith(MASK)) refuse(name, "is a mask; send the secret itself");
  if (given.trim() === "" || [...given].length > lengthMax) refuse(name, `must be a string of 1 to ${lengthMax} characters`);
  if (UNPRINTABLE.test(secret ? given.replace(LINES, "") : given)) refuse(name, "must not contain control characters");
  return given;
}
