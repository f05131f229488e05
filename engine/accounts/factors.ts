import type { PasskeyRecord } from "./account.ts";

/** Secrets of accounts and sessions; the engine has no randomness and no cryptography of its own. */
export interface AccountSecrets {
  /** 32 random bytes in base64url. */
  newToken(): string;
  /** The prefix and 22 random characters. */
  newId(prefix: "acc_" | "ses_" | "usr_"): string;
  /** As they are shown: RECOVERY_CODES of them, as `recovery-codes.ts` reads them. */
  newRecoveryCodes(): string[];
  /** Salted and slow. */
  hashPassword(password: string): Promise<string>;
  /** SHA-256 in hex, of what is long and random. */
  digest(text: string): string;
}

/** Codes of authenticator apps (RFC 6238: SHA-1, six digits, 30 seconds). */
export interface Totp {
  /** A new secret, in base32. */
  newSecret(): string;
  /** What an app reads from the QR code. */
  uri(secret: string, label: string): string;
  /** The step of which this is the code, of the present one and its two neighbours; null for a wrong code. */
  stepOf(secret: string, code: string, atMs: number): number | null;
}

/** JSON of the browser's WebAuthn interface, which only it and the adapter read. */
export type WebAuthnJson = Record<string, unknown>;

/** A challenge of which an answer was right: it is taken once. */
export interface AnsweredChallenge {
  readonly sha256: string;
  readonly endsAtMs: number;
}

/**
 * Passkeys (WebAuthn). A challenge is made for a purpose (`session:ses_...`, `sign-in`) and answered within CHALLENGE_MS for this purpose only. It
 * is proven by the relay's own key and not stored, so strangers who ask for many of them fill nothing.
 */
export interface Passkeys {
  /** False where the installation's address has no domain name. */
  readonly arePossible: boolean;
  /** `label`: whose it is, as the authenticator shows it. */
  registrationOptions(
    account: { accountId: string; label: string; passkeys: readonly PasskeyRecord[] },
    purpose: string,
  ): Promise<WebAuthnJson>;
  /** The new passkey, or null for an answer that is not right. */
  register(response: WebAuthnJson, purpose: string): Promise<RegisteredPasskey | null>;
  /** `allowed`: those of an account; null: any, which then names its account. */
  authenticationOptions(allowed: readonly PasskeyRecord[] | null, purpose: string): Promise<WebAuthnJson>;
  /** Which passkey an answer says that it is of, and of whose account; null for what is no answer. Nothing of it is checked yet. */
  claimed(response: WebAuthnJson): { credentialId: string; accountId: string | null } | null;
  /** Null for an answer that is not right. The person was verified by the authenticator. */
  authenticate(
    response: WebAuthnJson,
    passkey: PasskeyRecord,
    purpose: string,
  ): Promise<{ counter: number; challenge: AnsweredChallenge } | null>;
}

export type RegisteredPasskey = Pick<PasskeyRecord, "credentialId" | "publicKey" | "counter" | "transports">;

/** How long a passkey challenge may be answered. */
export const CHALLENGE_MS = 5 * 60_000;

/** A name in a login: an account's id, or for what is none's a text that no id is. */
export interface GuessedAccount {
  readonly username: string;
  readonly isKnown: boolean;
}

/**
 * Compares passwords and codes, and holds back who guesses them: per account and address, over all nodes. An account at an address where it signed in
 * before is held back by failures from there only. Every method rejects with RelayError `rate_limited` or `too_busy` where nothing was compared.
 */
export interface GuardedSecrets {
  /** `hash` is null for an unknown account: it takes the same time. `version` changes with the account. */
  isPassword(password: string, of: { account: GuessedAccount; hash: string | null; version: number }, ipAddress: string): Promise<boolean>;
  /** Runs a comparison that answers null for a wrong code. The same code counts as one failure within a step. */
  compareCode<T>(
    code: string,
    of: { accountId: string; atMs: number },
    ipAddress: string,
    compare: () => Promise<T | null>,
  ): Promise<T | null>;
  /** The account has signed in from there. */
  signedIn(accountId: string, ipAddress: string): void;
}
