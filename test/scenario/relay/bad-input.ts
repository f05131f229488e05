import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { WebSocket } from "ws";
import { assertOnlyForAdministrator } from "../../support/http/answers-to.ts";
import { CREDENTIALS } from "../../support/http/http-client.ts";
import { assertMatches, member } from "../../support/http/matches.ts";
import { basic } from "../../support/node/node.ts";
import type { Relay } from "../../support/node/relay.ts";
import { webSocketUrl } from "../../support/people/stomp-terminal.ts";
import { eventually, Inbox, within } from "../../support/within.ts";
import { test } from "../layouts.ts";

/** As many as the nodes of a world can have open beside what else it needs: all 10,000 with 20,000 descriptors a process. */
const HALF_OPEN_CONNECTIONS = Math.min(10_000, descriptorLimit() - 2_000);

/** Opening them takes a second or two; on a busy machine several times that. */
const HALF_OPEN_OPENED_MS = 40_000;

const LONG = "x".repeat(65);

/** Members that spoil a payment; `error` is what the answer has to speak of. */
const BAD_PAYMENTS: {
  what: string;
  members?: object;
  body?: string;
  status?: number;
  error: RegExp;
  headers?: { [name: string]: string };
}[] = [
  { what: "no JSON", body: "amount=1050&service=PAYCC", error: /not JSON/ },
  { what: "half of a JSON", body: '{"uuid":"u', error: /not JSON/ },
  { what: "an empty body", body: "", error: /required/ },
  { what: "a list", body: "[]", error: /object/ },
  { what: "null", body: "null", error: /object/ },
  { what: "JSON nested too deep", body: `{"a":${"[".repeat(2_000)}${"]".repeat(2_000)}}`, error: /nested/ },
  { what: "a body too large", body: JSON.stringify({ filler: "x".repeat(20_000) }), status: 413, error: /./ },
  { what: "another content type", members: {}, headers: { "content-type": "text/xml" }, status: 415, error: /application\/json/ },
  { what: "no uuid", members: { uuid: undefined }, error: /uuid/ },
  { what: "a uuid that is a number", members: { uuid: 5 }, error: /uuid/ },
  { what: "a uuid with odd characters", members: { uuid: "a b/../c" }, error: /uuid/ },
  { what: "a uuid with a line break", members: { uuid: "a\r\nLocation: x" }, error: /uuid/ },
  { what: "a uuid too long", members: { uuid: LONG }, error: /uuid/ },
  { what: "a uuid that is a word of another path", members: { uuid: "status" }, error: /uuid/ },
  { what: "an empty uuid", members: { uuid: "" }, error: /uuid/ },
  { what: "no service", members: { service: undefined }, error: /service/ },
  { what: "an unknown service", members: { service: "PAYGOLD" }, error: /service.*PAYCC, PAYTAG/ },
  { what: "a service in small letters", members: { service: "paycc" }, error: /service/ },
  { what: "a service that is an object", members: { service: {} }, error: /service/ },
  { what: "no amount", members: { amount: undefined }, error: /amount/ },
  { what: "an amount of 0", members: { amount: 0 }, error: /amount/ },
  { what: "a negative amount", members: { amount: -1 }, error: /amount/ },
  { what: "a fractional amount", members: { amount: 10.5 }, error: /amount/ },
  { what: "an amount that is a text", members: { amount: "1050" }, error: /amount/ },
  { what: "an amount of 13 digits", members: { amount: 1_000_000_000_000 }, error: /amount.*999999999999/ },
  { what: "an amount beyond safe integers", members: { amount: 9_007_199_254_740_992 }, error: /amount/ },
  { what: "an amount beyond all numbers", body: '{"amount":1e999,"service":"PAYCC","uuid":"UUID"}', error: /amount/ },
  { what: "a type that contradicts the service", members: { type: "SATISPAY" }, error: /type/ },
  { what: "an unknown type", members: { type: "CASH" }, error: /type/ },
  { what: "cardType 3", members: { cardType: 3 }, error: /cardType/ },
  { what: "a cardType that is a text", members: { cardType: "1" }, error: /cardType/ },
  { what: "the id of another terminal", members: { terminalId: "OTHER" }, error: /terminalId/ },
  { what: "a terminalId that is a number", members: { terminalId: 7 }, error: /terminalId/ },
  { what: "a tag of odd length", members: { tagDF8105: "ABC" }, error: /tagDF8105/ },
  { what: "a tag that is not hex", members: { tagDF8102: "zz" }, error: /tagDF8102/ },
  { what: "a tag too long", members: { tagDF8103: "AB".repeat(256) }, error: /tagDF8103/ },
  { what: "a tag that is a number", members: { tagDF8109: 32 }, error: /tagDF8109/ },
  { what: "a token mode that there is not", members: { service: "PAYTAG", tagDF8109: "33" }, error: /tagDF8109.*30, 32 or 36/ },
  { what: "a number that would not arrive unchanged", members: { till: 1e20 }, error: /till/ },
];

