import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "../../../engine/access/caller.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { ResultOutcome } from "../../../engine/terminals/terminals.ts";
import type { UpgradeCaller } from "../../../http/stomp/host.ts";
import { FRAME_TIMEOUT_MS, FRAMES_IN_FLIGHT_MAX, LINGER_MS, WEBSOCKET_MESSAGE_BYTES_MAX } from "../../../http/stomp/limits.ts";
import { connectedTerminal, createWorld, deferred, FakeTerminal, PASSCODE, settled, unavailable } from "./stomp-world.ts";

test("negotiates the version", () => {
  const table: [acceptVersion: string | null, version: string | null][] = [
    [null, "1.0"],
    ["1.0", "1.0"],
    ["1.1", "1.1"],
    ["1.0,1.1", "1.1"],
    ["1.2,1.1,1.0", "1.2"],
    ["1.2, 2.0", "1.2"],
    ["2.0", null],
    ["", null],
  ];
  for (const [acceptVersion, version] of table) {
    for (const command of ["CONNECT", "STOMP"]) {
      const terminal = new FakeTerminal(createWorld());
      const offer = acceptVersion === null ? {} : { "accept-version": acceptVersion };
      const [answer] = terminal.send(command, { ...offer, login: "T1", passcode: PASSCODE });
      if (version === null) {
        assert.equal(answer?.command, "ERROR");
        assert.equal(answer?.headers["version"], "1.2,1.1,1.0");
      } else {
        assert.equal(answer?.command, "CONNECTED");
        assert.equal(answer?.headers["version"], version);
        assert.equal(answer?.headers["server"], "terminal-relay");
        assert.equal(answer?.headers["session"], "s1");
      }
    }
  }
});

test("lets in whom the host knows, and no one else", () => {
  const terminalCaller: Caller = { type: "terminal", terminalId: "T1" };
  const right = { login: "T1", passcode: PASSCODE };
  const wrong = new RelayError("unauthorized", "Invalid credentials");
  type Row = [title: string, headers: Record<string, string>, upgrade: UpgradeCaller | null, anonymousAllowed: boolean, connected: boolean];
  const table: Row[] = [
    ["right login", right, null, false, true],
    ["wrong passcode", { login: "T1", passcode: "x" }, null, false, false],
    ["wrong passcode where anonymous may", { login: "T1", passcode: "x" }, null, true, false],
    ["wrong passcode on a known upgrade", { login: "T1", passcode: "x" }, terminalCaller, false, false],
    ["no login", {}, null, false, false],
    ["an empty login", { login: "", passcode: PASSCODE }, null, false, false],
    ["an empty login where anonymous may", { login: "", passcode: PASSCODE }, null, true, false],
    ["a wrong login on the upgrade", {}, wrong, false, false],
    ["a wrong login on the upgrade where anonymous may", {}, wrong, true, false],
    ["a right login after a wrong one on the upgrade", right, wrong, false, true],
    ["no login on a known upgrade", {}, terminalCaller, false, true],
    ["no login where anonymous may", {}, null, true, true],
  ];
  for (const [title, headers, caller, anonymousAllowed, connected] of table) {
    const world = createWorld({ anonymousAllowed });
    const terminal = new FakeTerminal(world, { caller });
    const [answer] = terminal.send("CONNECT", { "accept-version": "1.2", ...headers });
    assert.equal(answer?.command, connected ? "CONNECTED" : "ERROR", title);
    if (connected) continue;
    assert.equal(answer?.headers["code"], "unauthorized", title);
    world.advance(LINGER_MS);
    assert.deepEqual(terminal.closed, { code: 1008, reason: answer?.headers["message"] }, title);
    assert.equal(JSON.stringify(world.events).includes(PASSCODE), false, title);
  }
});

test("reads on after an authentication that takes time", async () => {
  const answer = deferred<Caller | null>();
  const world = createWorld({ authenticate: () => answer.promise });
  const terminal = new FakeTerminal(world);
  terminal.raw("CONNECT\naccept-version:1.2\nlogin:T1\npasscode:x\n\n\0SUBSCRIBE\nid:a\\cb\ndest");
  terminal.raw("ination:/topic/terminal/T1\nreceipt:r1\n\n\0");
  assert.equal(terminal.frames.length, 0);
  answer.resolve({ type: "terminal", terminalId: "T1" });
  await settled();
  assert.deepEqual(
    terminal.frames.map((frame) => (frame === "beat" ? frame : frame.command)),
    ["CONNECTED", "RECEIPT"],
  );
  assert.equal(world.push("T1", "u1"), true);
  assert.equal(terminal.last?.headers["subscription"], "a:b");
});

