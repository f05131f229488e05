import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentScope } from "../../../../engine/access/agent-grant.ts";
import { AGENT_SCOPES } from "../../../../engine/access/words.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { AGENT_REQUESTS_PER_SECOND } from "../../../../http/auth/agent-rate.ts";
import { attempt, idOf, portalLink } from "../../../engine/portal-links/machine-world.ts";
import { assertMatches, listOf, member } from "../../../support/http/matches.ts";
import { callDone, callRefused, connectAgent, MCP_GENERATIONS, textOf } from "../../../support/http/mcp-client.ts";
import { transaction } from "../merchant/world.ts";
import { AGENT, type AgentWorld, EVIL_TEXT, startAgentWorld, TOKEN } from "./world.ts";

const BEARER = { authorization: `Bearer ${TOKEN}` };
const ORDER = { idempotencyKey: "key-1", amountMinor: 1_050, currency: "EUR", description: "Dinner on Thursday" };

const TOOLS: readonly [name: string, scope: AgentScope, args: Record<string, unknown>][] = [
  ["create_payment_link", "links:create", ORDER],
  ["get_payment_link", "links:read", { id: idOf(1) }],
  ["list_payment_links", "links:read", {}],
  ["cancel_payment_link", "links:cancel", { id: idOf(1) }],
  ["get_transaction", "transactions:read", { uuid: "u-1" }],
  ["list_transactions", "transactions:read", {}],
  ["get_totals", "analytics:read", {}],
];

const message = (method: string, params: object = {}) => ({ jsonrpc: "2.0", id: 7, method, params });
const toolCall = (name: string, args: object = {}) => message("tools/call", { name, arguments: args });

/** What the two generations have in common, as a program without a client sends it. */
const ask = (world: AgentWorld, body: unknown, headers: { [name: string]: string } = BEARER) => world.client(headers).post("/mcp", body);

for (const { version, mode } of MCP_GENERATIONS) {
  test(`the official client of ${version} lists the tools and calls each; every answer is as its schema says`, async (t) => {
    const world = await startAgentWorld(t);
    world.said.transactions = [transaction()];
    const client = await connectAgent(world.url, TOKEN, mode);
    assert.equal(client.getNegotiatedProtocolVersion(), version);
    assert.deepEqual(client.getServerVersion()?.name, "terminal-relay");
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      TOOLS.map(([name]) => name),
    );
    for (const { name, description, inputSchema, outputSchema } of tools) {
      assert.ok(description !== undefined && description.length > 40, name);
      assert.equal(inputSchema.type, "object");
      assert.ok(outputSchema !== undefined, `${name} has no output schema`);
    }
    for (const [name, , args] of TOOLS) await callDone(client, name, args);
    assert.deepEqual(
      world.noted.map(({ tool, outcome }) => [tool, outcome]),
      TOOLS.map(([name]) => [name, "done"]),
    );
    assert.deepEqual(
      world.counted,
      TOOLS.map(([name]) => `${name} done`),
    );
    await client.close();
    assert.deepEqual(world.failures, []);
  });

  test(`of ${version}: what a tool refuses is its result, and there is no tool of another name`, async (t) => {
    const world = await startAgentWorld(t);
    const client = await connectAgent(world.url, TOKEN, mode);
    assert.match(await callRefused(client, "get_payment_link", { id: "pl_nobodys" }), /has created no such payment link/);
    assert.match(await callRefused(client, "get_totals", { from: "2026-02-30" }), /^from: is not a day of the calendar/);
    await assert.rejects(client.callTool({ name: "refund_everything", arguments: {} }), /no tool with this name/);
    assert.deepEqual(
      world.noted.map(({ tool, outcome }) => [tool, outcome]),
      [
        ["get_payment_link", "refused"],
        ["get_totals", "refused"],
        ["unknown", "refused"],
      ],
    );
    await client.close();
  });
}

/** Words of JSON Schema that a widely used model API refuses, with the way to each. */
function refusedWords(value: unknown, at: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const isWord = ["const", "anyOf", "oneOf", "allOf", "not", "$ref"].includes(name) && !at.endsWith(".properties");
    return [...(isWord ? [`${at}.${name}`] : []), ...refusedWords(inner, `${at}.${name}`)];
  });
}