const BAD_PATHS = ["a%20b", "a%2Fb", "%00", "%ff", LONG, "pay", "commands", "uuid", "status", "%E2%82%AC", "a;b"];

/** Queries of a lookup or list, each refused with 400. */
const BAD_QUERIES: { path: "transactions" | "status" | "uuid"; query: string; error: RegExp }[] = [
  { path: "transactions", query: "state=OK", error: /^state: is not a query parameter/ },
  { path: "status", query: "wait=31", error: /wait/ },
  { path: "uuid", query: "wait=31", error: /wait/ },
  { path: "uuid", query: "wait=-1", error: /wait/ },
  { path: "uuid", query: "wait=1.5", error: /wait/ },
  { path: "uuid", query: "wait=", error: /wait/ },
  { path: "uuid", query: "wait=1&wait=2", error: /wait/ },
  { path: "transactions", query: "limit=501", error: /limit/ },
  { path: "transactions", query: "limit=0", error: /limit/ },
  { path: "transactions", query: "limit=ten", error: /limit/ },
  { path: "transactions", query: "limit=0x10", error: /limit/ },
  { path: "transactions", query: "offset=-1", error: /offset/ },
  { path: "transactions", query: "type=CASH", error: /type.*ALL/ },
  { path: "transactions", query: "type=card", error: /type/ },
  { path: "transactions", query: "status=MAYBE", error: /status/ },
  { path: "transactions", query: "date=2026-02-30", error: /date/ },
  { path: "transactions", query: "date=2026-13-01", error: /date/ },
  { path: "transactions", query: "date=2025-02-29", error: /date/ },
  { path: "transactions", query: "date=01.02.2026", error: /date/ },
  { path: "transactions", query: "date=2026-1-1", error: /date/ },
  { path: "transactions", query: "date=2026-01-01&from=2026-01-01", error: /date/ },
  { path: "transactions", query: "date=2026-01-01&to=2026-01-01", error: /date/ },
  { path: "transactions", query: "from=2026-01-02&to=2026-01-01", error: /from/ },
  { path: "transactions", query: "from=2026-04-31", error: /from/ },
  { path: "transactions", query: "date=%zz", error: /date/ },
];

const ENVELOPE = { status: "error", error: /./, message: /./ };

/** Asserts that nothing of a refused request is there: no command, nothing that waits, nothing for operators. */
async function nothingStored(relay: Relay, terminalId: string, uuid: string): Promise<void> {
  const administrator = relay.administrator();
  assert.equal((await administrator.life(uuid)).status, 404);
  assertMatches((await administrator.get(`/admin/terminals/${terminalId}`)).body, {
    data: { queued: 0, awaitingResult: 0, connectionStatus: "NEVER_CONNECTED" },
  });
  assert.deepEqual(await relay.attention(terminalId), []);
}

/** A plain WebSocket and what it gets. */
async function openWebSocket(relay: Relay) {
  const socket = new WebSocket(webSocketUrl(relay.node.url));
  const messages = new Inbox<string>("a STOMP frame");
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  socket.on("message", (data) => messages.add(String(data)));
  socket.on("error", () => {});
  await within("the WebSocket", new Promise((resolve) => socket.once("open", resolve)));
  return { socket, messages, closed: within("the close", closed) };
}