test("waits for the login of the upgrade, and says when a login that is held back may be tried again", async () => {
  const late = deferred<UpgradeCaller>();
  const terminal = new FakeTerminal(createWorld({ anonymousAllowed: true }), { caller: late.promise });
  assert.deepEqual(terminal.send("CONNECT", { "accept-version": "1.2" }), []);
  late.resolve({ type: "terminal", terminalId: "T1" });
  await settled();
  assert.equal(terminal.last?.command, "CONNECTED");

  const held = Promise.resolve(new RelayError("rate_limited", "Too many failed logins", { retryAfterSeconds: 42 }));
  const world = createWorld({ anonymousAllowed: true });
  const other = new FakeTerminal(world, { caller: held });
  other.send("CONNECT", { "accept-version": "1.2" });
  await settled();
  assert.equal(other.last?.command, "ERROR");
  assert.deepEqual([other.last?.headers["code"], other.last?.headers["retry-after"]], ["rate_limited", "42"]);
  world.advance(LINGER_MS);
  assert.equal(other.closed !== "terminated" && other.closed?.code, 1013);
});

test("a login is checked for the address of its session", () => {
  const addresses: string[] = [];
  const world = createWorld({
    authenticate: (_login, _passcode, ipAddress) => {
      addresses.push(ipAddress);
      return null;
    },
  });
  for (const ipAddress of ["192.0.2.1", "192.0.2.2"]) {
    new FakeTerminal(world, { caller: null, ipAddress }).send("CONNECT", { "accept-version": "1.2", login: "T1", passcode: "x" });
  }
  assert.deepEqual(addresses, ["192.0.2.1", "192.0.2.2"]);
});

test("refuses when authentication fails, late or not at all", async () => {
  const [refused, broken] = [deferred<Caller | null>(), deferred<Caller | null>()];
  const answers = [refused.promise, broken.promise, new Promise<null>(() => {})];
  const world = createWorld({ authenticate: () => answers.shift() ?? null });
  const terminals = [0, 1, 2].map(() => new FakeTerminal(world));
  for (const terminal of terminals) terminal.connect("T1");
  refused.resolve(null);
  broken.reject(unavailable());
  await settled();
  world.advance(10_000);
  assert.deepEqual(
    terminals.map((terminal) => terminal.last?.headers["code"]),
    ["unauthorized", "unavailable", "request_timeout"],
  );
  world.advance(LINGER_MS);
  assert.equal(world.sessions.count(), 0);
});

test("tells its socket of a login that was verified, and of no other", async () => {
  const world = createWorld();
  const [early, wrong, right] = [
    new FakeTerminal(world),
    new FakeTerminal(createWorld({ authenticate: () => null })),
    new FakeTerminal(world),
  ];
  wrong.connect("T1");
  right.connect("T1");
  const anonymous = new FakeTerminal(createWorld({ anonymousAllowed: true }));
  anonymous.send("CONNECT", { "accept-version": "1.2" });
  assert.equal(anonymous.last?.command, "CONNECTED");
  assert.deepEqual(
    [early, wrong, right, anonymous].map(({ loggedIn }) => loggedIn),
    [false, false, true, false],
  );
});

