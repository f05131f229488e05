import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AdministratorRole } from "../../../engine/access/administrator-role.ts";
import { createAdministerMails } from "../../../engine/mails/administer-mails.ts";
import type { Mail } from "../../../engine/mails/mail.ts";
import { ended } from "../../../engine/mails/mail-record.ts";
import { createMailStore, mailOperations } from "../../../engine/mails/mail-store.ts";
import type { AuditEntry } from "../../../engine/operators/audit-entry.ts";
import { createAuthenticator } from "../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { audited } from "../../../http/endpoint/audited.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { mailEndpoints } from "../../../http/surfaces/admin/mails.ts";
import { relayEnvelope } from "../../../http/surfaces/parts/relay-envelope.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { BOX, HOUR_MS, mail } from "../../engine/mails/mail-world.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { monotonicMs, startWorld } from "../server/world.ts";

const AT_MS = Date.UTC(2026, 0, 1, 10);

async function open(t: TestContext, mails: readonly Mail[], { sends = false } = {}) {
  const kv = new MemoryKv();
  const store = createMailStore(kv);
  for (const [index, one] of mails.entries()) {
    const atMs = AT_MS + index * 1_000;
    await kv.commit({ checks: [], operations: mailOperations(one, { box: BOX, atMs, expiresAtMs: atMs + 72 * HOUR_MS }) });
  }
  const entries: AuditEntry[] = [];
  const log = {
    record: async (entry: AuditEntry) => String(entries.push(entry)),
    settle: async (id: string, entry: AuditEntry, outcome: AuditEntry["outcome"]) => {
      entries[Number(id) - 1] = { ...entry, outcome };
    },
    page: async () => [],
    pageOfMerchant: async () => [],
  };
  const roles: ReadonlyMap<string, AdministratorRole> = new Map([
    ["owner", "owner"],
    ["operator", "operator"],
    ["reader", "read-only"],
  ]);
  const authenticator = createAuthenticator(
    {
      generation: () => 1,
      machineByName: () => null,
      administratorByUsername: (username) => {
        const role = roles.get(username);
        return role === undefined ? null : { username, role, password: { type: "sha256", hex: sha256Hex("secret") } };
      },
      fleet: () => null,
      terminalSecret: () => null,
      isTerminalDenied: () => false,
      managedBy: () => null,
      partnerByUsername: () => null,
      partnerByKeySha256: () => null,
      isOriginListed: () => false,
    },
    monotonicMs,
  );
  const { url } = await startWorld(t, {
    endpoints: audited(bind(mailEndpoints, { administerMails: createAdministerMails({ store, box: BOX, sends }) }), log, {
      nowMs: () => AT_MS,
      monotonicMs,
    }),
    authenticator,
    envelope: relayEnvelope,
  });
  const call = async (path: string, username: string | null = "owner") => {
    const authorization = `Basic ${Buffer.from(`${username}:secret`).toString("base64")}`;
    const response = await fetch(`${url}/admin/${path}`, { headers: username === null ? {} : { authorization } });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const json = async (path: string, username?: string) => {
    const { status, text } = await call(path, username);
    return { status, text, body: JSON.parse(text) };
  };
  return { call, json, entries, store };
}

test("an operator lists mails, newest first, without what is in them", async (t) => {
  const { json } = await open(t, [mail("m1"), mail("m2", { kind: "password-reset", merchantId: null })]);
  const { status, body, text } = await json("mails", "operator");
  assert.equal(status, 200);
  assert.deepEqual(body.data, [
    {
      id: "m2",
      kind: "password-reset",
      to: "ada@shop.example",
      merchantId: null,
      state: "QUEUED",
      attempts: 0,
      createdAt: "2026-01-01T10:00:01.000Z",
      expiresAt: "2026-01-04T10:00:01.000Z",
      endedAt: null,
    },
    {
      id: "m1",
      kind: "invitation",
      to: "ada@shop.example",
      merchantId: "SHOP-001",
      state: "QUEUED",
      attempts: 0,
      createdAt: "2026-01-01T10:00:00.000Z",
      expiresAt: "2026-01-04T10:00:00.000Z",
      endedAt: null,
    },
  ]);
  assert.doesNotMatch(text, /sealed|token-of-ada|invited/);
});

test("mails are listed page by page", async (t) => {
  const { json } = await open(
    t,
    Array.from({ length: 5 }, (_, index) => mail(`m${index}`)),
  );
  const seen: string[] = [];
  for (let after = ""; ; ) {
    const { body } = await json(`mails?limit=2${after}`);
    const page: { id: string }[] = body.data;
    seen.push(...page.map(({ id }) => id));
    if (page.length < 2) break;
    after = `&after=${seen.at(-1)}`;
  }
  assert.deepEqual(seen, ["m4", "m3", "m2", "m1", "m0"]);
  assertMatches(await json("mails?after=gone"), { status: 400, body: { status: "error", error: /begin again/ } });
  assertMatches(await json("mails?limit=0"), { status: 400 });
});

test("an owner reads a mail, which is written to the audit log, and its text is nowhere else", async (t) => {
  const { json, entries, store } = await open(t, [mail("m1")]);
  assertMatches(await json("mails/m1"), { status: 200, body: { data: { id: "m1", subject: "You are invited", text: mail("m1").text } } });
  assertMatches(entries, [
    { action: "mail.read", subject: "m1", username: "owner", role: "owner", members: [], outcome: { type: "done" } },
  ]);
  assert.doesNotMatch(JSON.stringify(entries), /token-of-ada|ada@/);
  const stored = await store.load("m1");
  assert.ok(stored !== null);
  await store.replace(stored, ended(stored.record, "SENT", AT_MS + 5_000));
  assertMatches(await json("mails/m1"), {
    status: 200,
    body: { data: { state: "SENT", subject: null, text: null, endedAt: "2026-01-01T10:00:05.000Z" } },
  });
  assertMatches(await json("mails/nothing"), { status: 404, body: { status: "error" } });
  assertMatches(entries[2], { outcome: { type: "refused", code: "not_found" } });
});

test("where mails are sent nobody reads what is in them", async (t) => {
  const { json, call } = await open(t, [mail("m1")], { sends: true });
  assertMatches(await json("mails/m1"), { status: 200, body: { data: { id: "m1", subject: null, text: null } } });
  const page = await call("outbox");
  assert.equal(page.status, 200);
  assert.match(page.text, /sent by the configured server/);
  assert.doesNotMatch(page.text, /token-of-ada/);
});

test("only an owner reads texts, only operators see the list, and nobody without a login", async (t) => {
  const { call, entries } = await open(t, [mail("m1")]);
  for (const [path, reader, operator] of [
    ["mails", 403, 200],
    ["mails/m1", 403, 403],
    ["outbox", 403, 403],
  ] as const) {
    assert.equal((await call(path, "reader")).status, reader, path);
    assert.equal((await call(path, "operator")).status, operator, path);
    const stranger = await call(path, null);
    assert.equal(stranger.status, 401, path);
    assert.match(stranger.headers.get("www-authenticate") ?? "", /^Basic /, "so that a browser asks for the login");
  }
  assert.deepEqual(entries, []);
});

test("the page shows texts as texts, with links that can be followed and no script", async (t) => {
  const text = `Ciao <b>Ada</b> & "Eve",\nopen https://relay.example/portal/invitation/tok?a=1&b=2. Or <script>alert(1)</script> https://evil.example/"onmouseover="x`;
  const { call, entries } = await open(t, [mail("m1", { subject: "<img src=x>", text })]);
  const { status, text: html, headers } = await call("outbox");
  assert.equal(status, 200);
  assert.match(headers.get("content-type") ?? "", /^text\/html/);
  assert.match(
    headers.get("content-security-policy") ?? "",
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.match(html, /<h2>&lt;img src=x&gt;<\/h2>/);
  assert.match(
    html,
    /Ciao &lt;b&gt;Ada&lt;\/b&gt; &amp; &quot;Eve&quot;,\nopen <a href="https:\/\/relay\.example\/portal\/invitation\/tok\?a=1&amp;b=2" rel="noreferrer">/,
  );
  assert.match(html, /<a href="https:\/\/evil\.example\/" rel="noreferrer">https:\/\/evil\.example\/<\/a>&quot;onmouseover=&quot;x/);
  assert.doesNotMatch(html, /<script|<img|<b>|onmouseover="/);
  assertMatches(entries, [{ action: "mail.read", subject: "outbox", outcome: { type: "done" } }]);
});

test("the page shows the newest hundred, and says where there are none", async (t) => {
  const empty = await open(t, []);
  assert.match((await empty.call("outbox")).text, /There are no mails/);
  const many = await open(
    t,
    Array.from({ length: 130 }, (_, index) => mail(`m${index}`)),
  );
  const { text } = await many.call("outbox");
  assert.equal(text.match(/<article /g)?.length, 100);
  assert.match(text, /id="m129"/);
  assert.doesNotMatch(text, /id="m29"/);
});
