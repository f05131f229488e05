import { isDeepStrictEqual } from "node:util";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import type { GatewayInstrument } from "../../engine/gateway/gateway.ts";
import { WHOLE_CHARACTERS } from "../../engine/kernel/well-formed.ts";
import { Amount, INSTRUMENTS, MER_ID_LENGTH_MAX, TX_ID_LENGTH_MAX } from "./forms.ts";

/** Reading of the protocol's requests, for who serves it: the adapter and the sandbox gateway. */

/** A request that is not valid; the message names the member and what it must be, never its value. */
export class RequestRefused extends Error {}

export interface InitOrder {
  merId: string;
  txId: string;
  txOp: "SALE" | "AUTH";
  amount: Static<typeof Amount>;
  description: string;
  merchantReference: string | null;
  expiresAtMs: number | null;
  instrument: GatewayInstrument;
  terminalId: string | null;
  email: string | null;
  callbackURL: string | null;
  notifyURL: string | null;
  returnURL: string | null;
}

export interface FollowUpOrder {
  merId: string;
  txId: string;
  origTranId: string;
  /** Null: the whole. */
  amount: Static<typeof Amount> | null;
}

/**
 * Where a member may stand: at the top, or in one of these (the forms that clients of the protocol send). Standing in two places with
 * different values it is refused: which one was meant would be a guess.
 */
const CONTAINERS = ["txHead", "txReq", "poiInfo"] as const;

const Url = Type.String({ maxLength: 2_048, pattern: "^https?://[^\\s]+$" });
const Text = (maxLength: number) => Type.String({ maxLength });