test("tells the engine who subscribed and how", () => {
  const world = createWorld();
  const upgrade = { caller: null, ipAddress: "192.0.2.7", userAgent: "Till/2", fingerprint: "f00" };
  const terminal = new FakeTerminal(world, upgrade);
  terminal.connect("T1", "1.2", { "terminal-family": "field-47", "app-version": "3.1\\n", "device-model": "x".repeat(100) });
  world.allowed.add("T1>T2").add("T1>T3").add("T1>T4");
  terminal.subscribe("T1");
  terminal.subscribe("T2", { ack: "client", redeliver: "same-uuid" });
  terminal.subscribe("T3", { ack: "client-individual" });
  terminal.subscribe("T4", { ack: "client-individual", redeliver: "same-uuid" });
  assert.deepEqual(
    [...world.opened.values()].map(({ session: { device: _, sessionId: __, ...rest } }) => rest),
    [
      { terminalId: "T1", own: true, acknowledges: false, redeliver: false },
      { terminalId: "T2", own: false, acknowledges: true, redeliver: false },
      { terminalId: "T3", own: false, acknowledges: true, redeliver: false },
      // Another terminal's commands are not given again, whatever it remembers.
      { terminalId: "T4", own: false, acknowledges: true, redeliver: false },
    ],
  );
  assert.equal(new Set(world.opened.keys()).size, 4);
  assert.deepEqual(world.opened.get("s1/0")?.session.device, {
    userAgent: "Till/2",
    ipAddress: "192.0.2.7",
    fingerprint: "f00",
    family: "field-47",
    appVersion: "3.1\\n",
    deviceModel: "x".repeat(64),
  });
});

test("only under its own login a terminal is given again what it remembers: under a shared credential whose it is, is only claimed", () => {
  const world = createWorld();
  const callers: Caller[] = [{ type: "fleet" }, { type: "anonymous" }, { type: "terminal", terminalId: "T1" }];
  for (const caller of callers) {
    const terminal = new FakeTerminal(world, { caller, ipAddress: "192.0.2.7", userAgent: "", fingerprint: "" });
    terminal.send("CONNECT", { "accept-version": "1.2", host: "relay" });
    terminal.subscribe("T1", { ack: "client-individual", redeliver: "same-uuid" });
  }
  assert.deepEqual(
    [...world.opened.values()].map(({ session: { own, acknowledges, redeliver } }) => [own, acknowledges, redeliver]),
    callers.map(({ type }) => [true, true, type === "terminal"]),
  );
});

test("takes the commands that a terminal declares, without what is no service word", () => {
  const CASES: [header: string, commands: string[]][] = [
    ["LOGCAT, RESTART", ["LOGCAT", "RESTART"]],
    ["PRINT,print,PRINT,a b,", ["PRINT"]],
    ["", []],
  ];
  for (const [header, commands] of CASES) {
    const world = createWorld();
    const terminal = new FakeTerminal(world, { caller: null, userAgent: "", fingerprint: "f00" });
    terminal.connect("T1", "1.2", { "terminal-commands": header });
    terminal.subscribe("T1");
    assert.deepEqual(world.opened.get("s1/0")?.session.device.commands, commands, header);
  }
});

test("masks card numbers in what it tells about the device, before it cuts it", () => {
  const world = createWorld();
  const terminal = new FakeTerminal(world, { caller: null, userAgent: "POS 4111 1111 1111 1111", fingerprint: "490154203237518" });
  terminal.connect("T1", "1.2", { "app-version": "490154203237518", "device-model": `${"x".repeat(50)}4111111111111111` });
  terminal.subscribe("T1");
  assert.deepEqual(world.opened.get("s1/0")?.session.device, {
    userAgent: "POS 411111******1111",
    fingerprint: "490154203237518",
    appVersion: "490154203237518",
    deviceModel: `${"x".repeat(50)}411111******11`,
  });
});

test("decides whose topic a session may take", () => {
  const table: [title: string, login: string | null, topics: string[], allowed: string[], taken: number][] = [
    ["its own", "T1", ["T1"], [], 1],
    ["another without a rule", "T1", ["T2"], [], 0],
    ["another with a rule, without its own", "T1", ["T2"], ["T1>T2"], 1],
    ["a rule does not work backwards", "T2", ["T1"], ["T1>T2"], 0],
    ["the fleet's first topic", "fleet", ["T7"], [], 1],
    ["the fleet's second topic", "fleet", ["T7", "T8"], [], 1],
    ["the fleet's second topic with a rule of the first", "fleet", ["T7", "T8"], ["T7>T8"], 2],
    ["anonymous, first topic", null, ["T7"], [], 1],
    ["anonymous, second topic", null, ["T7", "T8"], ["T8>T7"], 1],
    ["an administrator", "admin", ["T1"], [], 0],
    ["a partner", "partner", ["T1"], [], 0],
  ];
  for (const [title, login, topics, allowed, taken] of table) {
    const world = createWorld({ anonymousAllowed: true });
    for (const pair of allowed) world.allowed.add(pair);
    const terminal = new FakeTerminal(world);
    if (login === null) terminal.send("CONNECT", { "accept-version": "1.2" });
    else terminal.connect(login);
    for (const topic of topics) terminal.subscribe(topic);
    assert.equal(world.told.filter((line) => line.startsWith("open")).length, taken, title);
    if (taken === topics.length) continue;
    assert.equal(terminal.last?.headers["code"], "forbidden", title);
    assert.equal(world.opened.size, 0, `${title}: the session is closed`);
  }
});

