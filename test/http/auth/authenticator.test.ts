import assert from "node:assert/strict";
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { test } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { createAuthenticator } from "../../../http/auth/authenticator.ts";
import type { AdministratorCredential, CredentialSource, PartnerCredential } from "../../../http/auth/credential-source.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { hashPassword, PasswordVerifier } from "../../../http/auth/partner-password.ts";
import { terminalPassword } from "../../../http/auth/terminal-password.ts";

const KEY = "pk_live_0123456789012345678901234567890123";
const INVALID_LOGIN = { type: "refused", code: "unauthorized", message: "Invalid credentials" };
const INVALID_KEY = { type: "refused", code: "unauthorized", message: "Invalid API Key" };
const anyTerminal = { names: false, matches: () => true };

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}

async function world(options: { partner?: Partial<PartnerCredential> } = {}) {
  const state = {
    generation: 1,
    nowMs: 0,
    denied: new Set<string>(),
    lookups: 0,
    denialLookups: 0,
    partner: {
      partnerId: 7,
      username: "till",
      passwordHash: await hashPassword("right"),
      enabled: true,
      allowedOrigins: ["https://shop.example"],
      terminals: anyTerminal,
      rates: {},
      ...options.partner,
    } satisfies PartnerCredential as PartnerCredential,
    key: KEY,
  };
  const administrators = new Map<string, AdministratorCredential>([
    ["admin", { username: "admin", role: "owner", password: { type: "sha256", hex: sha256Hex("secret") } }],
    ["anna", { username: "anna", role: "operator", password: { type: "slow", hash: await hashPassword("annas password") } }],
  ]);
  const source: CredentialSource = {
    generation: () => state.generation,
    machineByName: () => null,
    administratorByUsername: (username) => administrators.get(username) ?? null,
    fleet: () => ({ username: "fleet", passwordSha256: sha256Hex("shared") }),
    terminalSecret: () => "terminals",
    isTerminalDenied: (id) => {
      state.denialLookups++;
      return state.denied.has(id);
    },
    managedBy: () => null,
    partnerByUsername: (username) => (username === state.partner.username ? state.partner : null),
    partnerByKeySha256: (hash) => {
      state.lookups++;
      return hash === sha256Hex(state.key) ? state.partner : null;
    },
    isOriginListed: (origin) => state.partner.allowedOrigins.includes(origin),
  };
  const authenticator = createAuthenticator(source, () => state.nowMs);
  const login = (authorization: string, ipAddress = "192.0.2.1") =>
    authenticator.authenticate("basic", { authorization, apiKey: "", origin: "", cookie: "", ipAddress });
  const key = (apiKey: string, origin = "") =>
    authenticator.authenticate("apiKey", { authorization: "", apiKey, origin, cookie: "", ipAddress: "192.0.2.1" });
  return { state, authenticator, login, key, isTerminalDenied: source.isTerminalDenied };
}

test("basic lets in the administrator, the fleet, a terminal and a partner as who they are", async () => {
  const { login, isTerminalDenied: isDenied } = await world();
  assert.deepEqual(await login(basic("admin", "secret")), { type: "administrator", username: "admin", role: "owner" });
  assert.deepEqual(await login(basic("fleet", "shared")), { type: "fleet", isDenied });
  assert.deepEqual(login(basic("T1", terminalPassword("terminals", "T1"))), { type: "terminal", terminalId: "T1" });
  assert.deepEqual(await login(basic("till", "right")), { type: "partner", partnerId: 7, username: "till", terminals: anyTerminal });
});

test("a wrong user and a wrong password are refused with the same words", async () => {
  const { login } = await world();
  for (const [username, password] of [
    ["admin", "wrong"],
    ["nobody", "secret"],
    ["fleet", ""],
    ["T1", terminalPassword("terminals", "T2")],
    ["till", "wrong"],
  ] as const) {
    assert.deepEqual(await login(basic(username, password)), INVALID_LOGIN, username);
  }
  assert.deepEqual(await login("Bearer abc"), INVALID_LOGIN);
  assert.deepEqual(await login("Basic !!!"), INVALID_LOGIN);
});