test("tool schemas name choices as enumerations of strings, and inputs use no other way to say alternatives", async (t) => {
  const world = await startAgentWorld(t);
  const tools = listOf(member((await ask(world, message("tools/list"))).body, "result", "tools"));
  assert.equal(tools.length, TOOLS.length);
  for (const tool of tools) {
    assert.deepEqual(refusedWords(member(tool, "inputSchema"), String(member(tool, "name"))), []);
    assert.equal(JSON.stringify(member(tool, "outputSchema")).includes('"const"'), false);
  }
  const links = tools.find((tool) => member(tool, "name") === "list_payment_links");
  assertMatches(member(links, "inputSchema", "properties", "state"), {
    type: "string",
    enum: ["PENDING", "PAID", "CANCELLED", "EXPIRED"],
    description: /./,
  });
});

test("null for an optional argument is the same as leaving it out, and null for a required one is refused", async (t) => {
  const world = await startAgentWorld(t);
  const nulls: [name: string, args: object][] = [
    ["create_payment_link", { ...ORDER, reference: null, expiresInHours: null }],
    ["list_payment_links", { state: null, from: null, to: null, reference: null, limit: null, cursor: null }],
    [
      "list_transactions",
      { from: null, to: null, status: null, method: null, terminalId: null, amountMin: null, amountMax: null, cursor: null },
    ],
    ["get_totals", { from: null, to: null }],
  ];
  for (const [name, args] of nulls) {
    const answer = await ask(world, toolCall(name, args));
    assertMatches(answer.body, { result: { structuredContent: {} } });
    assert.equal(member(answer.body, "result", "isError"), undefined, name);
  }
  assert.deepEqual(world.asked.links, [{ limit: 20, cursor: null, state: null, reference: null, fromMs: null, beforeMs: null }]);
  // The same order without the nulls is the same request.
  assertMatches((await ask(world, toolCall("create_payment_link", ORDER))).body, { result: { structuredContent: { id: idOf(1) } } });
  assert.equal(world.asked.orders.length, 1);
  for (const name of ["idempotencyKey", "amountMinor", "currency", "description"]) {
    const answer = await ask(world, toolCall("create_payment_link", { ...ORDER, idempotencyKey: "key-2", [name]: null }));
    assertMatches(answer.body, { result: { isError: true, content: [{ text: new RegExp(`^${name}: must be`) }] } });
  }
  assert.equal(world.asked.orders.length, 1);
  for (const params of [null, { cursor: null }, { _meta: null }]) {
    const listed = await ask(world, { jsonrpc: "2.0", id: 7, method: "tools/list", params });
    assert.equal(listOf(member(listed.body, "result", "tools")).length, TOOLS.length);
  }
  assertMatches((await ask(world, message("tools/call", { name: "get_totals", arguments: null }))).body, {
    result: { structuredContent: {} },
  });
});

test("a cursor that the list of tools has not answered is an error of its params", async (t) => {
  const world = await startAgentWorld(t);
  for (const cursor of ["made-up", ""]) {
    assertMatches((await ask(world, message("tools/list", { cursor }))).body, {
      error: { code: -32_602, message: /^cursor: did not come from/ },
      id: 7,
    });
  }
});

test("the address with a slash behind it answers in the same way", async (t) => {
  const world = await startAgentWorld(t);
  const answer = await world.client(BEARER).post("/mcp/", message("tools/list"));
  assert.deepEqual(answer.body, (await ask(world, message("tools/list"))).body);
  assert.equal((await fetch(`${world.url}/mcp/`, { headers: BEARER })).status, 405);
});