test("refuses frames that make no sense, with the reason and the receipt, and closes", () => {
  const topic = { id: "x", destination: "/topic/terminal/T1" };
  const receipt = { destination: "/app/terminal/T1/receipt" };
  const table: [title: string, version: "1.0" | "1.1" | "1.2", command: string, headers: Record<string, string>, code: string][] = [
    ["an unknown command", "1.2", "HELLO", {}, "invalid_request"],
    ["a server's command", "1.2", "MESSAGE", {}, "invalid_request"],
    ["a second CONNECT", "1.2", "CONNECT", { "accept-version": "1.2" }, "invalid_request"],
    ["BEGIN", "1.2", "BEGIN", { transaction: "t" }, "invalid_request"],
    ["COMMIT", "1.2", "COMMIT", { transaction: "t" }, "invalid_request"],
    ["ABORT", "1.2", "ABORT", { transaction: "t" }, "invalid_request"],
    ["SEND in a transaction", "1.2", "SEND", { ...receipt, transaction: "t" }, "invalid_request"],
    ["ACK in a transaction", "1.2", "ACK", { id: "m1", transaction: "t" }, "invalid_request"],
    ["SUBSCRIBE without id", "1.2", "SUBSCRIBE", { destination: topic.destination }, "invalid_request"],
    ["SUBSCRIBE without destination", "1.2", "SUBSCRIBE", { id: "x" }, "invalid_request"],
    ["SUBSCRIBE to something else", "1.2", "SUBSCRIBE", { id: "x", destination: "/topic/all" }, "invalid_request"],
    ["SUBSCRIBE with an odd terminal", "1.2", "SUBSCRIBE", { id: "x", destination: "/topic/terminal/*" }, "invalid_request"],
    ["SUBSCRIBE with an odd ack", "1.2", "SUBSCRIBE", { ...topic, ack: "maybe" }, "invalid_request"],
    ["SUBSCRIBE to the same destination", "1.2", "SUBSCRIBE", topic, "conflict"],
    ["SUBSCRIBE with the same id", "1.2", "SUBSCRIBE", { id: "sub-T1", destination: "/topic/terminal/T3" }, "conflict"],
    ["SUBSCRIBE with a long id", "1.2", "SUBSCRIBE", { ...topic, id: "x".repeat(300) }, "invalid_request"],
    ["UNSUBSCRIBE without id", "1.2", "UNSUBSCRIBE", {}, "invalid_request"],
    ["UNSUBSCRIBE by destination in 1.1", "1.1", "UNSUBSCRIBE", { destination: topic.destination }, "invalid_request"],
    ["UNSUBSCRIBE of nothing", "1.2", "UNSUBSCRIBE", { id: "other" }, "not_found"],
    ["ACK without id", "1.2", "ACK", { "message-id": "m1", subscription: "sub-T1" }, "invalid_request"],
    ["ACK without message-id", "1.1", "ACK", { id: "m1", subscription: "sub-T1" }, "invalid_request"],
    ["ACK without subscription", "1.1", "ACK", { "message-id": "m1" }, "invalid_request"],
    ["NACK in 1.0", "1.0", "NACK", { "message-id": "m1" }, "invalid_request"],
    ["SEND without destination", "1.2", "SEND", {}, "invalid_request"],
    ["SEND to a topic", "1.2", "SEND", { destination: topic.destination }, "invalid_request"],
    ["SEND to an odd terminal", "1.2", "SEND", { destination: "/app/terminal/a b/receipt" }, "invalid_request"],
    ["SEND of another terminal's result", "1.2", "SEND", { destination: "/app/terminal/T2/receipt" }, "forbidden"],
    ["a ping of another terminal", "1.2", "SEND", { destination: "/app/terminal/T2/ping" }, "forbidden"],
  ];
  for (const [title, version, command, headers, code] of table) {
    const world = createWorld();
    world.allowed.add("T1>T3");
    const terminal = connectedTerminal(world, "T1", {}, version);
    assert.equal(terminal.closed, null, title);
    const [answer, ...others] = terminal.send(command, { ...headers, receipt: "r:1" });
    assert.deepEqual(others, [], title);
    assert.equal(answer?.command, "ERROR", title);
    assert.equal(answer?.headers["code"], code, title);
    assert.equal(answer?.headers["receipt-id"], "r:1", title);
    assert.equal(answer?.headers["content-type"], "text/plain", title);
    assert.ok((answer?.headers["message"] ?? "").length > 10, title);
    assert.ok(answer?.body.includes(answer.headers["message"] ?? "?"), title);
    assert.equal(world.opened.size, 0, title);
    assert.equal(terminal.closed, null, `${title}: the client may close first`);
    assert.deepEqual(terminal.raw("SEND\ndestination:/app/terminal/T1/receipt\n\n{}\0"), [], `${title}: nothing is read after it`);
    assert.deepEqual(world.posted, [], title);
    world.advance(LINGER_MS);
    assert.notEqual(terminal.closed, null, title);
  }
});

