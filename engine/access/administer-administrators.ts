import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { ADMINISTRATORS_MAX, type AdministratorPassword, type AdministratorRecord } from "./administrator.ts";
import type { AdministratorRole } from "./administrator-role.ts";
import {
  type AdministratorStore,
  type AdministratorUnchanged,
  administratorUnchanged,
  type StoredAdministrator,
} from "./administrator-store.ts";
import type { Administrators } from "./administrators.ts";

/** Rounds of a change that another one overtakes each time; only a storm of changes of one administrator uses them up. */
const ATTEMPTS_MAX = 20;

/** Makes and hashes passwords; the engine has no randomness and no cryptography of its own. */
export interface AdministratorSecrets {
  /** Long and random. */
  newPassword(): string;
  /** SHA-256 in hex, for what is long and random. */
  digest(password: string): string;
  /** Salted and slow. */
  hashPassword(password: string): Promise<string>;
}

export interface NewAdministrator {
  username: string;
  role: AdministratorRole;
  enabled: boolean;
  /** Null generates one. */
  password: string | null;
}

/** With its password where that was generated, for the first and last time. */
export interface WithPassword {
  administrator: AdministratorRecord;
  generated: string | null;
}

/**
 * Creates and changes administrators. `actor` is the name of who does it: an owner, still so when the change is stored. Of two owners who
 * remove each other at the same moment one succeeds, and the other gets `forbidden`. The owner of the configuration is not stored, so no change
 * can leave an installation without one. Each change is in force on every shard of every live node when it resolves. Throws RelayError
 * `not_found` for an administrator that there is not, `conflict` for the one of the configuration, and `invalid_request` for a name that is
 * another's.
 */
export interface AdministerAdministrators {
  create(actor: string, administrator: NewAdministrator): Promise<WithPassword>;
  change(
    actor: string,
    username: string,
    change: { role?: AdministratorRole | undefined; enabled?: boolean | undefined },
  ): Promise<AdministratorRecord>;
  /** `password` null generates one. */
  resetPassword(actor: string, username: string, password: string | null): Promise<WithPassword>;
  /** Anyone's own, with whatever role. */
  changeOwnPassword(username: string, password: string): Promise<AdministratorRecord>;
  remove(actor: string, username: string): Promise<AdministratorRecord>;
  /** That the actor is an owner still, as a part of another store's commit. Throws RelayError `forbidden` where it is not. */
  stillOwner(actor: string): Promise<AdministratorUnchanged>;
}

export interface AdministerAdministratorsOptions {
  store: AdministratorStore;
  administrators: Administrators;
  secrets: AdministratorSecrets;
  clock: Clock;
  /** Logins of the configuration, which an administrator of this name could never use. */
  reservedUsernames: readonly string[];
}

export function createAdministerAdministrators(options: AdministerAdministratorsOptions): AdministerAdministrators {
  const { store, administrators, secrets, clock, reservedUsernames } = options;

  /** The actor as stored, null for the one of the configuration; read anew for each attempt, since another change may have been stored. */
  async function owner(actor: string): Promise<StoredAdministrator | null> {
    if (administrators.isConfigured(actor)) return null;
    const stored = await store.find(actor);
    if (stored === null || !stored.record.enabled || stored.record.role !== "owner") throw noLongerOwner();
    return stored;
  }

  async function edit(
    username: string,
    readActor: () => Promise<StoredAdministrator | null>,
    work: (before: AdministratorRecord) => AdministratorRecord | null,
  ): Promise<AdministratorRecord> {
    if (administrators.isConfigured(username)) throw isConfigured();
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const actor = await readActor();
      const before = await store.find(username);
      if (before === null) throw unknownAdministrator();
      const changed = work(before.record);
      const after = changed === null ? null : { ...changed, updatedAtMs: clock.nowMs() };
      if ((await store.replace({ username, before, after, actor })) !== "replaced") return CONFLICT;
      await administrators.propagate(username);
      return after ?? before.record;
    });
  }

  async function passwordOf(chosen: string | null): Promise<{ stored: AdministratorPassword; generated: string | null }> {
    if (chosen !== null) return { stored: { type: "slow", hash: await secrets.hashPassword(chosen) }, generated: null };
    const generated = secrets.newPassword();
    return { stored: { type: "sha256", hex: secrets.digest(generated) }, generated };
  }

  return {
    create: async (actor, { username, role, enabled, password: chosen }) => {
      if (reservedUsernames.some((name) => name.toLowerCase() === username.toLowerCase())) throw taken();
      if (administrators.list().length >= ADMINISTRATORS_MAX) {
        throw new RelayError("invalid_request", `There are already ${ADMINISTRATORS_MAX} administrators; delete one first`);
      }
      const { stored: password, generated } = await passwordOf(chosen);
      const nowMs = clock.nowMs();
      const times = { createdAtMs: nowMs, updatedAtMs: nowMs, passwordChangedAtMs: nowMs };
      const administrator: AdministratorRecord = { schema: 1, username, role, enabled, password, ...times };
      return retryOnConflict(ATTEMPTS_MAX, async () => {
        const outcome = await store.replace({ username, before: null, after: administrator, actor: await owner(actor) });
        if (outcome === "taken") throw taken();
        if (outcome === "stale") return CONFLICT;
        await administrators.propagate(username);
        return { administrator, generated };
      });
    },
    change: (actor, username, { role, enabled }) =>
      edit(
        username,
        () => owner(actor),
        (before) => ({ ...before, role: role ?? before.role, enabled: enabled ?? before.enabled }),
      ),
    resetPassword: async (actor, username, chosen) => {
      const { stored: password, generated } = await passwordOf(chosen);
      const administrator = await edit(
        username,
        () => owner(actor),
        (before) => ({ ...before, password, passwordChangedAtMs: clock.nowMs() }),
      );
      return { administrator, generated };
    },
    changeOwnPassword: async (username, chosen) => {
      const { stored: password } = await passwordOf(chosen);
      return edit(
        username,
        async () => null,
        (before) => {
          // Disabled since the request was authenticated.
          if (!before.enabled) throw unknownAdministrator();
          return { ...before, password, passwordChangedAtMs: clock.nowMs() };
        },
      );
    },
    remove: (actor, username) =>
      edit(
        username,
        () => owner(actor),
        () => null,
      ),
    stillOwner: async (actor) => administratorUnchanged(await owner(actor)),
  };
}

export function unknownAdministrator(): RelayError {
  return new RelayError("not_found", "Administrator not found");
}

function noLongerOwner(): RelayError {
  return new RelayError("forbidden", "You are no longer an owner");
}

function isConfigured(): RelayError {
  return new RelayError(
    "conflict",
    "This administrator is set in the configuration (RELAY_ADMIN_USERNAME, RELAY_ADMIN_PASSWORD) and can be changed only there",
  );
}

function taken(): RelayError {
  return new RelayError("invalid_request", "username: already exists");
}