test("only tools of the scopes that are held are listed, and the others refuse", async (t) => {
  const world = await startAgentWorld(t);
  for (const scope of AGENT_SCOPES) {
    world.tokens.set(TOKEN, { ...AGENT, scopes: [scope] });
    const listed = await ask(world, message("tools/list"));
    const names = listOf(member(listed.body, "result", "tools")).map((tool) => member(tool, "name"));
    assert.deepEqual(
      names,
      TOOLS.flatMap(([name, needed]) => (needed === scope ? [name] : [])),
    );
    for (const [name, needed, args] of TOOLS) {
      if (needed === scope) continue;
      const answer = await ask(world, toolCall(name, args));
      assertMatches(answer.body, { result: { isError: true, content: [{ type: "text", text: new RegExp(`lacks the scope ${needed}`) }] } });
    }
  }
  assert.deepEqual(world.asked.orders, []);
});

test("a key makes one link: the same arguments get the same answer, others are refused, and what was refused may be asked for again", async (t) => {
  const world = await startAgentWorld(t);
  let made = 0;
  world.said.create = async (order) => ({ type: "created", link: portalLink([], { id: idOf(++made), order }) });
  const create = async (args: object) => (await ask(world, toolCall("create_payment_link", args))).body;
  const first = await create(ORDER);
  assertMatches(first, { result: { structuredContent: { id: idOf(1), amountMinor: 1_050, state: "PENDING" } } });
  assert.deepEqual(await create({ ...ORDER }), first);
  const [again, other] = await Promise.all([create(ORDER), create({ ...ORDER, amountMinor: 1_051 })]);
  assert.deepEqual(again, first);
  assertMatches(other, { result: { isError: true, content: [{ text: /^idempotencyKey: was used with other arguments/ }] } });
  assert.equal(made, 1);

  // Another credential's key is another key.
  world.tokens.set("ak_merchant_other", { ...AGENT, credentialId: "ac_2" });
  const others = await ask(world, toolCall("create_payment_link", ORDER), { authorization: "Bearer ak_merchant_other" });
  assertMatches(others.body, { result: { structuredContent: { id: idOf(2) } } });

  world.said.create = async () => ({ type: "no_account" });
  assertMatches(await create({ ...ORDER, idempotencyKey: "key-2" }), { result: { isError: true } });
  world.said.create = async () => {
    throw new RelayError("invalid_request", "description: may have no control characters");
  };
  assertMatches(await create({ ...ORDER, idempotencyKey: "key-3" }), {
    result: { isError: true, content: [{ text: /^description: may/ }] },
  });
  world.said.create = async (order) => ({ type: "created", link: portalLink([], { id: idOf(++made), order }) });
  assertMatches(await create({ ...ORDER, amountMinor: 1_000, idempotencyKey: "key-2" }), {
    result: { structuredContent: { id: idOf(3) } },
  });
  assertMatches(await create({ ...ORDER, description: "Better", idempotencyKey: "key-3" }), {
    result: { structuredContent: { id: idOf(4) } },
  });
});

test("an attempt whose end is not known goes on under the same operation", async (t) => {
  const world = await startAgentWorld(t);
  world.said.fail = new RelayError("unavailable", "Not confirmed", { retryAfterSeconds: 1 });
  const failed = await ask(world, toolCall("create_payment_link", ORDER));
  assertMatches(failed.body, { result: { isError: true, content: [{ text: "Not confirmed (try again in 1 s)" }] } });
  world.said.fail = null;
  assertMatches((await ask(world, toolCall("create_payment_link", ORDER))).body, { result: { structuredContent: { id: idOf(1) } } });
  const [one, other] = world.asked.operations;
  assert.ok(one !== undefined && one === other, world.asked.operations.join());
  assert.deepEqual(
    world.noted.map(({ outcome }) => outcome),
    ["failed", "done"],
  );
});