test("refuses broken bytes, before and after CONNECT", () => {
  for (const connect of [true, false]) {
    const world = createWorld();
    const terminal = new FakeTerminal(world);
    if (connect) terminal.connect("T1");
    const [answer] = terminal.raw("GET / HTTP/1.1\r\n\r\n");
    assert.equal(answer?.command, "ERROR");
    world.advance(LINGER_MS);
    assert.deepEqual(terminal.closed, { code: 1002, reason: answer?.headers["message"] });
  }
});

test("names the receipt of a frame that it could not read to its end", () => {
  const head = "SEND\ndestination:/app/terminal/T1/receipt\nreceipt:r\\c1\n";
  const table: [title: string, version: "1.0" | "1.2", text: string, receiptId: string | undefined][] = [
    ["a body too large", "1.2", `${head}\n${"x".repeat(70_000)}`, "r:1"],
    ["a body declared too large", "1.2", `${head}content-length:70000\n\n`, "r:1"],
    ["a content-length that is no number", "1.2", `${head}content-length:many\n\n`, "r:1"],
    ["a body that does not end where it says", "1.2", `${head}content-length:1\n\n{}\0`, "r:1"],
    ["a header that is none, after the receipt", "1.2", `${head}nothing\n\n`, "r:1"],
    ["a header that is none, before the receipt", "1.2", "SEND\nnothing\nreceipt:r1\n\n", undefined],
    ["the spaces of 1.0", "1.0", "SEND\nreceipt: r1\nnothing\n\n", "r1"],
    ["what is no frame, after one that was read", "1.2", "SEND\ndestination:/app/terminal/T1/ping\nreceipt:r1\n\n\0get\n", undefined],
  ];
  for (const [title, version, text, receiptId] of table) {
    const terminal = connectedTerminal(createWorld(), "T1", {}, version);
    const error = terminal.raw(text).at(-1);
    assert.equal(error?.command, "ERROR", title);
    assert.equal(error?.headers["receipt-id"], receiptId, title);
    assert.equal(error?.body.includes("SEND"), title !== "what is no frame, after one that was read", title);
  }
});

test("names the receipt of a frame that was begun and not ended", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1");
  terminal.raw("SEND\ndestination:/app/terminal/T1/receipt\nreceipt:r1\n\n{");
  world.advance(FRAME_TIMEOUT_MS + 500);
  assert.equal(terminal.last?.headers["code"], "request_timeout");
  assert.equal(terminal.last?.headers["receipt-id"], "r1");
});

test("reads a message of the largest size, and many frames in it", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1");
  const ping = "SEND\ndestination:/app/terminal/T1/ping\nreceipt:r\n\n\0";
  const answers = terminal.raw(ping.repeat(1_000).padEnd(WEBSOCKET_MESSAGE_BYTES_MAX, "\n"));
  assert.deepEqual([answers.length, terminal.closed], [1_000, null]);
});

test("wants CONNECT first", () => {
  const terminal = new FakeTerminal(createWorld());
  assert.equal(terminal.subscribe("T1")[0]?.command, "ERROR");
});