export function badInput(relay: Relay): void {
  test("a bad payment is answered with what is wrong, and nothing is stored", async (context) => {
    for (const { what, members, body, status = 400, error, headers } of BAD_PAYMENTS) {
      await context.test(what, async () => {
        const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
        const payload = body?.replace("UUID", uuid) ?? { uuid, amount: 100, service: "PAYCC", ...members };
        const answer = await relay.partner().post(`/api/v1/${terminalId}/pay`, payload, headers);
        assert.equal(answer.status, status, answer.text);
        assertMatches(answer.body, { ...ENVELOPE, error });
        await nothingStored(relay, terminalId, uuid);
      });
    }
  });

  test("bytes that are no UTF-8 are refused", async () => {
    const { port } = relay.node;
    const head = `POST /api/v1/T1/pay HTTP/1.1\r\nHost: localhost\r\nAPI-Key: ${CREDENTIALS.partner["api-key"]}\r\nConnection: close\r\n`;
    const body = Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]);
    const answer = await exchange(port, Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]));
    assert.match(answer, /^HTTP\/1\.1 400(.|\n|\r)*UTF-8/);
  });

  test("an id in the path that cannot be one is refused", async () => {
    for (const id of BAD_PATHS) {
      for (const [caller, path] of [
        [relay.partner(), "pay"],
        [relay.fleet(), "receipt"],
        [relay.partner(), "scan"],
      ] as const) {
        const body = { uuid: relay.uuid(), amount: 1, service: "PAYCC", result: "OK" };
        const answer = await caller.post(`/api/v1/${id}/${path}`, body);
        assert.ok(answer.status === 400 || answer.status === 404, `${id}/${path}: ${answer.status} ${answer.text}`);
        assertMatches(answer.body, ENVELOPE);
        assert.equal((await relay.administrator().life(body.uuid)).status, 404, `${id}/${path}`);
      }
    }
  });

  test("a request that names a member twice is refused, at every level, and nothing is stored", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    for (const [path, members, name] of [
      ["pay", '"amount":100,"service":"PAYCC","amount":99900', "amount"],
      ["pay", `"uuid":"${relay.uuid()}","amount":100,"service":"PAYCC"`, "uuid"],
      ["pay", '"amount":100,"service":"PAYCC","order":{"lines":[{"price":1,"price":2}]}', "price"],
      ["scan", '"title":"a","title":"b"', "title"],
      ["print", '"text":"a","text":"b"', "text"],
      ["paybylink", '"amount":1,"amount":999', "amount"],
    ] as const) {
      const answer = await relay
        .partner()
        .post(`/api/v1/${path === "paybylink" ? path : `${terminalId}/${path}`}`, `{"uuid":"${uuid}",${members}}`);
      assertMatches(answer, { status: 400, body: { status: "error", error: `${name}: is given more than once` } }, path);
    }
    assert.equal((await relay.administrator().life(uuid)).status, 404);
  });

  test("pay without a terminal in the path wants a good one in the body", async () => {
    for (const terminalId of [undefined, null, "", "a b", LONG, "pay", 5]) {
      const uuid = relay.uuid();
      for (const path of ["/api/v1/pay", "/pay"]) {
        const answer = await relay.fleet().post(path, { uuid, amount: 1, service: "PAYCC", terminalId });
        assertMatches(answer, { status: 400, body: { ...ENVELOPE, error: /terminalId/ } });
      }
      assert.equal((await relay.administrator().life(uuid)).status, 404);
    }
  });

  test("query members that a look-up does not have are ignored and named", async () => {
    const [terminalId, partner] = [relay.terminalId(), relay.partner()];
    const answer = await partner.get(`/api/v1/${terminalId}/status?weit=1&wait=0&a%20b=2`);
    assert.deepEqual([answer.status, answer.headers["relay-ignored"]], [200, "weit, a b"]);
  });

  test("bad values of the query are refused", async () => {
    const [terminalId, partner] = [relay.terminalId(), relay.partner()];
    for (const { path, query, error } of BAD_QUERIES) {
      const answer = await partner.get(`/api/v1/${terminalId}/${path}?${query}`);
      assert.equal(answer.status, 400, `${path}?${query}: ${answer.text}`);
      assertMatches(answer.body, { ...ENVELOPE, error });
    }
  });

  test("a bad scan, print or command is refused", async () => {
    const [terminalId, uuid, administrator] = [relay.terminalId(), relay.uuid(), relay.administrator()];
    const cases: [string, unknown, RegExp][] = [
      ["scan", { uuid: "a b" }, /uuid/],
      ["scan", { uuid, terminalId: "OTHER" }, /terminalId/],
      ["scan", [], /object/],
      ["print", undefined, /required/],
      ["print", { uuid }, /text/],
      ["print", { uuid, text: "" }, /text/],
      ["print", { uuid, text: 5 }, /text/],
      ["print", { uuid, text: "x".repeat(5_000) }, /text/],
      ["print", { uuid, text: "x", type: "barcode" }, /type/],
      ["print", { uuid, text: "x", label: "only with a QR code" }, /label/],
    ];
    for (const [path, body, error] of cases) {
      const answer = await relay.partner().post(`/api/v1/${terminalId}/${path}`, body);
      assertMatches(answer, { status: 400, body: { ...ENVELOPE, error } }, `${path} ${JSON.stringify(body)?.slice(0, 80)}`);
    }
    for (const body of [{ uuid, service: "x y" }, { uuid, service: "LOGCAT", amount: 5 }, { uuid }, "{"]) {
      assertMatches(await administrator.post(`/admin/terminal/${terminalId}/command`, body), { status: 400, body: ENVELOPE });
    }
    await nothingStored(relay, terminalId, uuid);
  });

  test("a bad result or log is refused, and of results what was posted is kept for operators, and nothing else", async () => {
    const [terminalId, uuid, fleet] = [relay.terminalId(), relay.uuid(), relay.fleet()];
    const cases: [string, unknown, number][] = [
      ["receipt", "", 400],
      ["receipt", "uuid=1", 400],
      ["receipt", "[]", 400],
      ["receipt", '"OK"', 400],
      ["receipt", { uuid, result: "OK", slip: "x".repeat(70_000) }, 413],
      ["logs", "", 400],
      ["logs", "line", 400],
      ["logs", "[1]", 400],
      ["logs", { text: "x".repeat(40_000) }, 413],
    ];
    for (const [path, body, status] of cases) {
      assertMatches(
        await fleet.post(`/api/v1/${terminalId}/${path}`, body),
        { status, body: ENVELOPE },
        `${path} ${String(body).slice(0, 20)}`,
      );
    }
    assertMatches((await fleet.get(`/api/v1/${terminalId}/logs`)).body, { data: { logs: [] } });
    const kept = await relay.attention(terminalId);
    assert.deepEqual([...new Set(kept.map((item) => member(item, "kind")))], ["unreadable"]);
    assert.equal(kept.length, 5, "one of each");
    assert.equal((await relay.administrator().life(uuid)).status, 404);
  });

  test("a bad whitelist rule is refused and changes nothing", async () => {
    const [terminalId, administrator] = [relay.terminalId(), relay.administrator()];
    const before = (await administrator.get("/admin/subscription-rules")).text;
    const rules = [
      {},
      { terminalId, ruleType: "ALL" },
      { terminalId, ruleType: "ANY", ruleValue: "T1" },
      { terminalId, ruleType: "LIST", ruleValue: " , " },
      { terminalId, ruleType: "LIST", ruleValue: "a b" },
      { terminalId, ruleType: "REGEX" },
      { terminalId, ruleType: "REGEX", ruleValue: "(" },
      { terminalId, ruleType: "REGEX", ruleValue: "(a)\\1" },
      { terminalId: "a b", ruleType: "ANY" },
      { terminalId: "pay", ruleType: "ANY" },
      { terminalId, ruleType: "ANY", enabled: "yes" },
    ];
    for (const rule of rules) {
      assertMatches(await administrator.post("/admin/subscription-rules", rule), { status: 400, body: ENVELOPE }, JSON.stringify(rule));
    }
    assert.equal((await administrator.get("/admin/subscription-rules")).text, before);
  });

  test("each wrong credential is refused before anything is done", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    const credentials: { [name: string]: { [header: string]: string } } = {
      none: {},
      "an unknown key": { "api-key": "pk_live_unknown_000000000000000000000000000" },
      "a wrong password": { authorization: basic("terminal", "wrong") },
      "another terminal's id with its own password": { authorization: basic("T1", await relay.password("T2")) },
      "an unknown user": { authorization: basic("nobody", "nobody") },
      "Basic that is no base64": { authorization: "Basic !!!" },
      "Basic without a colon": { authorization: `Basic ${Buffer.from("terminal").toString("base64")}` },
      "another scheme": { authorization: "Bearer terminal" },
    };
    for (const [what, headers] of Object.entries(credentials)) {
      const caller = relay.client(headers);
      const answers = [
        await caller.pay(terminalId, { uuid }),
        await caller.poll(terminalId),
        await caller.receipt(terminalId, { uuid, result: "OK" }),
        await caller.post(`/api/v1/${terminalId}/disconnect`),
        await caller.status(terminalId),
        await caller.get("/admin/terminals"),
      ];
      for (const { status, body } of answers) {
        assert.equal(status, 401, what);
        assertMatches(body, ENVELOPE);
      }
    }
    await nothingStored(relay, terminalId, uuid);
  });

  test("administration is for the administrator alone", async () => {
    const terminalId = relay.terminalId();
    const own = relay.terminalId();
    await assertOnlyForAdministrator(relay, [
      ["POST", `/admin/terminal/${terminalId}/command`, { service: "LOGCAT" }],
      ["GET", "/admin/subscription-rules"],
      ["POST", "/admin/subscription-rules", { terminalId: own, ruleType: "ANY" }],
      ["POST", "/admin/subscription-rules/test", { authenticatedTerminalId: own, topicDestination: "/topic/terminal/x" }],
      ["GET", "/admin/terminals"],
      ["GET", `/admin/terminals/${terminalId}`],
      ["GET", `/admin/terminals/${terminalId}/credentials`],
      ["POST", `/admin/terminals/${terminalId}/deny`],
      ["POST", `/admin/terminals/${own}/allow`],
      ["GET", "/admin/attention"],
    ]);
    assertMatches((await relay.administrator().get(`/admin/terminals/${terminalId}`)).body, { data: { denied: false, queued: 0 } });
  });

  test("an administrator is no terminal", async () => {
    const [terminalId, uuid, administrator] = [relay.terminalId(), relay.uuid(), relay.administrator()];
    assert.equal((await administrator.poll(terminalId)).status, 403);
    assert.equal((await administrator.receipt(terminalId, { uuid, result: "OK" })).status, 403);
    await nothingStored(relay, terminalId, uuid);
  });

  test("unknown paths are 404 and unknown methods 405, with the same envelope", async () => {
    const fleet = relay.fleet();
    assertMatches(await fleet.get("/api/v2/x/pay"), { status: 404, body: ENVELOPE });
    assertMatches(await fleet.get("/no/such/page"), { status: 404, body: ENVELOPE });
    const wrong = await fleet.send("/api/v1/T1/pay", { method: "PUT", body: {} });
    assertMatches(wrong, { status: 405, headers: { allow: "POST" }, body: ENVELOPE });
  });

  test("a broken STOMP frame ends the session with an ERROR that says why", async () => {
    const connected = "CONNECT\naccept-version:1.2\nlogin:terminal\npasscode:terminal\n\n\0";
    const frames: [string, string, number, RegExp][] = [
      ["no STOMP at all", "GET / HTTP/1.1\r\n\r\n\0", 1002, /invalid_request/],
      ["a first frame that is not CONNECT", "SUBSCRIBE\nid:0\ndestination:/topic/terminal/T1\n\n\0", 1002, /CONNECT/],
      ["no common version", "CONNECT\naccept-version:9.9\n\n\0", 1002, /version/i],
      ["a wrong login", "CONNECT\naccept-version:1.2\nlogin:terminal\npasscode:x\n\n\0", 1008, /unauthorized/],
      ["an unknown command", `${connected}JUMP\n\n\0`, 1002, /invalid_request/],
      ["a header without a colon", `${connected}SUBSCRIBE\nid\n\n\0`, 1002, /invalid_request/],
      ["an undefined escape", `${connected}SUBSCRIBE\nid:\\t\ndestination:/topic/terminal/T1\n\n\0`, 1002, /invalid_request/],
      ["a subscription without an id", `${connected}SUBSCRIBE\ndestination:/topic/terminal/T1\n\n\0`, 1002, /id/],
      ["a destination that is no topic", `${connected}SUBSCRIBE\nid:0\ndestination:/queue/x\n\n\0`, 1002, /destination/],
      ["a terminal id that cannot be one", `${connected}SUBSCRIBE\nid:0\ndestination:/topic/terminal/a b\n\n\0`, 1002, /invalid_request/],
      [
        "a wrong content-length",
        `${connected}SEND\ndestination:/app/terminal/T1/receipt\ncontent-length:2\n\n{"uuid":1}\0`,
        1002,
        /invalid_request/,
      ],
      [
        "a content-length that is no number",
        `${connected}SEND\ndestination:/app/terminal/T1/ping\ncontent-length:x\n\n\0`,
        1002,
        /content-length/,
      ],
      ["a transaction", `${connected}BEGIN\ntransaction:t\n\n\0`, 1002, /ransaction/],
      [
        "too many headers",
        `${connected}SEND\n${Array.from({ length: 50 }, (_, n) => `h${n}:x\n`).join("")}\n\0`,
        1009,
        /payload_too_large/,
      ],
      ["a header too long", `${connected}SEND\ndestination:${"x".repeat(10_000)}\n\n\0`, 1009, /payload_too_large/],
      ["a body too large", `${connected}SEND\ndestination:/app/terminal/T1/receipt\n\n${"x".repeat(70_000)}\0`, 1009, /payload_too_large/],
    ];
    for (const [what, text, code, said] of frames) {
      const { socket, messages, closed } = await openWebSocket(relay);
      socket.send(text);
      let frame = await messages.next();
      if (frame.startsWith("CONNECTED")) frame = await messages.next();
      assert.match(frame, /^ERROR\n/, what);
      assert.match(frame, said, what);
      assert.equal(await closed, code, what);
    }
  });

  test("an ERROR for a result that cannot be read names the receipt that it asked for", async () => {
    const connected = "CONNECT\naccept-version:1.2\nlogin:terminal\npasscode:terminal\n\n\0";
    const send = "SEND\ndestination:/app/terminal/T1/receipt\nreceipt:result-1\n";
    const results: [what: string, frame: string, code: number][] = [
      ["too large", `${send}\n${"x".repeat(100_000)}\0`, 1009],
      ["longer than it says", `${send}content-length:2\n\n{"uuid":1}\0`, 1002],
      ["too large by what it says", `${send}content-length:65537\n\n`, 1009],
      ["larger than a message", `${send}\n${"x".repeat(200_000)}\0`, 1009],
    ];
    for (const [what, frame, code] of results) {
      const { socket, messages, closed } = await openWebSocket(relay);
      socket.send(connected);
      assert.match(await messages.next(), /^CONNECTED\n/, what);
      socket.send(frame);
      assert.match(await messages.next(), /^ERROR\n(?:.+\n)*receipt-id:result-1\n/, what);
      assert.equal(await closed, code, what);
    }
  });

  test("a WebSocket message of 10 MB costs its sender the connection, and nobody else anything", async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    const terminal = await relay.online(terminalId);
    const { socket, closed } = await openWebSocket(relay);
    socket.send("x".repeat(10_000_000));
    assert.ok((await closed) >= 1_000);
    await relay.partner().pay(terminalId, { uuid });
    assertMatches((await terminal.commands.next()).command, { uuid });
  });

  test("ten thousand half-open connections do not stop a pay", { timeout: 120_000 }, async () => {
    const [terminalId, uuid] = [relay.terminalId(), relay.uuid()];
    const terminal = await relay.online(terminalId);
    const clients = fork(
      new URL("../../support/node/half-open-clients.ts", import.meta.url),
      [String(relay.node.port), String(HALF_OPEN_CONNECTIONS)],
      {
        execArgv: ["--import", "tsx"],
      },
    );
    try {
      const [told] = await within("half-open connections", once(clients, "message"), HALF_OPEN_OPENED_MS);
      assert.equal(told, HALF_OPEN_CONNECTIONS);
      const paid = await relay.partner().pay(terminalId, { uuid });
      assert.equal(paid.status, 200);
      assertMatches((await terminal.commands.next()).command, { uuid });
      await terminal.result(terminalId, { uuid, result: "OK" });
      assertMatches((await relay.partner().uuid(uuid)).body, { data: { status: "OK" } });
      assert.equal((await relay.nobody().get("/health/ready")).status, 200);
    } finally {
      clients.kill("SIGKILL");
    }
    await eventually(async () => assert.equal((await relay.nobody().get("/health/ready")).status, 200));
  });
}

function descriptorLimit(): number {
  const limit = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
  return Number(limit ?? 4_096);
}

/** Writes bytes to a connection and resolves with everything that comes back. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return within(
    "the answer",
    new Promise((resolve, reject) => {
      let answer = "";
      const socket = connect({ port, host: "127.0.0.1" }, () => socket.write(bytes));
      socket.setEncoding("utf8");
      socket.on("data", (text: string) => {
        answer += text;
      });
      socket.on("error", reject);
      socket.on("close", () => resolve(answer));
    }),
  );
}