test("a link is ordered as it is asked for, without anything of a customer", async (t) => {
  const world = await startAgentWorld(t);
  const args = { ...ORDER, reference: "R-1", expiresInHours: 2 };
  await ask(world, toolCall("create_payment_link", args));
  const nowMs = Date.parse("2026-11-25T10:30:00.000Z");
  assert.deepEqual(world.asked.orders, [
    {
      ...{ amountMinor: 1_050, currency: "EUR", description: "Dinner on Thursday", reference: "R-1", customerEmail: null },
      expiresAtMs: nowMs + 2 * 3_600_000,
    },
  ]);
  const table: [change: object, reason: RegExp][] = [
    [{ amountMinor: 0 }, /^amountMinor: must be an integer of 1/],
    [{ amountMinor: 10.5 }, /^amountMinor: must be an integer/],
    [{ currency: "eur" }, /^currency: must be an ISO 4217 code/],
    [{ description: undefined }, /^description: is required/],
    [{ idempotencyKey: undefined }, /^idempotencyKey: is required/],
    [{ idempotencyKey: "with spaces" }, /^idempotencyKey: must be 1 to 255 visible ASCII characters/],
    [{ expiresInHours: 100_000 }, /^expiresInHours: must be/],
    [{ customerEmail: "ada@example.org" }, /^customerEmail: is not expected here/],
    [{ amount: 10.5 }, /^amount: is not expected here/],
  ];
  for (const [change, reason] of table) {
    const answer = await ask(world, toolCall("create_payment_link", { ...ORDER, ...change }));
    assertMatches(answer.body, { result: { isError: true, content: [{ text: reason }] } });
  }
  assert.equal(world.asked.orders.length, 1);
});

test("a limit that refuses a link is named, with what is left of it", async (t) => {
  const world = await startAgentWorld(t);
  const limits = { currency: "EUR", perLinkMaxMinor: 5_000, perDayMinor: 20_000, totalMinor: 100_000, linksPerHour: 20 };
  const atMs = Date.parse("2026-11-25T23:00:00.000Z");
  const table = [
    ["currency", null, null, "The limit currency of this credential rejects this: its links must be in EUR."],
    [
      "perLinkMax",
      5_000,
      null,
      "The limit perLinkMax of this credential rejects this: one link may be at most 50.00 EUR (5000 in minor units).",
    ],
    [
      ...(["perDay", 1_500, atMs] as const),
      "The limit perDay of this credential rejects this: the links of one day may be at most 200.00 EUR together. 15.00 EUR (1500 in minor units) remain. More is available from 2026-11-25T23:00:00.000Z on.",
    ],
    [
      ...(["total", 0, null] as const),
      "The limit total of this credential rejects this: its links may be at most 1000.00 EUR together. 0.00 EUR (0 in minor units) remain. More is available only after some of its links end unpaid, or with a new credential.",
    ],
    [
      ...(["linksPerHour", null, atMs] as const),
      "The limit linksPerHour of this credential rejects this: it may create 20 links in an hour. More is available from 2026-11-25T23:00:00.000Z on.",
    ],
  ] as const;
  for (const [limit, roomMinor, retryAtMs, text] of table) {
    world.said.create = async () => ({ type: "refused", limit, limits, roomMinor, retryAtMs });
    const answer = await ask(world, toolCall("create_payment_link", { ...ORDER, idempotencyKey: limit }));
    assertMatches(answer.body, { result: { isError: true, content: [{ text }] } });
  }
});

test("what people wrote stands in structured members alone, cut; nothing of the customer stands anywhere", async (t) => {
  const world = await startAgentWorld(t);
  const paid = attempt(1, "paid", {
    paid: { atMs: 1, amountMinor: 1_234, currency: "EUR", cardLast4: "1111" },
    resultDescription: EVIL_TEXT,
  });
  const order = { ...portalLink().order, description: EVIL_TEXT, reference: `${EVIL_TEXT}${"!".repeat(300)}` };
  world.said.link = portalLink([paid], { state: "PAID", paidAtMs: 1, order });
  const evil = {
    message: `${EVIL_TEXT}${"!".repeat(300)}`,
    card: { brand: EVIL_TEXT, maskedPan: "411111******1111" },
    currency: EVIL_TEXT,
  };
  world.said.transactions = [transaction({ ...evil, receipt: { text: EVIL_TEXT }, satispay: { store: EVIL_TEXT } })];
  world.said.day = { sums: [{ currency: EVIL_TEXT, volumeMinor: 1, approved: 1, declined: 0 }], hours: [], byMethod: [], byTerminal: [] };
  for (const { mode } of MCP_GENERATIONS) {
    const client = await connectAgent(world.url, TOKEN, mode);
    for (const [name, , args] of TOOLS) {
      const result = await client.callTool({ name, arguments: args });
      assert.notEqual(result.isError, true, textOf(result));
      assert.ok(!textOf(result).includes(EVIL_TEXT), `${name}: ${textOf(result)}`);
      const structured = JSON.stringify(result.structuredContent);
      assert.ok(structured.includes(EVIL_TEXT), `${name}: ${structured}`);
      assert.ok(!structured.includes("!".repeat(256)), `${name} has not cut a text`);
      for (const secret of ["ada@example.org", "411111", "https://pay.example"])
        assert.ok(!structured.includes(secret), `${name} says ${secret}`);
    }
    await client.close();
  }
});