test("refuses a message of 10 MB without keeping it", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1");
  const start = Buffer.from("SEND\ndestination:/app/terminal/T1/receipt\n\n");
  const [answer] = terminal.raw(Buffer.concat([start, Buffer.alloc(10_000_000, "x")]));
  assert.equal(answer?.headers["code"], "payload_too_large");
  world.advance(LINGER_MS);
  assert.deepEqual(terminal.closed, { code: 1009, reason: answer?.headers["message"] });
  assert.deepEqual(world.posted, []);
});

test("posts a result and gives the receipt only when it is stored", async () => {
  for (const outcome of [{ type: "recorded" }, { type: "repeated" }, { type: "conflict" }] satisfies ResultOutcome[]) {
    const world = createWorld();
    const stored = deferred<ResultOutcome>();
    world.record = () => stored.promise;
    const terminal = connectedTerminal(world, "T1");
    const body = '{"uuid":"u1","result":"OK","note":"€"}';
    assert.deepEqual(terminal.send("SEND", { destination: "/app/terminal/T1/receipt", receipt: "r1" }, body), []);
    await settled();
    assert.equal(terminal.last?.command, "CONNECTED");
    stored.resolve(outcome);
    await settled();
    assert.deepEqual(terminal.last, { command: "RECEIPT", headers: { "receipt-id": "r1" }, body: "" });
    assert.deepEqual(world.posted, [{ caller: { type: "terminal", terminalId: "T1" }, identity: "T1", terminalId: "T1", bodyText: body }]);
  }
});

test("posts for terminals that the whitelist lets it take, and under the fleet's credential only once it is someone", () => {
  const world = createWorld();
  world.allowed.add("T1>T2");
  const manager = new FakeTerminal(world);
  manager.connect("T1");
  manager.send("SEND", { destination: "/app/terminal/T2/receipt" }, "{}");
  assert.deepEqual(world.posted.at(-1)?.terminalId, "T2");

  const fleet = new FakeTerminal(world);
  fleet.connect("fleet");
  fleet.subscribe("T5");
  fleet.send("SEND", { destination: "/app/terminal/T5/receipt" }, "{}");
  assert.deepEqual(world.posted.at(-1), { caller: { type: "fleet" }, identity: "T5", terminalId: "T5", bodyText: "{}" });

  const early = new FakeTerminal(world);
  early.connect("fleet");
  early.send("SEND", { destination: "/app/terminal/T5/receipt" }, "{}");
  assert.equal(early.last?.headers["code"], "forbidden");
  assert.equal(world.posted.length, 2);
});

test("lets nobody act for a denied terminal, under whatever credential", () => {
  const table: [login: string | null, topic: string][] = [
    ["fleet", "T9"],
    [null, "T9"],
    ["T1", "T9"],
  ];
  for (const [login, topic] of table) {
    const world = createWorld({ anonymousAllowed: true });
    world.allowed.add("T1>T9");
    world.denied.add("T9");
    const terminal = new FakeTerminal(world);
    if (login === null) terminal.send("CONNECT", { "accept-version": "1.2" });
    else terminal.connect(login);
    terminal.subscribe(topic);
    assert.equal(terminal.last?.headers["code"], "forbidden", `${login}`);
    assert.equal(world.told.length, 0, `${login}`);
  }
  // A session that is open when its terminal is denied sends nothing any more.
  const world = createWorld();
  const fleet = new FakeTerminal(world);
  fleet.connect("fleet");
  fleet.subscribe("T9");
  world.denied.add("T9");
  fleet.send("SEND", { destination: "/app/terminal/T9/receipt" }, "{}");
  assert.equal(fleet.last?.headers["code"], "forbidden");
  assert.deepEqual(world.posted, []);
});

test("answers a result that was not stored with an ERROR and closes", async () => {
  const table: [error: unknown, code: string, closeCode: number][] = [
    [new RelayError("invalid_request", "The result names no outcome"), "invalid_request", 1002],
    [unavailable(), "unavailable", 1013],
    [new Error("a bug with a secret"), "internal", 1011],
  ];
  for (const [error, code, closeCode] of table) {
    const world = createWorld();
    world.record = () => Promise.reject(error);
    const terminal = connectedTerminal(world, "T1");
    terminal.send("SEND", { destination: "/app/terminal/T1/receipt", receipt: "r1" }, "{}");
    await settled();
    assert.equal(terminal.last?.command, "ERROR");
    assert.equal(terminal.last?.headers["receipt-id"], "r1");
    assert.equal(terminal.last?.headers["code"], code);
    assert.equal(terminal.last?.body.includes("secret"), false);
    world.advance(LINGER_MS);
    assert.equal(terminal.closed === "terminated" ? null : terminal.closed?.code, closeCode);
  }
});

