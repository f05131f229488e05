/** Languages of the portal and of its mails. */
export const LOCALES = ["it", "en"] as const;
export type Locale = (typeof LOCALES)[number];
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

export const EMAIL_LENGTH_MAX = 254;
export const PASSWORD_LENGTH_MIN = 12;
export const PASSWORD_LENGTH_MAX = 128;
export const PASSKEYS_MAX = 10;
export const RECOVERY_CODES = 10;
export const SAVED_VIEWS_MAX = 20;

/** One address of printable ASCII: what a mail server takes without extensions, and a key of the store. */
const EMAIL = /^[a-z0-9!#$%&*+/=?^_`{|}~.'-]{1,64}@[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;

/** An e-mail address as it is stored and compared: in lower case. Null for what is none. */
export function emailOf(text: string): string | null {
  const email = text.trim().toLowerCase();
  return email.length <= EMAIL_LENGTH_MAX && EMAIL.test(email) ? email : null;
}

/** A person who signs in to the portal, as stored. */
export interface AccountRecord {
  schema: 1;
  /** `acc_` and 22 characters. */
  accountId: string;
  /** Lower case; unique in the installation. */
  email: string;
  /** `hashPassword` of http/auth/partner-password.ts. */
  passwordHash: string;
  /** Null until it is enrolled. `lastStep` is the last 30-second step of which a code was used: it and those before it are refused. */
  totp: { sealedSecret: string; lastStep: number; enrolledAtMs: number } | null;
  passkeys: readonly PasskeyRecord[];
  /** SHA-256 (hex) of those that were not used. */
  recoveryCodes: readonly string[];
  locale: Locale;
  theme: Theme;
  savedViews: readonly SavedView[];
  /** Merchants where the person is a member, in the order of joining; the memberships themselves are in the teams. */
  merchantIds: readonly string[];
  createdAtMs: number;
  updatedAtMs: number;
}

export interface PasskeyRecord {
  /** base64url, as the authenticator named it. */
  credentialId: string;
  publicKey: string;
  counter: number;
  transports: readonly string[];
  /** As its owner named it. */
  name: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
}

/** Filters of a list that somebody wants back: the query of its page. */
export interface SavedView {
  list: string;
  name: string;
  query: string;
}

/** What somebody who signs in has as second factor: a person of the portal, or an administrator. */
export type SecondFactors = Pick<AccountRecord, "accountId" | "totp" | "passkeys" | "recoveryCodes" | "updatedAtMs">;

/** Whether there is a second factor, without which there is no full session. */
export function hasSecondFactor({ totp, passkeys }: Pick<SecondFactors, "totp" | "passkeys">): boolean {
  return totp !== null || passkeys.length > 0;
}

export type FactorMethod = "totp" | "passkey" | "recovery";

/** By what a second factor can be shown. */
export function factorMethodsOf({
  totp,
  passkeys,
  recoveryCodes,
}: Pick<SecondFactors, "totp" | "passkeys" | "recoveryCodes">): FactorMethod[] {
  return [
    ...(totp === null ? [] : (["totp"] as const)),
    ...(passkeys.length === 0 ? [] : (["passkey"] as const)),
    ...(recoveryCodes.length === 0 ? [] : (["recovery"] as const)),
  ];
}