test("sums of 400 days are given, also of those that have an hour more by the clocks, and of no day more", async (t) => {
  const world = await startAgentWorld(t);
  // The first day is one of summer time, and the last one not.
  const totals = await ask(world, toolCall("get_totals", { from: "2025-10-05", to: "2026-11-08" }));
  assertMatches(totals.body, { result: { structuredContent: { from: "2025-10-05", to: "2026-11-08" } } });
  assert.deepEqual(world.asked.sums, [{ fromMs: Date.parse("2025-10-04T22:00:00.000Z"), untilMs: Date.parse("2026-11-08T23:00:00.000Z") }]);
  // The other way round the clocks have an hour less.
  for (const range of [
    { from: "2025-10-04", to: "2026-11-08" },
    { from: "2025-03-01", to: "2026-04-05" },
  ]) {
    assertMatches((await ask(world, toolCall("get_totals", range))).body, {
      result: { isError: true, content: [{ text: /^from: the range may have at most 400 days/ }] },
    });
  }
});

test("lists are asked for as their arguments say, of the credential's merchant and of nobody else", async (t) => {
  const world = await startAgentWorld(t);
  world.said.transactions = [transaction()];
  world.said.next = { createdAtMs: 5, uuid: "u-1", terminalId: "T1" };
  const links = { state: "PAID", from: "2026-11-24", to: "2026-11-25", reference: "R-7", limit: 5, cursor: "more" };
  const listed = await ask(world, toolCall("list_payment_links", links));
  assertMatches(listed.body, { result: { structuredContent: { items: [{ id: idOf(1) }], next: "more" } } });
  const fromMs = Date.parse("2026-11-23T23:00:00.000Z");
  const untilMs = Date.parse("2026-11-25T23:00:00.000Z");
  assert.deepEqual(world.asked.links, [{ limit: 5, cursor: "more", state: "PAID", reference: "R-7", fromMs, beforeMs: untilMs }]);

  const filter = {
    from: "2026-11-24",
    to: "2026-11-25",
    status: "OK",
    method: "CARD",
    terminalId: "T1",
    amountMin: 5,
    amountMax: 9,
    limit: 5,
  };
  const page = await ask(world, toolCall("list_transactions", filter));
  const cursor = member(page.body, "result", "structuredContent", "next");
  await ask(world, toolCall("list_transactions", { cursor }));
  const { from: _from, to: _to, limit: _limit, ...rest } = filter;
  assert.deepEqual(world.asked.pages, [
    { merchantId: AGENT.merchantId, filter: { ...rest, fromMs, untilMs }, after: null, limit: 5 },
    { merchantId: AGENT.merchantId, filter: {}, after: world.said.next, limit: 20 },
  ]);

  await ask(world, toolCall("get_totals", { from: "2026-11-24", to: "2026-11-25" }));
  await ask(world, toolCall("get_totals"));
  assert.deepEqual(world.asked.sums, [
    { fromMs, untilMs },
    { fromMs: Date.parse("2026-11-24T23:00:00.000Z"), untilMs },
  ]);
  const refusals: [name: string, args: object, reason: RegExp][] = [
    ["list_transactions", { cursor: "made-up" }, /^cursor: did not come from/],
    ["list_transactions", { amountMin: 2, amountMax: 1 }, /^amountMin: is more than amountMax/],
    ["list_transactions", { limit: 101 }, /^limit: must be/],
    ["list_transactions", { from: "2026-11-25", to: "2026-11-24" }, /^from: is after to/],
    ["get_totals", { from: "2026-11-25", to: "2026-11-24" }, /^from: is after to/],
    ["get_totals", { from: "2024-01-01", to: "2026-11-24" }, /^from: the range may have at most 400 days/],
    ["get_transaction", { uuid: "nobodys" }, /^There is no such transaction/],
    ["get_transaction", { uuid: "../x" }, /^uuid: is not the uuid/],
    ["cancel_payment_link", { id: "pl_nobodys" }, /created no such payment link/],
  ];
  for (const [name, args, reason] of refusals) {
    assertMatches((await ask(world, toolCall(name, args))).body, { result: { isError: true, content: [{ text: reason }] } });
  }
});

