import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Tables } from "../tables/replicated-table.ts";
import type { AdministratorUnchanged } from "./administrator-store.ts";
import { MACHINE_RIGHTS, MACHINE_TOKENS_MAX, type MachineRight, type MachineTokenRecord } from "./machine-token.ts";
import type { MachineTokenStore } from "./machine-token-store.ts";

/** The machine tokens, in memory of each shard: lookups wait for nothing. */
export interface MachineTokens {
  /** Grows with every change of any token. */
  generation(): number;
  /** Expired ones too: who asks decides. Case matters, as in a login. */
  byName(name: string): MachineTokenRecord | null;
  /** By name. */
  list(): MachineTokenRecord[];
}

export interface NewMachineToken {
  readonly name: string;
  readonly rights: readonly MachineRight[];
  readonly days: number;
}

/**
 * Makes and removes machine tokens. `actor` is the name of who does it: an owner, still so when the
 * change is stored, else RelayError `forbidden`. Each change is in force on every shard of every
 * live node when it resolves.
 */
export interface AdministerMachineTokens {
  /**
   * `token` is shown this once. Throws RelayError `invalid_request` for a name that is another's.
   */
  create(actor: string, order: NewMachineToken): Promise<{ record: MachineTokenRecord; token: string }>;
  /** Throws RelayError `not_found`. */
  remove(actor: string, name: string): Promise<MachineTokenRecord>;
}

/** Makes tokens; the engine has no randomness and no cryptography of its own. */
export interface MachineTokenSecrets {
  newToken(): string;
  digest(token: string): string;
}

export interface MachineTokensOptions {
  tables: Tables;
  store: MachineTokenStore;
  secrets: MachineTokenSecrets;
  clock: Pick<Clock, "nowMs">;
  /** Logins of the configuration. */
  reservedUsernames: readonly string[];
  /** That the actor is an owner still, as a part of the commit. */
  stillOwner(actor: string): Promise<AdministratorUnchanged>;
}

const DAY_MS = 86_400_000;

/** Changes of one owner that may come in between; more in a row mean that something is wrong. */
const ATTEMPTS_MAX = 20;

export function createMachineTokens(options: MachineTokensOptions): MachineTokens & { administer: AdministerMachineTokens } {
  const { tables, store, secrets, clock, reservedUsernames, stillOwner } = options;
  let generation = 0;
  const stored = tables.records(store, () => {
    generation += 1;
  });

  return {
    generation: () => generation,
    byName: (name) => {
      const record = stored.get(name.toLowerCase());
      return record?.name === name ? record : null;
    },
    list: () => [...stored.values()].sort((one, other) => (one.name.toLowerCase() < other.name.toLowerCase() ? -1 : 1)),
    administer: {
      create: async (actor, { name, rights, days }) => {
        if (reservedUsernames.some((reserved) => reserved.toLowerCase() === name.toLowerCase())) throw taken();
        if (stored.size >= MACHINE_TOKENS_MAX) {
          throw new RelayError("invalid_request", `There are already ${MACHINE_TOKENS_MAX} machine tokens; delete one first`);
        }
        const token = secrets.newToken();
        const nowMs = clock.nowMs();
        const record: MachineTokenRecord = {
          ...{ schema: 1, name, rights: MACHINE_RIGHTS.filter((right) => rights.includes(right)), tokenSha256: secrets.digest(token) },
          ...{ expiresAtMs: nowMs + days * DAY_MS, createdAtMs: nowMs, createdBy: actor },
        };
        return retryOnConflict(ATTEMPTS_MAX, async () => {
          const outcome = await store.create(record, await stillOwner(actor));
          if (outcome === "taken") throw taken();
          if (outcome === "stale") return CONFLICT;
          await stored.propagate(name.toLowerCase());
          return { record, token };
        });
      },
      remove: (actor, name) =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          const before = await store.find(name);
          if (before === null) throw new RelayError("not_found", "There is no such machine token");
          if (!(await store.remove(before, await stillOwner(actor)))) return CONFLICT;
          await stored.propagate(name.toLowerCase());
          return before.record;
        }),
    },
  };
}

function taken(): RelayError {
  return new RelayError("invalid_request", "name: already exists");
}