const READERS = {
  merId: reader(Type.String({ ...WHOLE_CHARACTERS, minLength: 1, maxLength: MER_ID_LENGTH_MAX }), `1 to ${MER_ID_LENGTH_MAX} characters`),
  txId: reader(Type.String({ pattern: `^[\\x21-\\x7e]{1,${TX_ID_LENGTH_MAX}}$` }), `1 to ${TX_ID_LENGTH_MAX} visible ASCII characters`),
  txOp: reader(Type.Union([Type.Literal("SALE"), Type.Literal("AUTH")]), "SALE or AUTH"),
  amount: reader(
    Type.Union([Amount, Amount.properties.value]),
    "an object of value (an integer of 1 or more in minor units) and currency (three capital letters)",
  ),
  currency: reader(Amount.properties.currency, "three capital letters"),
  description: reader(Text(512), "at most 512 characters"),
  merchantReference: reader(Text(128), "at most 128 characters"),
  expiresAt: reader(Type.String({ pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$" }), "an ISO 8601 time in UTC"),
  pitype: reader(Type.Union([Type.Literal("CC"), Type.Literal("BPE")]), "CC or BPE"),
  terminalId: reader(Type.String({ pattern: "^[A-Za-z0-9._-]{1,64}$" }), "1 to 64 of A-Z a-z 0-9 . _ -"),
  email: reader(Text(254), "at most 254 characters"),
  callbackURL: reader(Url, "an http or https URL of at most 2048 characters"),
  notifyURL: reader(Url, "an http or https URL of at most 2048 characters"),
  returnURL: reader(Url, "an http or https URL of at most 2048 characters"),
  origTranId: reader(Type.String({ ...WHOLE_CHARACTERS, minLength: 1, maxLength: 64 }), "1 to 64 characters"),
};

/** Throws RequestRefused. */
export function readInit(body: object): InitOrder {
  const expiresAt = READERS.expiresAt("expiresAt", member(body, "expiresAt"));
  const pitype = READERS.pitype("pitype", member(body, "pitype")) ?? "CC";
  const buyer = "buyer" in body && typeof body.buyer === "object" && body.buyer !== null ? body.buyer : {};
  const url = (name: "callbackURL" | "notifyURL" | "returnURL") => urlOf(name, READERS[name](name, member(body, name)));
  return {
    ...headOf(body),
    txOp: READERS.txOp("txOp", member(body, "txOp")) ?? "SALE",
    amount: required(amountOf(body), "amount"),
    description: READERS.description("description", member(body, "description")) ?? "",
    merchantReference: READERS.merchantReference("merchantReference", member(body, "merchantReference")),
    expiresAtMs: expiresAt === null ? null : timeOf(expiresAt),
    instrument: INSTRUMENTS[pitype],
    terminalId: READERS.terminalId("terminalId", member(body, "terminalId")),
    email: READERS.email("buyer.email", "email" in buyer ? buyer.email : undefined),
    callbackURL: url("callbackURL"),
    notifyURL: url("notifyURL"),
    returnURL: url("returnURL"),
  };
}

/** Throws RequestRefused. */
export function readFollowUp(body: object): FollowUpOrder {
  const origTranId = required(READERS.origTranId("origTranId", member(body, "origTranId")), "origTranId");
  return { ...headOf(body), origTranId, amount: amountOf(body) };
}

const HEAD_NAMES = ["merId", "txId"];
const AMOUNT_NAMES = ["amount", "currency"];

/** Every name that `readInit` reads. */
const INIT_NAMES: ReadonlySet<string> = new Set([
  ...HEAD_NAMES,
  ...AMOUNT_NAMES,
  ...["txOp", "description", "merchantReference", "expiresAt", "pitype", "terminalId", "callbackURL", "notifyURL", "returnURL"],
]);

/** Every name that `readFollowUp` reads. */
const FOLLOW_UP_NAMES: ReadonlySet<string> = new Set([...HEAD_NAMES, ...AMOUNT_NAMES, "origTranId"]);

/** Names of the members of a body that `readInit` does not read, with the container before the name. */
export function notReadOfInit(body: object): string[] {
  const { buyer, ...rest }: { buyer?: unknown } = { ...body };
  return [...notRead(rest, INIT_NAMES), ...membersOf(buyer).flatMap(([name]) => (name === "email" ? [] : [`buyer.${name}`]))];
}

/** The same for `readFollowUp`. */
export function notReadOfFollowUp(body: object): string[] {
  return notRead(body, FOLLOW_UP_NAMES);
}

function notRead(body: object, names: ReadonlySet<string>): string[] {
  return membersOf(body).flatMap(([name, value]) => {
    if (!CONTAINERS.some((container) => container === name)) return names.has(name) ? [] : [name];
    return membersOf(value).flatMap(([inner]) => (names.has(inner) ? [] : [`${name}.${inner}`]));
  });
}

function membersOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** The merId of a body that may not be valid otherwise, for the head of a refusal; null where there is none. */
export function headOrNull(body: unknown): { merId: string | null; txId: string | null } {
  const read = (name: "merId" | "txId"): string | null => {
    try {
      return typeof body === "object" && body !== null ? READERS[name](name, member(body, name)) : null;
    } catch {
      return null;
    }
  };
  return { merId: read("merId"), txId: read("txId") };
}

function headOf(body: object): { merId: string; txId: string } {
  return {
    merId: required(READERS.merId("merId", member(body, "merId")), "merId"),
    txId: required(READERS.txId("txId", member(body, "txId")), "txId"),
  };
}

/** `{value, currency}`, or the two apart: an integer and `currency` beside it. */
function amountOf(body: object): Static<typeof Amount> | null {
  const amount = READERS.amount("amount", member(body, "amount"));
  const currency = READERS.currency("currency", member(body, "currency"));
  if (amount === null) {
    if (currency !== null) throw new RequestRefused("currency: is given without an amount");
    return null;
  }
  if (typeof amount === "number") return { value: amount, currency: currency ?? "EUR" };
  if (currency !== null && currency !== amount.currency) throw new RequestRefused("currency: differs from the currency of the amount");
  return amount;
}

function member(body: object, name: string): unknown {
  const top: { [name: string]: unknown } = { ...body };
  const places = [top, ...CONTAINERS.map((container) => top[container]).filter((place) => typeof place === "object" && place !== null)];
  const found = places.map((place) => ({ ...Object(place) })[name]).filter((value) => value !== undefined && value !== null);
  const [first] = found;
  if (found.some((value) => !isDeepStrictEqual(value, first)))
    throw new RequestRefused(`${name}: was sent in two places with different values`);
  return first;
}

function reader<S extends TSchema>(schema: S, demand: string): (name: string, value: unknown) => Static<S> | null {
  const check = TypeCompiler.Compile(schema);
  return (name, value) => {
    if (value === undefined || value === null) return null;
    if (check.Check(value)) return value;
    throw new RequestRefused(`${name}: must be ${demand}`);
  };
}

function required<T>(value: T | null, name: string): T {
  if (value === null) throw new RequestRefused(`${name}: is required`);
  return value;
}

function urlOf(name: string, text: string | null): string | null {
  if (text === null) return null;
  if (!URL.canParse(text)) throw new RequestRefused(`${name}: is not a URL`);
  const { username, password } = new URL(text);
  if (username !== "" || password !== "") throw new RequestRefused(`${name}: must not contain a user name or password`);
  return text;
}

function timeOf(text: string): number {
  const timeMs = Date.parse(text);
  if (Number.isNaN(timeMs)) throw new RequestRefused("expiresAt: is not a time");
  return timeMs;
}