test("a link that can be cancelled no more is not, and a repetition of the call is the same operation", async (t) => {
  const world = await startAgentWorld(t);
  const cancel = () => ask(world, toolCall("cancel_payment_link", { id: idOf(1) }));
  assertMatches((await cancel()).body, { result: { structuredContent: { id: idOf(1) } } });
  await cancel();
  const [one, other] = world.asked.operations;
  assert.ok(one !== undefined && one === other);
  world.said.cancel = "not_pending";
  world.said.link = portalLink([], { state: "EXPIRED" });
  assertMatches((await cancel()).body, {
    result: { isError: true, content: [{ text: "The link is EXPIRED and cannot be cancelled" }] },
  });
  // By a person of its merchant: what is wanted is so already.
  world.said.link = portalLink([], { state: "CANCELLED" });
  assertMatches((await cancel()).body, { result: { structuredContent: { state: "CANCELLED" } } });
});

test("an error that nobody expects says nothing of itself, and is for the log", async (t) => {
  const world = await startAgentWorld(t);
  world.said.fail = new Error("a secret detail");
  for (const [name, , args] of TOOLS) {
    const answer = await ask(world, toolCall(name, args));
    assertMatches(answer, {
      status: 500,
      body: { jsonrpc: "2.0", error: { code: -32_603, message: "Internal error", data: { code: "internal" } } },
    });
    assert.ok(!answer.text.includes("secret detail"));
  }
  assert.equal(world.failures.length, TOOLS.length);
  assert.ok(world.noted.every(({ outcome }) => outcome === "failed"));
});

test("calls are noted with a digest of their arguments, whatever their order, and not with them", async (t) => {
  const world = await startAgentWorld(t);
  await ask(world, toolCall("list_payment_links", { state: "PAID", reference: "of nobody" }));
  await ask(world, toolCall("list_payment_links", { reference: "of nobody", state: "PAID" }));
  await ask(world, toolCall("list_payment_links", { reference: "of somebody", state: "PAID" }));
  const digests = world.noted.map(({ argumentsDigest }) => argumentsDigest);
  assert.ok(digests.every((digest) => /^[0-9a-f]{64}$/.test(digest)));
  assert.equal(digests[0], digests[1]);
  assert.notEqual(digests[0], digests[2]);
});

