import { available, type Kv } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";

/** An address from which an account has logged in stays its usual one for this long after the last time. */
const USUAL_MS = 30 * 86_400_000;

/** A login is stored again only after this time. */
const RENEWED_AFTER_MS = 86_400_000;

/** Where accounts usually log in, for all nodes: strangers who guess an account's password cannot hold back its usual addresses. */
export interface UsualLogins {
  /** `name`: a digest of an account and an address. Rejects with RelayError `unavailable` when the store cannot answer. */
  isUsual(name: string): Promise<boolean>;
  /** Writes once a day at most. Rejects as `isUsual` does. */
  remember(name: string): Promise<void>;
}

interface UsualLogin {
  readonly schema: 1;
  readonly atMs: number;
}

const PREFIX = "usual-login/";

/** On the key-value store: `usual-login/<digest>`, until 30 days after the last login. Neither names nor addresses are stored. */
export function createUsualLoginStore(kv: Kv, nowMs: () => number): UsualLogins {
  async function find(name: string): Promise<{ record: UsualLogin; version: number } | null> {
    const entry = await kv.get(PREFIX + name);
    return entry === null ? null : { record: readRecord("usualLogin", "a usual login", entry.value), version: entry.version };
  }

  return {
    isUsual: (name) =>
      available(async () => {
        const known = await find(name);
        return known !== null && known.record.atMs > nowMs() - USUAL_MS;
      }),
    remember: (name) =>
      available(async () => {
        const known = await find(name);
        const atMs = nowMs();
        if (known !== null && known.record.atMs > atMs - RENEWED_AFTER_MS) return;
        const key = PREFIX + name;
        const record: UsualLogin = { schema: 1, atMs };
        // Where another node was faster, its record says the same.
        await kv.commit({
          checks: [{ key, version: known?.version ?? 0 }],
          operations: [{ type: "put", key, value: recordText("usualLogin", record), expiresAtMs: atMs + USUAL_MS }],
        });
      }),
  };
}
