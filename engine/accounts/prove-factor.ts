import type { SecretBox } from "../kernel/secret-box.ts";
import type { SecondFactors } from "./account.ts";
import type { CommitPart } from "./account-store.ts";
import type { AccountSecrets, Passkeys, Totp, WebAuthnJson } from "./factors.ts";
import { typedRecoveryCode } from "./recovery-codes.ts";
import { challengeUsed, type SessionStore } from "./session-store.ts";

/** What a person shows as second factor, or as the only one in the case of a passkey. */
export type FactorProof =
  | { readonly type: "code"; readonly code: string }
  | { readonly type: "recovery"; readonly code: string }
  | { readonly type: "passkey"; readonly response: WebAuthnJson; readonly purpose: string };

/** The account after a factor that was right, so that it is not right again; to be stored with what it opens. */
export interface ProvenFactor<A extends SecondFactors> {
  readonly account: A;
  readonly also: readonly CommitPart[];
}

export interface ProveFactorOptions {
  totp: Totp;
  passkeys: Passkeys;
  secrets: Pick<AccountSecrets, "digest">;
  box: SecretBox;
  sessions: Pick<SessionStore, "isChallengeUsed">;
  /** Where an account's authenticator secret is sealed for. */
  placeOf(accountId: string): string;
  nowMs(): number;
}

export type ProveFactor = <A extends SecondFactors>(account: A, proof: FactorProof) => Promise<ProvenFactor<A> | null>;

/** Where the authenticator secret of a person of the portal is sealed for. */
export function totpPlace(accountId: string): string {
  return `portal-account/${accountId}/totp`;
}

/**
 * Checks a second factor. A code of an app counts once: the step that it is of and all before it are refused from then on, by the record of the account, so
 * that of two uses at once one commit fails.
 */
export function createProveFactor({ totp, passkeys, secrets, box, sessions, placeOf, nowMs }: ProveFactorOptions): ProveFactor {
  function byCode<A extends SecondFactors>(account: A, typed: string): ProvenFactor<A> | null {
    const code = typed.replace(/\s/g, "");
    if (account.totp === null) return null;
    const step = totp.stepOf(box.open(account.totp.sealedSecret, placeOf(account.accountId)), code, nowMs());
    if (step === null || step <= account.totp.lastStep) return null;
    return { account: { ...account, totp: { ...account.totp, lastStep: step }, updatedAtMs: nowMs() }, also: [] };
  }

  function byRecoveryCode<A extends SecondFactors>(account: A, typed: string): ProvenFactor<A> | null {
    const code = typedRecoveryCode(typed);
    const digest = code === null ? null : secrets.digest(code);
    if (digest === null || !account.recoveryCodes.includes(digest)) return null;
    const recoveryCodes = account.recoveryCodes.filter((one) => one !== digest);
    return { account: { ...account, recoveryCodes, updatedAtMs: nowMs() }, also: [] };
  }

  async function byPasskey<A extends SecondFactors>(account: A, response: WebAuthnJson, purpose: string): Promise<ProvenFactor<A> | null> {
    const claimed = passkeys.claimed(response);
    const passkey = account.passkeys.find(({ credentialId }) => credentialId === claimed?.credentialId);
    if (claimed === null || passkey === undefined) return null;
    // An authenticator may name the account; then it is this one.
    if (claimed.accountId !== null && claimed.accountId !== account.accountId) return null;
    const right = await passkeys.authenticate(response, passkey, purpose);
    if (right === null || (await sessions.isChallengeUsed(right.challenge.sha256))) return null;
    const used = { ...passkey, counter: right.counter, lastUsedAtMs: nowMs() };
    return {
      account: { ...account, passkeys: account.passkeys.map((one) => (one === passkey ? used : one)), updatedAtMs: nowMs() },
      also: [challengeUsed(right.challenge.sha256, right.challenge.endsAtMs)],
    };
  }

  return async (account, proof) => {
    switch (proof.type) {
      case "code":
        return byCode(account, proof.code);
      case "recovery":
        return byRecoveryCode(account, proof.code);
      case "passkey":
        return byPasskey(account, proof.response, proof.purpose);
    }
  };
}