test("refuses a result that is not UTF-8, once it is kept", async () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1");
  terminal.raw(Buffer.from([...Buffer.from("SEND\ndestination:/app/terminal/T1/receipt\n\n"), 0xff, 0]));
  await settled();
  assert.equal(terminal.last?.headers["code"], "invalid_request");
  assert.deepEqual(world.posted, []);
  const [{ terminalId, bytes, isWhole } = {}] = world.unread;
  assert.deepEqual([terminalId, bytes, isWhole], ["T1", Uint8Array.of(0xff), true]);
});

test("of a result that is too long it is kept that it came, but not from who may not post it", async () => {
  const world = createWorld();
  const body = "x".repeat(70_000);
  connectedTerminal(world, "T1").send("SEND", { destination: "/app/terminal/T1/receipt" }, body);
  connectedTerminal(world, "T1").send("SEND", { destination: "/app/terminal/T2/receipt" }, body);
  connectedTerminal(world, "T1").send("SEND", { destination: "/app/terminal/T1/ping" }, body);
  assert.deepEqual(
    world.unread.map(({ terminalId, isWhole }) => [terminalId, isWhole]),
    [["T1", false]],
  );
});

test("does not read on while too many results are being stored", async () => {
  const world = createWorld();
  const stored: ReturnType<typeof deferred<ResultOutcome>>[] = [];
  world.record = () => {
    const one = deferred<ResultOutcome>();
    stored.push(one);
    return one.promise;
  };
  const terminal = connectedTerminal(world, "T1");
  const total = FRAMES_IN_FLIGHT_MAX + 3;
  for (let index = 0; index < total; index += 1) {
    terminal.send("SEND", { destination: "/app/terminal/T1/receipt", receipt: `r${index}` }, `{"n":${index}}`);
  }
  assert.equal(stored.length, FRAMES_IN_FLIGHT_MAX);
  for (let index = 0; index < total; index += 1) {
    stored[index]?.resolve({ type: "recorded" });
    await settled();
  }
  assert.deepEqual(
    terminal.frames.slice(1).map((frame) => (frame === "beat" ? frame : frame.headers["receipt-id"])),
    Array.from({ length: total }, (_, index) => `r${index}`),
  );
  assert.equal(terminal.closed, null);
});

test("gives the receipt of a SUBSCRIBE when commands come, and reads on meanwhile", async () => {
  const world = createWorld();
  const opening = deferred<void>();
  world.opening = opening.promise;
  const terminal = new FakeTerminal(world);
  terminal.connect("T1");
  assert.deepEqual(terminal.subscribe("T1", { receipt: "r1" }), []);
  assert.equal(terminal.send("SEND", { destination: "/app/terminal/T1/ping", receipt: "r2" })[0]?.headers["receipt-id"], "r2");
  opening.resolve();
  await settled();
  assert.equal(terminal.last?.headers["receipt-id"], "r1");
});

test("leaves no SUBSCRIBE without its receipt when it is disconnected, and gives none to a session that has ended", async () => {
  const world = createWorld();
  const openings = [deferred<void>(), deferred<void>()];
  const terminals = openings.map((opening, index) => {
    world.opening = opening.promise;
    return connectedTerminal(world, `T${index}`, { receipt: "r1" });
  });
  const [leaving, failing] = terminals;
  leaving?.send("DISCONNECT", { receipt: "r2" });
  assert.equal(leaving?.closed, null);
  failing?.send("BEGIN");
  assert.equal(failing?.last?.command, "ERROR");
  for (const { resolve } of openings) resolve();
  await settled();
  assert.deepEqual(
    leaving?.frames.slice(-2).map((frame) => (frame === "beat" ? frame : frame.headers["receipt-id"])),
    ["r1", "r2"],
  );
  world.advance(LINGER_MS);
  assert.notEqual(leaving?.closed, null);
  assert.equal(failing?.last?.command, "ERROR");
});

