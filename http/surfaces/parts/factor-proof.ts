import type { Static } from "@sinclair/typebox";
import type { PasskeyRecord } from "../../../engine/accounts/account.ts";
import type { Client, OwnSession } from "../../../engine/accounts/factor-steps.ts";
import { sessionPurpose } from "../../../engine/accounts/factor-steps.ts";
import type { FactorProof } from "../../../engine/accounts/prove-factor.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { RequestFacts } from "../../endpoint/endpoint.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import { qrDataUrl } from "./buyer/qr-code.ts";
import type { ClientHeaders, PasskeyItem, SecondFactor, StepUp, TotpBegun } from "./factor-schemas.ts";

/** Returns the proof for the code that was sent. */
export function codeProof({ code, recoveryCode }: Static<typeof SecondFactor>): FactorProof {
  if ((code === undefined) === (recoveryCode === undefined))
    throw new RelayError("invalid_request", "Send either `code` or `recoveryCode`");
  return recoveryCode === undefined ? { type: "code", code: code ?? "" } : { type: "recovery", code: recoveryCode };
}

/** Returns the proof for the one factor of three that was sent. */
export function stepUpProof(own: OwnSession, { response, ...codes }: Static<typeof StepUp>): FactorProof {
  if (response !== undefined && (codes.code !== undefined || codes.recoveryCode !== undefined))
    throw new RelayError("invalid_request", "Send one of `code`, `recoveryCode` and `response`");
  return response === undefined ? codeProof(codes) : { type: "passkey", response, purpose: sessionPurpose(own) };
}

export function clientOf(request: RequestFacts, headers: Static<typeof ClientHeaders>): Client {
  return { ipAddress: request.ipAddress, userAgent: headers["user-agent"] ?? "" };
}

export function passkeyItems(passkeys: readonly PasskeyRecord[]): Static<typeof PasskeyItem>[] {
  return passkeys.map(({ credentialId, name, createdAtMs, lastUsedAtMs }) => ({
    id: credentialId,
    name,
    createdAt: iso(createdAtMs),
    lastUsedAt: isoOrNull(lastUsedAtMs),
  }));
}

/** Returns a new secret for an authenticator app, with its QR code. */
export async function totpBegun({ secret, uri }: { secret: string; uri: string }): Promise<Static<typeof TotpBegun>> {
  return { secret, uri, qr: await qrDataUrl(uri) };
}