test("where a login may be left out, a wrong one is as none and opens nothing", async () => {
  const { authenticator, isTerminalDenied: isDenied } = await world();
  const found = (authorization: string) =>
    authenticator.authenticate("optionalBasic", { authorization, apiKey: "", origin: "", cookie: "", ipAddress: "192.0.2.1" });
  const anonymous = { type: "anonymous" };
  assert.deepEqual(found(basic("T1", terminalPassword("terminals", "T1"))), { type: "terminal", terminalId: "T1" });
  assert.deepEqual(await found(basic("fleet", "shared")), { type: "fleet", isDenied });
  for (const authorization of ["", "Bearer abc", "Basic !!!"]) assert.deepEqual(found(authorization), anonymous, authorization);
  for (const [username, password] of [
    ["T1", terminalPassword("terminals", "T2")],
    ["fleet", "wrong"],
    ["till", "wrong"],
  ] as const) {
    // Beyond the tenth the address is held back.
    for (let attempt = 0; attempt < 12; attempt += 1) assert.deepEqual(await found(basic(username, password)), anonymous, username);
  }
});

test("a login verified once is known without a hash, until a credential changes", async () => {
  const { state, login } = await world();
  assert.ok(login(basic("till", "right")) instanceof Promise);
  await login(basic("till", "right"));
  const known = login(basic("till", "right"));
  assert.ok(!(known instanceof Promise));
  assert.equal(known.type, "partner");
  state.partner = { ...state.partner, enabled: false };
  state.generation++;
  assert.deepEqual(await login(basic("till", "right")), INVALID_LOGIN);
});

test("a partner is known by headers that were verified, and by no others; none is verified for it", async () => {
  const { state, authenticator, login, key } = await world();
  const known = (headers: { authorization?: string; apiKey?: string }) =>
    authenticator.knownPartner({ authorization: "", apiKey: "", ...headers })?.partnerId ?? null;
  const right = { authorization: basic("till", "right") };
  for (const headers of [right, { apiKey: KEY }, {}]) assert.equal(known(headers), null);
  assert.equal(state.lookups, 0);
  await login(right.authorization);
  await login(basic("admin", "secret"));
  key(KEY);
  assert.equal(known(right), 7);
  assert.equal(known({ apiKey: KEY }), 7);
  // The key counts where there are both, as in a login.
  assert.equal(known({ ...right, apiKey: "wrong" }), null);
  for (const authorization of [basic("till", "wrong"), basic("admin", "secret"), basic("T1", terminalPassword("terminals", "T1"))])
    assert.equal(known({ authorization }), null);
  state.generation++;
  for (const headers of [right, { apiKey: KEY }]) assert.equal(known(headers), null);
});

test("a partner's password is not hashed again for a change of another credential, but for one of its own", async () => {
  const { state, login } = await world();
  await login(basic("till", "right"));
  state.partner = { ...state.partner, partnerId: 8 };
  state.generation++;
  assert.deepEqual(login(basic("till", "right")), { type: "partner", partnerId: 8, username: "till", terminals: anyTerminal });
  state.partner = { ...state.partner, enabled: false };
  state.generation++;
  assert.deepEqual(await login(basic("till", "right")), INVALID_LOGIN);
  state.partner = { ...state.partner, enabled: true, passwordHash: await hashPassword("new") };
  state.generation++;
  assert.ok(login(basic("till", "right")) instanceof Promise);
  assert.deepEqual(await login(basic("till", "right")), INVALID_LOGIN);
  assert.equal((await login(basic("till", "new"))).type, "partner");
});

test("a partner disabled while its password is being checked is refused", async () => {
  const { state, login } = await world();
  const check = login(basic("till", "right"));
  state.partner = { ...state.partner, enabled: false };
  state.generation++;
  assert.deepEqual(await check, INVALID_LOGIN);
});

test("a denied terminal is refused once the change is known", async () => {
  const { state, login } = await world();
  const header = basic("T1", terminalPassword("terminals", "T1"));
  assert.deepEqual(login(header), { type: "terminal", terminalId: "T1" });
  state.denied.add("T1");
  state.generation++;
  assert.deepEqual(await login(header), INVALID_LOGIN);
});

test("a terminal's login is verified once; written at a length that fills memory, each time", async () => {
  const { state, login } = await world();
  const header = basic("T1", terminalPassword("terminals", "T1"));
  const caller = { type: "terminal", terminalId: "T1" };
  assert.deepEqual([login(header), login(header)], [caller, caller]);
  assert.equal(state.denialLookups, 1);
  const padded = header + " ".repeat(300);
  assert.deepEqual([login(padded), login(padded)], [caller, caller]);
  assert.equal(state.denialLookups, 3);
});

test("more logins than can be hashed are told to come back", async () => {
  const { login } = await world();
  const answers = Promise.all(Array.from({ length: 66 }, (_, i) => login(basic("till", `wrong${i}`), `192.0.2.${i}`)));
  const busy = (await answers).filter((answer) => answer.type === "refused" && answer.code === "too_busy");
  assert.deepEqual(busy, [{ type: "refused", code: "too_busy", message: "Too many logins at once; retry shortly", retryAfterSeconds: 2 }]);
});