test("gives a receipt for each kind of frame", () => {
  const world = createWorld();
  const terminal = new FakeTerminal(world);
  assert.equal(terminal.connect("T1", "1.2", { receipt: "no" }).length, 1, "none for CONNECT");
  assert.equal(terminal.subscribe("T1", { receipt: "r1", ack: "client" })[0]?.headers["receipt-id"], "r1");
  world.push("T1", "u1");
  assert.equal(terminal.send("ACK", { id: "m1", receipt: "r2" })[0]?.headers["receipt-id"], "r2");
  assert.equal(terminal.send("NACK", { id: "m1", receipt: "r3" })[0]?.headers["receipt-id"], "r3", "settled before is no error");
  assert.equal(terminal.send("SEND", { destination: "/app/terminal/T1/ping", receipt: "r4" })[0]?.headers["receipt-id"], "r4");
  assert.equal(terminal.send("UNSUBSCRIBE", { id: "sub-T1", receipt: "r5" })[0]?.headers["receipt-id"], "r5");
  assert.equal(terminal.send("DISCONNECT", { receipt: "r6" })[0]?.headers["receipt-id"], "r6");
});

test("finishes what is being stored before it answers DISCONNECT", async () => {
  const world = createWorld();
  const stored = deferred<ResultOutcome>();
  world.record = () => stored.promise;
  const terminal = connectedTerminal(world, "T1");
  terminal.send("SEND", { destination: "/app/terminal/T1/receipt", receipt: "r1" }, "{}");
  terminal.send("DISCONNECT", { receipt: "r2" });
  assert.equal(world.opened.size, 0, "takes no more commands");
  assert.equal(terminal.closed, null);
  stored.resolve({ type: "recorded" });
  await settled();
  assert.deepEqual(
    terminal.frames.slice(1).map((frame) => (frame === "beat" ? frame : frame.headers["receipt-id"])),
    ["r1", "r2"],
  );
  world.advance(LINGER_MS);
  assert.deepEqual(terminal.closed, { code: 1000, reason: "disconnected" });
});

test("leaves it to a client that has disconnected to close the socket, and closes it a second later", () => {
  for (const clientCloses of [true, false]) {
    const world = createWorld();
    const terminal = connectedTerminal(world, "T1", { ack: "client-individual" });
    world.push("T1", "u1");
    assert.equal(terminal.send("DISCONNECT", { receipt: "r1" })[0]?.command, "RECEIPT");
    world.advance(LINGER_MS - 250);
    assert.equal(terminal.closed, null, "the client has the RECEIPT before the socket closes");
    assert.equal(world.sessions.count(), 1, "its socket is counted");
    if (clientCloses) terminal.hangUp();
    world.advance(250);
    assert.deepEqual(terminal.closed, clientCloses ? null : { code: 1000, reason: "disconnected" });
    assert.equal(world.sessions.count(), 0);
    assert.deepEqual(
      world.events.filter(({ type }) => type === "ended"),
      [{ type: "ended", sessionId: "s1", reason: "disconnected", why: "disconnected" }],
      "it ended once",
    );
  }
});

test("a session that has disconnected takes nothing in, is no presence, and keeps nobody waiting", () => {
  const world = createWorld();
  const terminal = connectedTerminal(world, "T1", {}, "1.2");
  const live = world.opened.get("s1/0")?.socket;
  const begun = "SEND\ndestination:/app/terminal/T1/receipt\nreceipt:r2\n\n{}";
  terminal.raw(`DISCONNECT\nreceipt:r1\n\n\0${begun}\0${begun}`);
  assert.equal(terminal.last?.headers["receipt-id"], "r1");
  world.told.length = 0;
  const frames = terminal.frames.length;
  for (const more of ["\0", begun, "\0", "no STOMP at all\n", "x".repeat(WEBSOCKET_MESSAGE_BYTES_MAX + 1)]) terminal.raw(more);
  terminal.pong();
  terminal.subscribe("T1");
  world.sessions.recheckWhitelist();
  assert.equal(live?.deliver("u1", "{}"), false);
  assert.equal(world.sessions.closeTerminal("T1"), 0);
  assert.deepEqual([world.posted, world.unread, world.told, terminal.frames.length, terminal.closed], [[], [], [], frames, null]);
  world.sessions.closeAll("shutting down");
  assert.deepEqual(terminal.closed, { code: 1001, reason: "shutting down" });
  assert.equal(world.sessions.count(), 0);
});
