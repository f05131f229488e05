import type { AdministratorRole } from "./administrator-role.ts";

/** Administrators of one installation beside the one of the configuration: people, not machines. */
export const ADMINISTRATORS_MAX = 100;

export const ADMINISTRATOR_PASSWORD_LENGTH_MIN = 12;

/** With the longest name and four bytes for each character, the login still fits into the header that is read (http/auth/basic.ts). */
export const ADMINISTRATOR_PASSWORD_LENGTH_MAX = 128;

/** `sha256` (hex): generated, long and random, so that a fast digest is enough. `slow`: chosen by a person, salted and slow to guess. */
export type AdministratorPassword = { readonly type: "sha256"; readonly hex: string } | { readonly type: "slow"; readonly hash: string };

/** An administrator that is stored. The one of the configuration (`RELAY_ADMIN_USERNAME`) has no record. */
export interface AdministratorRecord {
  readonly schema: 1;
  readonly username: string;
  readonly role: AdministratorRole;
  readonly enabled: boolean;
  readonly password: AdministratorPassword;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  readonly passwordChangedAtMs: number;
}
