import assert from "node:assert/strict";
import { test } from "node:test";
import { createAuthenticator } from "../../../http/auth/authenticator.ts";
import type { CredentialSource, PartnerCredential } from "../../../http/auth/credential-source.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { hashPassword } from "../../../http/auth/partner-password.ts";
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
      ...options.partner,
    } satisfies PartnerCredential as PartnerCredential,
    key: KEY,
  };
  const source: CredentialSource = {
    generation: () => state.generation,
    administratorByUsername: (username) =>
      username === "admin" ? { username, role: "owner", password: { type: "sha256", hex: sha256Hex("secret") } } : null,
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
    authenticator.authenticate("basic", { authorization, apiKey: "", origin: "", ipAddress });
  const key = (apiKey: string, origin = "") =>
    authenticator.authenticate("apiKey", { authorization: "", apiKey, origin, ipAddress: "192.0.2.1" });
  return { state, authenticator, login, key, isTerminalDenied: source.isTerminalDenied };
}

test("basic lets in the administrator, the fleet, a terminal and a partner as who they are", async () => {
  const { login, isTerminalDenied: isDenied } = await world();
  assert.deepEqual(login(basic("admin", "secret")), { type: "administrator", username: "admin", role: "owner" });
  assert.deepEqual(login(basic("fleet", "shared")), { type: "fleet", isDenied });
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
    authenticator.authenticate("optionalBasic", { authorization, apiKey: "", origin: "", ipAddress: "192.0.2.1" });
  const anonymous = { type: "anonymous" };
  assert.deepEqual(found(basic("T1", terminalPassword("terminals", "T1"))), { type: "terminal", terminalId: "T1" });
  assert.deepEqual(found(basic("fleet", "shared")), { type: "fleet", isDenied });
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

test("after ten failed passwords of one address no more are checked for a minute; other addresses are not touched", async () => {
  const { state, login } = await world();
  for (let i = 0; i < 10; i++) await login(basic("till", `wrong${i}`));
  const throttled = { type: "refused", code: "rate_limited", message: "Too many failed logins" };
  assert.deepEqual(await login(basic("till", "right")), { ...throttled, retryAfterSeconds: 60 });
  state.nowMs += 58_001;
  assert.deepEqual(await login(basic("till", "right")), { ...throttled, retryAfterSeconds: 2 });
  assert.equal((await login(basic("till", "right"), "192.0.2.2")).type, "partner");
  state.nowMs += 2_000;
  assert.deepEqual(await login(basic("till", "wrong")), INVALID_LOGIN);
});

test("more logins than can be hashed are told to come back", async () => {
  const { login } = await world();
  const answers = Promise.all(Array.from({ length: 66 }, (_, i) => login(basic("till", `wrong${i}`), `192.0.2.${i}`)));
  const busy = (await answers).filter((answer) => answer.type === "refused" && answer.code === "too_busy");
  assert.deepEqual(busy, [{ type: "refused", code: "too_busy", message: "Too many logins at once.", retryAfterSeconds: 2 }]);
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
    authenticator.authenticate("admin", { authorization, apiKey: KEY, origin: "", ipAddress: "192.0.2.1" });
  assert.deepEqual(await admin(basic("admin", "secret")), { type: "administrator", username: "admin", role: "owner" });
  assert.deepEqual(await admin(basic("fleet", "shared")), INVALID_LOGIN);
  assert.deepEqual(await admin(basic("till", "right")), INVALID_LOGIN);
  assert.deepEqual(await admin(""), { type: "refused", code: "unauthorized", message: "Authentication required" });
});

test("after ten failed administrative logins of one address none is checked for a minute; one that was verified before still works", async () => {
  const { state, authenticator } = await world();
  const admin = (authorization: string, ipAddress = "192.0.2.1") =>
    authenticator.authenticate("admin", { authorization, apiKey: "", origin: "", ipAddress });
  // What is right elsewhere, or is no login, is no guess.
  for (let i = 0; i < 20; i++) for (const header of [basic("fleet", "shared"), ""]) await admin(header);
  for (let i = 0; i < 10; i++) assert.deepEqual(await admin(basic("admin", `wrong${i}`)), INVALID_LOGIN);
  const throttled = { type: "refused", code: "rate_limited", message: "Too many failed logins", retryAfterSeconds: 60 };
  assert.deepEqual(await admin(basic("admin", "secret")), throttled);
  assert.equal((await admin(basic("admin", "secret"), "192.0.2.2")).type, "administrator");
  assert.equal((await admin(basic("admin", "secret"))).type, "administrator");
  assert.deepEqual(await admin(basic("admin", "wrong")), throttled);
  state.nowMs += 60_001;
  assert.deepEqual(await admin(basic("admin", "wrong")), INVALID_LOGIN);
});