test("a key is looked up once, and again after a change", async () => {
  const { state, key } = await world();
  assert.equal((await key(KEY)).type, "partner");
  assert.equal((await key(KEY)).type, "partner");
  assert.equal(state.lookups, 1);
  state.key = "pk_live_new";
  state.generation++;
  assert.deepEqual(await key(KEY), INVALID_KEY);
  assert.equal((await key("pk_live_new")).type, "partner");
});

test("no key, an unknown key and a disabled partner's key get the same words", async () => {
  const { state, key } = await world();
  assert.deepEqual(await key(""), INVALID_KEY);
  assert.deepEqual(await key("x".repeat(10_000)), INVALID_KEY);
  state.partner = { ...state.partner, enabled: false };
  assert.deepEqual(await key(KEY), INVALID_KEY);
});

test("a key works from its origins and without one, not from others", async () => {
  const { key } = await world();
  assert.equal((await key(KEY, "https://shop.example")).type, "partner");
  assert.deepEqual(await key(KEY, "https://evil.example"), {
    type: "refused",
    code: "forbidden",
    message: "This origin may not use this API Key",
  });
});

test("the administrative login takes nobody else", async () => {
  const { authenticator } = await world();
  const admin = (authorization: string) =>
    authenticator.authenticate("admin", { authorization, apiKey: KEY, origin: "", cookie: "", ipAddress: "192.0.2.1" });
  assert.deepEqual(await admin(basic("admin", "secret")), { type: "administrator", username: "admin", role: "owner" });
  assert.deepEqual(await admin(basic("fleet", "shared")), INVALID_LOGIN);
  assert.deepEqual(await admin(basic("till", "right")), INVALID_LOGIN);
  assert.deepEqual(await admin(""), { type: "refused", code: "unauthorized", message: "Authentication required" });
});

test("a named administrator whose password is slow comes in as who it is, at the administration and at the other endpoints", async () => {
  const { authenticator, login } = await world();
  const anna = { type: "administrator", username: "anna", role: "operator" };
  assert.deepEqual(await login(basic("anna", "annas password")), anna);
  assert.deepEqual(await login(basic("anna", "another")), INVALID_LOGIN);
  const admin = (authorization: string) =>
    authenticator.authenticate("admin", { authorization, apiKey: "", origin: "", cookie: "", ipAddress: "192.0.2.9" });
  assert.deepEqual(await admin(basic("anna", "another")), INVALID_LOGIN);
  assert.deepEqual(await admin(basic("anna", "annas password")), anna);
});

const HELD = { type: "refused", code: "rate_limited", message: "Too many failed logins", retryAfterSeconds: 60 };

for (const [who, requirement, right] of [
  ["the administrator's", "basic", basic("admin", "secret")],
  ["the administrator's", "basicOrApiKey", basic("admin", "secret")],
  ["the administrator's", "admin", basic("admin", "secret")],
  ["a named administrator's", "admin", basic("anna", "annas password")],
  ["the fleet's", "basic", basic("fleet", "shared")],
  ["a partner's", "basic", basic("till", "right")],
] as const) {
  test(`after ten wrong passwords no more of ${who} are compared (${requirement}), a right one and one verified before neither`, async () => {
    const { state, authenticator } = await world();
    const login = async (authorization: string, ipAddress = "192.0.2.1") =>
      authenticator.authenticate(requirement, { authorization, apiKey: "", origin: "", cookie: "", ipAddress });
    const username = Buffer.from(right.slice(6), "base64").toString("utf8").split(":")[0] ?? "";
    assert.notEqual((await login(right, "192.0.2.2")).type, "refused");
    for (let i = 0; i < 10; i++) assert.deepEqual(await login(basic(username, `wrong${i}`)), INVALID_LOGIN);
    assert.deepEqual(await login(basic(username, "another")), HELD);
    // It was verified before, from another address: an answer would tell who guesses here that it is right.
    assert.deepEqual(await login(right), HELD);
    assert.notEqual((await login(right, "192.0.2.2")).type, "refused");
    assert.deepEqual(await login(basic(username, "wrong3")), INVALID_LOGIN, "what is known to be wrong needs no comparison");
    state.nowMs += 60_001;
    assert.notEqual((await login(right)).type, "refused");
  });
}

