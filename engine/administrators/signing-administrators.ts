import type { AdministratorPassword } from "../access/administrator.ts";
import type { AdministratorRole } from "../access/administrator-role.ts";
import type { Administrators } from "../access/administrators.ts";

/** An administrator that may sign in: one that is stored and enabled, or the owner of the configuration. */
export interface SigningAdministrator {
  /**
   * Of this administrator and no other, also where another one gets its name later: second factors and sessions are kept by it, and authenticators are told it, so it
   * does not contain the name.
   */
  readonly accountId: string;
  readonly username: string;
  readonly role: AdministratorRole;
  /** The owner of the configuration. */
  readonly isConfigured: boolean;
  /** Changes with the password, and with each change of the stored administrator: one that was disabled and enabled again has another one. */
  readonly mark: string;
}

/** The administrators that may sign in, in memory: lookups wait for nothing. */
export interface SigningAdministrators {
  /** Case matters, as in a login. */
  byUsername(username: string): SigningAdministrator | null;
  byAccountId(accountId: string): SigningAdministrator | null;
  owners(): readonly SigningAdministrator[];
  /** Disabled ones too, and regardless of case. */
  accountIdOf(username: string): string | null;
}

export interface SigningAdministratorsOptions {
  administrators: Pick<Administrators, "configured" | "generation" | "isConfigured" | "byUsername" | "list">;
  configuredPassword: AdministratorPassword;
  /** A digest in hex, the same for ever: what is stored under it would else be lost. */
  digest(text: string): string;
  /** The same with a key: what it is of cannot be found by trying. Where the key changes, sessions end. */
  keyedDigest(text: string): string;
}

const ID_LENGTH = 32;

/** What the accountId of a stored administrator is made of. */
export type NamedAdministrator = { readonly username: string; readonly createdAtMs: number };

/** One that is removed and created again is another one. */
export function storedAccountId(digest: (text: string) => string, { username, createdAtMs }: NamedAdministrator): string {
  return `adm_${digest(`stored administrator ${createdAtMs} ${username.toLowerCase()}`).slice(0, ID_LENGTH)}`;
}

/** That of the owner of the configuration. */
export function configuredAccountId(digest: (text: string) => string, username: string): string {
  return `adm_${digest(`configured administrator ${username}`).slice(0, ID_LENGTH)}`;
}

export function createSigningAdministrators(options: SigningAdministratorsOptions): SigningAdministrators {
  const { administrators, configuredPassword, digest, keyedDigest } = options;
  const configured: SigningAdministrator = {
    accountId: configuredAccountId(digest, administrators.configured),
    username: administrators.configured,
    role: "owner",
    isConfigured: true,
    mark: markOf(configuredPassword, 0),
  };
  let generation = -1;
  let byId: ReadonlyMap<string, SigningAdministrator> = new Map();
  let byName: ReadonlyMap<string, SigningAdministrator> = new Map();

  function markOf(password: AdministratorPassword, updatedAtMs: number): string {
    return keyedDigest(`${updatedAtMs} password ${password.type === "slow" ? password.hash : password.hex}`);
  }

  function refresh(): void {
    if (generation === administrators.generation()) return;
    generation = administrators.generation();
    const stored = administrators.list().filter(({ enabled }) => enabled);
    const all = [
      ...stored.map((record) => ({
        accountId: storedAccountId(digest, record),
        username: record.username,
        role: record.role,
        isConfigured: false,
        mark: markOf(record.password, record.updatedAtMs),
      })),
      configured,
    ];
    byId = new Map(all.map((one) => [one.accountId, one]));
    byName = new Map(all.map((one) => [one.username, one]));
  }

  return {
    byUsername: (username) => {
      refresh();
      return byName.get(username) ?? null;
    },
    byAccountId: (accountId) => {
      refresh();
      return byId.get(accountId) ?? null;
    },
    owners: () => {
      refresh();
      return [...byId.values()].filter(({ role }) => role === "owner");
    },
    accountIdOf: (username) => {
      if (administrators.isConfigured(username)) return configured.accountId;
      const record = administrators.byUsername(username);
      return record === null ? null : storedAccountId(digest, record);
    },
  };
}
