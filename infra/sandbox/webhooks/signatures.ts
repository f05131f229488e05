/** Verifies the signatures of webhooks as the guide tells receivers to (infra/docs/compat.md), with nothing of the sender's code. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { WIRE_NAMES } from "../../../http/compat/wire-names.ts";

/** How old a signature may be, as client libraries have it: an older one may be a recording. */
export const TOLERANCE_SECONDS = 300;

/** In the order in which they are told. */
export const SIGNATURE_HEADERS = [WIRE_NAMES.signature, "X-Gateway-Signature", "webhook-signature"] as const;
export type SignatureHeader = (typeof SIGNATURE_HEADERS)[number];

/**
 * `holds`: with the secret of this place in the list. `wrong`: with none of them. `too old`: it holds, but is further away than the tolerance.
 * `not checked`: there is no secret that it could be of.
 */
export type Verdict = { type: "holds"; secret: number } | { type: "absent" | "wrong" | "too old" | "not checked" };

/** A delivery as it arrived; headers by their lower-case names. */
export interface Signed {
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly body: Buffer;
}

export function verify(header: SignatureHeader, signed: Signed, secrets: readonly string[], nowMs: number): Verdict {
  const value = textOf(signed, header);
  if (value === "") return { type: "absent" };
  if (secrets.length === 0) return { type: "not checked" };
  switch (header) {
    case WIRE_NAMES.signature:
      return verifyPlatform(value, signed.body, secrets, nowMs);
    case "X-Gateway-Signature":
      return found(secrets.findIndex((secret) => isSame(value, hmac(secret, signed.body).toString("hex"))));
    case "webhook-signature":
      return verifyStandard(value, signed, secrets, nowMs);
  }
}

/** `t=1700000000,v1=<hex>`, with a `v1` for each secret that is in use; the secret's whole text is the key. */
function verifyPlatform(value: string, body: Buffer, secrets: readonly string[], nowMs: number): Verdict {
  const parts = value.split(",").map((part) => part.split("="));
  const time = parts.find(([name]) => name === "t")?.[1] ?? "";
  const given = parts.filter(([name]) => name === "v1").map(([, hex = ""]) => hex);
  const text = Buffer.concat([Buffer.from(`${time}.`), body]);
  const secret = secrets.findIndex((one) => given.some((hex) => isSame(hex, hmac(one, text).toString("hex"))));
  return timely(found(secret), time, nowMs);
}

/** Standard Webhooks: `v1,<base64>`, separated by spaces; the key is what the part after `whsec_` says in base64. */
function verifyStandard(value: string, signed: Signed, secrets: readonly string[], nowMs: number): Verdict {
  const time = textOf(signed, "webhook-timestamp");
  const text = Buffer.concat([Buffer.from(`${textOf(signed, "webhook-id")}.${time}.`), signed.body]);
  const given = value.split(" ");
  // Only such secrets have a key of this kind; a partner's own secret has none.
  if (!secrets.some((secret) => secret.startsWith(PREFIX))) return { type: "not checked" };
  const secret = secrets.findIndex((one) => {
    if (!one.startsWith(PREFIX)) return false;
    const right = `v1,${hmac(Buffer.from(one.slice(PREFIX.length), "base64"), text).toString("base64")}`;
    return given.some((candidate) => isSame(candidate, right));
  });
  return timely(found(secret), time, nowMs);
}

const PREFIX = "whsec_";

function found(secret: number): Verdict {
  return secret < 0 ? { type: "wrong" } : { type: "holds", secret };
}

function timely(verdict: Verdict, time: string, nowMs: number): Verdict {
  if (verdict.type !== "holds") return verdict;
  return Math.abs(nowMs / 1_000 - Number(time)) <= TOLERANCE_SECONDS ? verdict : { type: "too old" };
}

function hmac(key: string | Buffer, text: Buffer): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function isSame(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function textOf({ headers }: Signed, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === "string" ? value : "";
}
