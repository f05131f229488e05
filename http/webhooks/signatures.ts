import { createHmac } from "node:crypto";
import { WIRE_NAMES } from "../compat/wire-names.ts";

/** Of our own format: the hex HMAC of the body. */
export const GATEWAY_SIGNATURE = "X-Gateway-Signature";

/** Secrets of endpoints; the part after the prefix is base64. */
export const SECRET_PREFIX = "whsec_";

export interface Signed {
  /** The event's id, by which a receiver knows a repetition. */
  readonly id: string;
  readonly body: string;
  /** Of the attempt, not of the event: receivers refuse what is older than five minutes, and retries come later. */
  readonly atMs: number;
}

/**
 * The signatures of a webhook in the platform's format. `secrets` are those that sign now, the newest first. The platform's header has one signature for each, under the whole
 * text of the secret as key, without spaces; Standard Webhooks has one for each, under the bytes that the secret's base64 says; `X-Gateway-Signature` has
 * room for one, and has the oldest secret's until its overlap ends.
 */
export function platformSignatures({ id, body, atMs }: Signed, secrets: readonly string[]): { [header: string]: string } {
  const seconds = Math.floor(atMs / 1_000);
  const platform = secrets.map((secret) => `v1=${hmac(secret, `${seconds}.${body}`, "hex")}`);
  return {
    [WIRE_NAMES.signature]: [`t=${seconds}`, ...platform].join(","),
    [GATEWAY_SIGNATURE]: oldestSignature(body, secrets),
    ...standardSignatures({ id, body, seconds }, secrets),
  };
}

/**
 * The signatures of a webhook in our own format: `X-Gateway-Signature` under the whole text of the oldest secret that signs, which a receiver has until the overlap ends, and
 * those of Standard Webhooks, one for each secret. The platform's header is its own format's.
 */
export function portalSignatures({ id, body, atMs }: Signed, secrets: readonly string[]): { [header: string]: string } {
  const seconds = Math.floor(atMs / 1_000);
  return { [GATEWAY_SIGNATURE]: oldestSignature(body, secrets), ...standardSignatures({ id, body, seconds }, secrets) };
}

/** The signature of a partner's webhook, under its `sk_partner_` secret. */
export function partnerSignatures({ body }: Signed, secret: string): { [header: string]: string } {
  return { [GATEWAY_SIGNATURE]: hmac(secret, body, "hex") };
}

function oldestSignature(body: string, secrets: readonly string[]): string {
  return hmac(secrets.at(-1) ?? "", body, "hex");
}

function standardSignatures({ id, body, seconds }: { id: string; body: string; seconds: number }, secrets: readonly string[]) {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map((secret) => `v1,${hmac(bytesOf(secret), `${id}.${seconds}.${body}`, "base64")}`).join(" "),
  };
}

function bytesOf(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), "base64");
}

function hmac(key: string | Buffer, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text, "utf8").digest(encoding);
}
