import { available, type Kv } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";

/** An address from which an account has logged in stays its usual one for this long after the last time. */
const USUAL_MS = 30 * 86_400_000;

/** A login is stored again only after this time. */
const RENEWED_AFTER_MS = 86_400_000;

/** Accounts of one address; of more, those that logged in last are kept. Behind a large NAT there are some dozens. */
const ACCOUNTS_MAX = 256;

const ATTEMPTS_MAX = 16;

/** Where accounts usually log in, for all nodes: strangers who guess an account's password cannot hold back its usual addresses. */
export interface UsualLogins {
  /** The accounts that usually log in at an address; both by digests. Rejects with RelayError `unavailable` when the store cannot answer. */
  at(address: string): Promise<ReadonlySet<string>>;
  /** Writes once a day at most. Rejects as `at` does. */
  remember(address: string, account: string): Promise<void>;
}

interface UsualLogin {
  readonly schema: 1;
  /** By an account's digest: when it logged in. */
  readonly accounts: { readonly [account: string]: number };
}

const PREFIX = "usual-login/";

/**
 * On the key-value store: `usual-login/<digest of an address>` has the digests of the accounts that logged in there, until 30 days after the
 * last login. Neither names nor addresses are stored.
 */
export function createUsualLoginStore(kv: Kv, nowMs: () => number): UsualLogins {
  async function find(address: string): Promise<{ latest: [account: string, atMs: number][]; version: number }> {
    const entry = await kv.get(PREFIX + address);
    if (entry === null) return { latest: [], version: 0 };
    const { accounts } = readRecord<UsualLogin>("usualLogin", "a usual login", entry.value);
    const latest = Object.entries(accounts).filter(([, atMs]) => atMs > nowMs() - USUAL_MS);
    return { latest, version: entry.version };
  }

  return {
    at: (address) => available(async () => new Set((await find(address)).latest.map(([account]) => account))),
    remember: (address, account) =>
      available(() =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          const { latest, version } = await find(address);
          const atMs = nowMs();
          const known = latest.find(([one]) => one === account);
          if (known !== undefined && known[1] > atMs - RENEWED_AFTER_MS) return undefined;
          const others = latest.filter(([one]) => one !== account).sort(([, one], [, other]) => other - one);
          const accounts = Object.fromEntries([[account, atMs], ...others.slice(0, ACCOUNTS_MAX - 1)]);
          const key = PREFIX + address;
          const value = recordText("usualLogin", { accounts });
          const operations = [{ type: "put", key, value, expiresAtMs: atMs + USUAL_MS } as const];
          const { type } = await kv.commit({ checks: [{ key, version }], operations });
          return type === "committed" ? undefined : CONFLICT;
        }),
      ),
  };
}