test("the endpoint is closed to all but tokens of agents, and to pages of other origins", async (t) => {
  const world = await startAgentWorld(t);
  world.tokens.set("ak_merchant_revoked", "revoked");
  world.tokens.set("ak_merchant_expired", "expired");
  world.tokens.set("ak_merchant_inactive", "inactive");
  world.tokens.set("ak_merchant_elsewhere", "address");
  const table: [headers: { [name: string]: string }, status: number, message: RegExp][] = [
    [{}, 401, /^The token of an AI agent's credential is required/],
    [{ authorization: "Bearer ak_merchant_wrong" }, 401, /^Invalid token$/],
    [{ authorization: "Bearer sk_merchant_1" }, 401, /^Invalid token$/],
    [{ authorization: `Basic ${Buffer.from(`${TOKEN}:`).toString("base64")}` }, 401, /^Invalid token$/],
    [{ authorization: `Bearer ak_merchant_${"a".repeat(300)}` }, 401, /^Invalid token$/],
    [{ authorization: "Bearer ak_merchant_revoked" }, 401, /was revoked/],
    [{ authorization: "Bearer ak_merchant_expired" }, 401, /has expired/],
    [{ authorization: "Bearer ak_merchant_inactive" }, 401, /^Invalid token$/],
    [{ authorization: "Bearer ak_merchant_elsewhere" }, 403, /may not be used from this address/],
    [{ ...BEARER, origin: "https://evil.example" }, 403, /Pages of other origins/],
    [{ ...BEARER, origin: "null" }, 403, /Pages of other origins/],
    [{ ...BEARER, "sec-fetch-site": "cross-site" }, 403, /Pages of other origins/],
  ];
  for (const [headers, status, text] of table) {
    const answer = await ask(world, message("tools/list"), headers);
    assertMatches(answer, { status, body: { jsonrpc: "2.0", error: { message: text }, id: null } });
    assert.equal(answer.headers["www-authenticate"], status === 401 ? 'Bearer realm="relay"' : undefined);
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
  }
  assert.equal((await ask(world, message("tools/list"), { ...BEARER, origin: world.url })).status, 200);
});

test("GET and DELETE are answered 405, as by a server without sessions; what is no message is refused, and there is no stream", async (t) => {
  const world = await startAgentWorld(t);
  for (const method of ["GET", "DELETE"] as const) {
    const answer = await world.client(BEARER).send("/mcp", { method, headers: { accept: "text/event-stream" } });
    assert.deepEqual([answer.status, answer.headers.allow], [405, "POST"]);
    assertMatches(answer.body, { jsonrpc: "2.0", error: { code: -32_000 } });
  }
  const table: [body: unknown, status: number, code: number][] = [
    ["{", 400, -32_600],
    [[message("tools/list")], 400, -32_600],
    [{ hello: 1 }, 400, -32_600],
    [message("subscriptions/listen"), 404, -32_601],
    [message("resources/list"), 200, -32_601],
  ];
  for (const [body, status, code] of table) {
    const answer = await ask(world, body);
    assertMatches(answer, { status, body: { jsonrpc: "2.0", error: { code } } });
    assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
  }
  // The package quotes a version that it does not know.
  const quoted = await ask(world, message("tools/list"), { ...BEARER, "mcp-protocol-version": "card 4111 1111 1111 1111" });
  assertMatches(quoted, { status: 400, body: { error: { message: /names protocol revision card 411111/ } } });
  assert.ok(!quoted.text.includes("4111 1111 1111"), quoted.text);
  const notified = await ask(world, { jsonrpc: "2.0", method: "notifications/initialized" });
  assert.deepEqual([notified.status, notified.text], [202, ""]);
  assert.equal((await ask(world, "x=1", { ...BEARER, "content-type": "application/x-www-form-urlencoded" })).status, 415);
  assert.equal((await ask(world, { ...message("tools/list"), more: "x".repeat(70_000) })).status, 413);
  assert.deepEqual(world.failures, []);
});

test("a credential may ask ten times in a second, and one that asks more often takes nothing from the others", async (t) => {
  const world = await startAgentWorld(t, { limited: true });
  world.tokens.set("ak_merchant_other", { ...AGENT, credentialId: "ac_2" });
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask(world, message("tools/list"))));
  const limited = answers.filter(({ status }) => status === 429);
  assert.equal(answers.filter(({ status }) => status === 200).length, AGENT_REQUESTS_PER_SECOND);
  assert.equal(limited.length, 40 - AGENT_REQUESTS_PER_SECOND);
  for (const { body, headers } of limited) {
    assertMatches(body, {
      error: { message: /^This credential may send 10 requests a second/, data: { code: "rate_limited", retryAfterSeconds: 1 } },
    });
    assert.equal(headers["retry-after"], "1");
  }
  assert.equal((await ask(world, message("tools/list"), { authorization: "Bearer ak_merchant_other" })).status, 200);
});