test("a verified login with a random password is answered while its account is held back at its address; a terminal's and a key too", async () => {
  const password = "vJ3k_9QmZx0pL7dRt2Wy5hNb";
  const { login, key } = await world({ partner: { passwordHash: await hashPassword(password) } });
  assert.equal((await login(basic("till", password))).type, "partner");
  for (let i = 0; i < 10; i++) await login(basic("till", `wrong${i}`));
  assert.deepEqual(await login(basic("till", "another")), HELD);
  assert.equal((await login(basic("till", password))).type, "partner");
  assert.equal((await key(KEY)).type, "partner");
  assert.equal((await login(basic("T1", terminalPassword("terminals", "T1")))).type, "terminal");
});

test("guesses that are under way at once do not exceed the limit", async () => {
  const { login } = await world();
  const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => login(basic("fleet", `wrong${i}`))));
  const codes = answers.map((answer) => (answer.type === "refused" ? answer.code : answer.type));
  assert.deepEqual(
    [codes.filter((code) => code === "unauthorized").length, codes.filter((code) => code === "rate_limited").length],
    [10, 50],
  );
});

test("a login that is right at another endpoint, and a header that is no login, are no guesses", async () => {
  const { authenticator } = await world();
  const admin = async (authorization: string) =>
    authenticator.authenticate("admin", { authorization, apiKey: "", origin: "", cookie: "", ipAddress: "192.0.2.1" });
  for (let i = 0; i < 40; i++) for (const header of [basic("fleet", "shared"), "", `Bearer ${i}`]) await admin(header);
  assert.equal((await admin(basic("admin", "secret"))).type, "administrator");
});

test("a stale till that repeats a wrong password is refused each time, and holds nobody back", async () => {
  const { state, login } = await world();
  for (let i = 0; i < 100; i++) {
    assert.deepEqual(await login(basic("till", "of yesterday")), INVALID_LOGIN);
    // Whatever else is changed meanwhile.
    if (i % 25 === 0) state.generation++;
  }
  assert.equal((await login(basic("till", "right"))).type, "partner");
});

test("a password that was wrong is compared again when credentials have changed", async () => {
  const { state, login } = await world();
  assert.deepEqual(await login(basic("till", "new")), INVALID_LOGIN);
  state.partner = { ...state.partner, passwordHash: await hashPassword("new") };
  state.generation++;
  assert.equal((await login(basic("till", "new"))).type, "partner");
});

test("denied terminals and terminals with an old secret hold nobody back at their address", async () => {
  const { state, login } = await world();
  for (let i = 0; i < 40; i++) {
    state.denied.add(`T${i}`);
    assert.deepEqual(await login(basic(`T${i}`, terminalPassword("terminals", `T${i}`))), INVALID_LOGIN);
    assert.deepEqual(await login(basic(`S${i}`, terminalPassword("the old secret", `S${i}`))), INVALID_LOGIN);
  }
  assert.equal((await login(basic("till", "right"))).type, "partner");
});

test("a wrong password costs one slow hash, and is held back as soon, whether or not there is an account", async (t) => {
  const { login } = await world();
  const hash = t.mock.method(crypto, "scrypt");
  syncBuiltinESMExports();
  t.after(syncBuiltinESMExports);
  for (const username of ["till", "admin", "anna", "fleet", "T1", "nobody"]) {
    for (let i = 0; i < 10; i++) {
      const before = hash.mock.callCount();
      // An address for each two names: of one address thirty are compared.
      assert.deepEqual(await login(basic(username, `wrong${i}`), `192.0.2.${username.length}`), INVALID_LOGIN);
      assert.equal(hash.mock.callCount() - before, 1, username);
      const [, , length, cost] = hash.mock.calls.at(-1)?.arguments ?? [];
      assert.deepEqual([length, cost], [32, { N: 16_384, r: 8, p: 1 }], username);
    }
    const before = hash.mock.callCount();
    const answer = await login(basic(username, "another"), `192.0.2.${username.length}`);
    assert.equal(answer.type === "refused" && answer.code, "rate_limited", username);
    assert.equal(hash.mock.callCount(), before, username);
  }
});

test("one address has a share of the queue for hashes only, and accounts at their usual addresses come first", async () => {
  const verifier = new PasswordVerifier();
  const hash = await hashPassword("right");
  const order: string[] = [];
  const verify = (address: string, isUsual: boolean) =>
    verifier.verify("right", hash, { address, isUsual }).then(
      () => order.push(address),
      (error: unknown) => order.push(`${address} ${error instanceof RelayError ? error.code : ""}`),
    );
  const flood = Array.from({ length: 20 }, () => verify("flood", false));
  await Promise.all([...flood, verify("other", false), verify("usual", true)]);
  assert.deepEqual(order.slice(0, 3), ["flood too_busy", "flood too_busy", "flood too_busy"]);
  // One of the flood was being hashed already.
  assert.deepEqual(order.slice(3, 7), ["flood", "usual", "flood", "other"]);
});
