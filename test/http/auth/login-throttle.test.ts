import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { UsualLogins } from "../../../engine/access/usual-login-store.ts";
import { createClusterLoginCounts, createLoginCounts, type LoginCounts } from "../../../http/auth/login-counts.ts";
import { countedAddress, createLoginThrottle, type LoginObserver, looksRandom } from "../../../http/auth/login-throttle.ts";

const ADMIN = { username: "admin", isKnown: true };
const KEY = Buffer.alloc(32, 1);

type Told = { by: string; account: string | null };

/** Threads (or nodes) that share what `counts` and the store share. */
function world({ threads = 1, counts }: { threads?: number; counts?: (own: LoginCounts) => LoginCounts } = {}) {
  const clock = { nowMs: 1_000_000 };
  const monotonicMs = () => clock.nowMs;
  const own = createLoginCounts(monotonicMs);
  const stored = new Map<string, Set<string>>();
  const store = { away: false };
  const usual: UsualLogins = {
    at: async (address) => {
      if (store.away) throw new Error("away");
      return stored.get(address) ?? new Set();
    },
    remember: async (address, account) => {
      if (store.away) throw new Error("away");
      stored.set(address, new Set([...(stored.get(address) ?? []), account]));
    },
  };
  const told: Told[] = [];
  const heldBack: string[] = [];
  const observe: LoginObserver = {
    holdBegan: ({ by, account }) => told.push({ by, account }),
    heldBack: (by) => heldBack.push(by),
  };
  const throttles = Array.from({ length: threads }, () =>
    createLoginThrottle({ monotonicMs, counts: counts?.(own) ?? own, usual, key: KEY, observe }),
  );

  async function begin(account: typeof ADMIN, password: string, ipAddress: string, thread: number) {
    const throttle = throttles[thread];
    assert.ok(throttle);
    return { throttle, login: await throttle.begin(account, password, ipAddress) };
  }

  return {
    clock,
    stored,
    store,
    told,
    heldBack,
    throttles,
    /** Resolves with the seconds for which it is held back; 0 if it was compared. */
    wrong: async (account: typeof ADMIN, password: string, ipAddress: string, thread = 0) => {
      const { login } = await begin(account, password, ipAddress, thread);
      if (login.type === "refused") return login.retryAfterSeconds ?? Number.NaN;
      login.wrong(1);
      return 0;
    },
    right: async (account: typeof ADMIN, ipAddress: string, thread = 0) => {
      const { throttle, login } = await begin(account, "right", ipAddress, thread);
      if (login.type === "refused") return false;
      login.right();
      throttle.seen(throttle.accountOf(account.username), ipAddress);
      await new Promise((resolve) => setImmediate(resolve));
      return true;
    },
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("guessed passwords", () => {
  it("are ten a minute for an account and an address, and the wait is told", async () => {
    const { clock, wrong, right, told, heldBack } = world();
    for (const n of numbers(10)) {
      assert.equal(await wrong(ADMIN, `p${n}`, "192.0.2.1"), 0);
      clock.nowMs += 1_000;
    }
    assert.equal(await wrong(ADMIN, "p10", "192.0.2.1"), 50);
    assert.equal(await right(ADMIN, "192.0.2.1"), false);
    assert.equal(await right({ username: "other", isKnown: true }, "192.0.2.1"), true, "another account");
    assert.equal(await right(ADMIN, "192.0.2.2"), true, "another address");
    clock.nowMs += 50_000;
    assert.equal(await wrong(ADMIN, "p10", "192.0.2.1"), 0, "one more when the first is a minute old");
    assert.equal(await wrong(ADMIN, "p11", "192.0.2.1"), 1);
    assert.deepEqual(told[0], { by: "pair", account: "admin" });
    assert.deepEqual(new Set(heldBack), new Set(["pair"]));
  });

  it("count by /64 where addresses are IPv6", async () => {
    const { wrong } = world();
    for (const n of numbers(10)) assert.equal(await wrong(ADMIN, `p${n}`, `2001:db8:1:2:${n}::${n}`), 0);
    assert.notEqual(await wrong(ADMIN, "p10", "2001:db8:1:2:ffff::1"), 0);
    assert.equal(await wrong(ADMIN, "p10", "2001:db8:1:3::1"), 0);
    assert.deepEqual(["2001:db8:1:2:3:4:5:6", "::ffff:192.0.2.1", "192.0.2.1", "nonsense:"].map(countedAddress), [
      "2001:db8:1:2",
      "192.0.2.1",
      "192.0.2.1",
      "nonsense:",
    ]);
  });

  it("count once each, however often and wherever on the node they come", async () => {
    const { wrong, right } = world({ threads: 3 });
    for (const n of numbers(60)) assert.equal(await wrong(ADMIN, "of yesterday", "192.0.2.1", n % 3), 0);
    for (const n of numbers(9)) assert.equal(await wrong(ADMIN, `p${n}`, "192.0.2.1", n % 3), 0);
    assert.notEqual(await wrong(ADMIN, "p9", "192.0.2.1", 1), 0);
    assert.equal(await right(ADMIN, "192.0.2.1", 2), false);
  });

  it("are compared again without being counted when credentials have changed", async () => {
    const { clock, wrong, throttles } = world();
    for (const n of numbers(10)) await wrong(ADMIN, `p${n}`, "192.0.2.1");
    clock.nowMs += 60_001;
    assert.equal(throttles[0]?.isKnownWrong(ADMIN, "p0", "192.0.2.1", 1), true);
    assert.equal(throttles[0]?.isKnownWrong(ADMIN, "p0", "192.0.2.1", 2), false);
    for (const n of numbers(10)) assert.equal(await wrong(ADMIN, `p${n}`, "192.0.2.1"), 0);
    assert.equal(await wrong(ADMIN, "another", "192.0.2.1"), 0);
  });

  it("are a hundred an hour for an account from strange addresses, and none of them holds back a usual one", async () => {
    const { clock, wrong, right, told, throttles } = world({ threads: 2 });
    assert.equal(await right(ADMIN, "192.0.2.200"), true);
    assert.equal(await right(ADMIN, "2001:db8::1"), true);
    clock.nowMs += 29 * 86_400_000;
    for (const thread of throttles) thread.everySecond();
    let compared = 0;
    for (const host of numbers(50)) {
      for (const n of numbers(9)) if ((await wrong(ADMIN, `p${n}`, `198.51.100.${host}`)) === 0) compared += 1;
    }
    assert.equal(compared, 100);
    assert.deepEqual(told, [{ by: "account", account: "admin" }]);
    assert.equal(await right(ADMIN, "203.0.113.1"), false, "a stranger, even with the right password");
    for (const thread of [0, 1]) {
      assert.equal(await right(ADMIN, "192.0.2.200", thread), true);
      assert.equal(await right(ADMIN, "2001:db8::2", thread), true, "its /64");
    }
    // A usual address is held back by its own failures alone.
    for (const n of numbers(10)) assert.equal(await wrong(ADMIN, `q${n}`, "192.0.2.200"), 0);
    assert.equal(await right(ADMIN, "192.0.2.200"), false);
    assert.equal(await right(ADMIN, "2001:db8::2"), true);
    clock.nowMs += 3_600_000;
    assert.equal(await right(ADMIN, "203.0.113.1"), true);
  });

  it("are thirty a minute from one address over all names, but for accounts that are usual there", async () => {
    const { wrong, right, told } = world();
    const till = { username: "till", isKnown: true };
    assert.equal(await right(till, "192.0.2.1"), true);
    for (const n of numbers(30)) assert.equal(await wrong({ username: `user${n}`, isKnown: n % 2 === 0 }, "spring2026", "192.0.2.1"), 0);
    assert.notEqual(await wrong({ username: "user30", isKnown: false }, "spring2026", "192.0.2.1"), 0);
    assert.deepEqual(told, [{ by: "address", account: null }]);
    assert.equal(await right(ADMIN, "192.0.2.1"), false);
    assert.equal(await right(till, "192.0.2.1"), true);
  });

  it("of names without an account need no memory for each name", async () => {
    const monotonicMs = () => 0;
    const counts = createLoginCounts(monotonicMs);
    const throttle = createLoginThrottle({ monotonicMs, counts });
    for (const n of numbers(9_000)) {
      const login = await throttle.begin({ username: `n${n}`, isKnown: false }, "x", `10.${n >> 8}.${n & 255}.1`);
      if (login.type === "compare") login.wrong(1);
    }
    // A pair and an address each, and the 4,096 that names share.
    assert.ok(counts.size <= 9_000 + 9_000 + 4_096, `${counts.size} windows`);
  });

  it("hold back a login that was verified before, unless its address is usual and only strangers guess", async () => {
    const { wrong, right, throttles, store } = world();
    const [throttle] = throttles;
    assert.ok(throttle);
    await right(ADMIN, "192.0.2.1");
    const account = throttle.accountOf("admin");
    for (const host of numbers(11)) for (const n of numbers(10)) await wrong(ADMIN, `p${n}`, `198.51.100.${host}`);
    assert.equal(await throttle.mayPass(account, "192.0.2.1"), true);
    store.away = true;
    assert.equal(await throttle.mayPass(account, "192.0.2.1"), true, "this thread has seen it");
    store.away = false;
    assert.equal(await throttle.mayPass(account, "203.0.113.1"), false);
    assert.deepEqual(throttle.heldBack(account, "203.0.113.1").code, "rate_limited");
    for (const n of numbers(11)) await wrong(ADMIN, `q${n}`, "192.0.2.1");
    assert.equal(await throttle.mayPass(account, "192.0.2.1"), false);
  });

  it("store an address once a day, and again where the store was away", async () => {
    const { clock, right, throttles, stored, store } = world();
    const [throttle] = throttles;
    assert.ok(throttle);
    store.away = true;
    await right(ADMIN, "192.0.2.1");
    assert.equal(throttle.accountOf("admin").seen.get("192.0.2.1"), undefined);
    store.away = false;
    await right(ADMIN, "192.0.2.1");
    assert.equal(stored.size, 1);
    assert.equal(throttle.accountOf("admin").seen.get("192.0.2.1"), throttle.day);
    clock.nowMs += 86_400_000;
    throttle.everySecond();
    assert.notEqual(throttle.accountOf("admin").seen.get("192.0.2.1"), throttle.day);
  });

  it("count at each node while the shared counts cannot be reached", async () => {
    const away: LoginCounts = {
      attempt: () => Promise.reject(new Error("away")),
      takeBack: () => Promise.reject(new Error("away")),
    };
    const { wrong, right } = world({ counts: (own) => createClusterLoginCounts(own, away) });
    await right(ADMIN, "192.0.2.1");
    for (const n of numbers(10)) assert.equal(await wrong(ADMIN, `p${n}`, "192.0.2.1"), 0);
    assert.notEqual(await wrong(ADMIN, "p10", "192.0.2.1"), 0);
  });

  it("of one account at its usual address have room in a table that strangers have filled", async () => {
    const counts = createLoginCounts(() => 0, { windows: 6, usual: 2 });
    const window = (key: string) => ({ key, max: 10, windowMs: 60_000 });
    const stranger = (n: number) => counts.attempt({ secret: "s", windows: ["p", "a", "n"].map((kind) => window(`${kind}${n}`)) });
    assert.deepEqual([(await stranger(1)).type, (await stranger(2)).type], ["counted", "counted"]);
    assert.deepEqual(await stranger(3), { type: "held", window: 0, forMs: 2_000 });
    assert.equal((await stranger(1)).type, "again", "nothing was forgotten");
    for (const n of numbers(2)) assert.equal((await counts.attempt({ secret: "s", windows: [window(`u${n}`)] })).type, "counted");
    assert.equal((await counts.attempt({ secret: "s", windows: [window("u2")] })).type, "held");
  });
});

describe("a password looks random", () => {
  for (const [password, random] of [
    ["vJ3k_9QmZx0pL7dRt2Wy5hNb", true],
    ["9f86d081884c7d659a2feaa0c55ad015", true],
    ["correct horse battery staple", false],
    ["CorrectHorseBatteryStaple", false],
    ["Administrator2026Password!", false],
    ["0000000000000000000000000000000000", false],
    ["aB3dE6", false],
  ] as const) {
    it(`${password}: ${random}`, () => assert.equal(looksRandom(password), random));
  }
});
