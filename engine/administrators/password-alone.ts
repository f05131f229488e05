import { hasSecondFactor } from "../accounts/account.ts";
import type { AdministratorFactorsStore } from "./administrator-factors-store.ts";
import type { SigningAdministrator, SigningAdministrators } from "./signing-administrators.ts";

/**
 * Whether the password of an administrator's login is enough for what administers people, secrets
 * or factors, without a second factor beside it. `first`: for creating an administrator. Rejects
 * with RelayError `unavailable`.
 */
export type PasswordAlone = (username: string, first: boolean) => Promise<boolean>;

export interface PasswordAloneOptions {
  isSandbox: boolean;
  administrators: SigningAdministrators;
  factors: Pick<AdministratorFactorsStore, "load">;
}

/**
 * In production it is enough for creating the first administrators, as long as no owner has a
 * second factor, and for nothing else. In the sandbox it is, but for administrators who have
 * enrolled a second factor; everyone knows the password of the sandbox's own owner, so that one
 * keeps it.
 */
export function createPasswordAlone({ isSandbox, administrators, factors }: PasswordAloneOptions): PasswordAlone {
  const hasFactor = async ({ accountId, username }: SigningAdministrator) =>
    hasSecondFactor((await factors.load(accountId, username)).record);
  return async (username, first) => {
    if (isSandbox) {
      const administrator = administrators.byUsername(username);
      return administrator === null || administrator.isConfigured || !(await hasFactor(administrator));
    }
    if (!first) return false;
    const enrolled = await Promise.all(administrators.owners().map(hasFactor));
    return !enrolled.includes(true);
  };
}
