import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { PasskeyRecord } from "../../engine/accounts/account.ts";
import { CHALLENGE_MS, type Passkeys, type WebAuthnJson } from "../../engine/accounts/factors.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import { sha256Hex } from "./digest.ts";

export interface PasskeysOptions {
  /** The address by which browsers reach the relay; read anew each time, since a listener without a configured one learns its own late. */
  publicUrl(): string;
  /** The same on all nodes: proves challenges. */
  key: Buffer;
  nowMs(): number;
}

/** Loaded when somebody uses a passkey: it is a fifth of the code of a shard. */
const library = () => import("@simplewebauthn/server");

const RP_NAME = "Terminal Relay";

/** 16 random bytes, 6 of the time until which it counts, and the proof. */
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const HEAD_BYTES = RANDOM_BYTES + TIME_BYTES;

/** base64url of what authenticators name credentials by; longer ones than browsers permit are none. */
const CREDENTIAL_ID = /^[A-Za-z0-9_-]{16,1400}$/;

/**
 * Whether passkeys work at an address: they belong to a domain name, which `localhost` is and an IP address is not.
 */
export function passkeysArePossible(publicUrl: string): boolean {
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0;
}

/** Passkeys by @simplewebauthn/server. Only with user verification: an authenticator that asks for finger, face or PIN is two factors in one. */
export function createPasskeys({ publicUrl, key, nowMs }: PasskeysOptions): Passkeys {
  const place = () => {
    const url = new URL(publicUrl());
    if (!passkeysArePossible(url.href)) {
      throw new RelayError("invalid_request", "Passkeys need a domain name: they do not work where the relay is reached by an IP address");
    }
    return { rpID: url.hostname, origin: url.origin };
  };

  function proofOf(head: Buffer, purpose: string): Buffer {
    return createHmac("sha256", key).update(head).update(purpose, "utf8").digest();
  }

  function newChallenge(purpose: string): Uint8Array<ArrayBuffer> {
    const head = Buffer.alloc(HEAD_BYTES);
    randomBytes(RANDOM_BYTES).copy(head);
    head.writeUIntBE(nowMs() + CHALLENGE_MS, RANDOM_BYTES, TIME_BYTES);
    return new Uint8Array(Buffer.concat([head, proofOf(head, purpose)]));
  }

  /** Until when a challenge counts; null for one that is not ours, for another purpose, or too old. */
  function challengeEnd(challenge: string, purpose: string): number | null {
    const bytes = Buffer.from(challenge, "base64url");
    const [head, proof] = [bytes.subarray(0, HEAD_BYTES), bytes.subarray(HEAD_BYTES)];
    const expected = head.length === HEAD_BYTES ? proofOf(head, purpose) : null;
    if (expected === null || proof.length !== expected.length || !timingSafeEqual(proof, expected)) return null;
    const endsAtMs = head.readUIntBE(RANDOM_BYTES, TIME_BYTES);
    return endsAtMs > nowMs() ? endsAtMs : null;
  }

  return {
    get arePossible() {
      return passkeysArePossible(publicUrl());
    },
    registrationOptions: async ({ accountId, label, passkeys }, purpose) => ({
      ...(await (
        await library()
      ).generateRegistrationOptions({
        rpName: RP_NAME,
        rpID: place().rpID,
        userName: label,
        userDisplayName: label,
        // An authenticator answers with it: no name and no address.
        userID: new Uint8Array(Buffer.from(accountId, "utf8")),
        challenge: newChallenge(purpose),
        timeout: CHALLENGE_MS,
        attestationType: "none",
        excludeCredentials: passkeys.map(descriptorOf),
        authenticatorSelection: { residentKey: "required", userVerification: "required" },
      })),
    }),
    register: async (response, purpose) => {
      const { rpID, origin } = place();
      if (!isRegistration(response)) return null;
      const { verifyRegistrationResponse } = await library();
      const verified = await orNull(() =>
        verifyRegistrationResponse({
          response,
          expectedChallenge: (challenge) => challengeEnd(challenge, purpose) !== null,
          expectedOrigin: origin,
          expectedRPID: rpID,
          requireUserVerification: true,
        }),
      );
      if (verified?.verified !== true) return null;
      const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
      return {
        credentialId: id,
        publicKey: Buffer.from(publicKey).toString("base64url"),
        counter,
        transports: transports.filter((one) => TRANSPORT.test(one)).slice(0, TRANSPORTS_MAX),
      };
    },
    authenticationOptions: async (allowed, purpose) => ({
      ...(await (
        await library()
      ).generateAuthenticationOptions({
        rpID: place().rpID,
        challenge: newChallenge(purpose),
        timeout: CHALLENGE_MS,
        userVerification: "required",
        ...(allowed === null ? {} : { allowCredentials: allowed.map(descriptorOf) }),
      })),
    }),
    claimed: (response) => {
      if (!isAuthentication(response)) return null;
      const { userHandle } = response.response;
      return { credentialId: response.id, accountId: userHandle ? Buffer.from(userHandle, "base64url").toString("utf8") : null };
    },
    authenticate: async (response, { credentialId, publicKey, counter }, purpose) => {
      const { rpID, origin } = place();
      if (!isAuthentication(response)) return null;
      const { verifyAuthenticationResponse } = await library();
      let answered: { sha256: string; endsAtMs: number } | null = null;
      const verified = await orNull(() =>
        verifyAuthenticationResponse({
          response,
          expectedChallenge: (challenge) => {
            const endsAtMs = challengeEnd(challenge, purpose);
            answered = endsAtMs === null ? null : { sha256: sha256Hex(challenge), endsAtMs };
            return answered !== null;
          },
          expectedOrigin: origin,
          expectedRPID: rpID,
          credential: { id: credentialId, publicKey: new Uint8Array(Buffer.from(publicKey, "base64url")), counter },
          requireUserVerification: true,
        }),
      );
      if (verified?.verified !== true || answered === null) return null;
      return { counter: verified.authenticationInfo.newCounter, challenge: answered };
    },
  };
}

const TRANSPORT = /^[a-z-]{1,16}$/;
const TRANSPORTS_MAX = 8;

function descriptorOf({ credentialId, transports }: PasskeyRecord): { id: string; transports: string[] } {
  return { id: credentialId, transports: [...transports] };
}

/** The library throws for every answer that is not right, and says why; the person is told only that it was not. */
async function orNull<T>(verify: () => Promise<T>): Promise<T | null> {
  try {
    return await verify();
  } catch {
    return null;
  }
}

function isRegistration(json: WebAuthnJson): json is WebAuthnJson & RegistrationResponseJSON {
  return isAnswer(json) && hasTexts(json["response"], ["clientDataJSON", "attestationObject"]);
}

function isAuthentication(json: WebAuthnJson): json is WebAuthnJson & AuthenticationResponseJSON {
  const { response } = json;
  return (
    isAnswer(json) && hasTexts(response, ["clientDataJSON", "authenticatorData", "signature"]) && isOptionalText(response, "userHandle")
  );
}

function isAnswer(json: WebAuthnJson): boolean {
  const { id, rawId, type } = json;
  return typeof id === "string" && CREDENTIAL_ID.test(id) && rawId === id && type === "public-key";
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return names.every((name) => typeof memberOf(value, name) === "string");
}

function isOptionalText(value: unknown, name: string): boolean {
  const member = memberOf(value, name);
  return member === undefined || member === null || typeof member === "string";
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}
