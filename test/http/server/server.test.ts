import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { request } from "undici";
import { type Admission, createRateLimitMemory, openRateLimit, type RateLimitBucket } from "../../../http/auth/rate-limiter.ts";
import { createServer } from "../../../http/server/server.ts";
import { loadUws } from "../../../http/server/uws.ts";
import { HTTP_LIBRARY } from "../../support/http/http-library.ts";
import { rawClient } from "./raw-client.ts";
import { ADMIN, envelope, exampleAuthenticator, monotonicMs, startWorld } from "./world.ts";

const KEY = { "api-key": "key", "content-type": "application/json" };

function post(url: string, body: string | Buffer, headers: Record<string, string> = KEY) {
  return request(url, { method: "POST", body, headers });
}

/** An error answer has to be in the envelope; gives its text. */
async function errorText(response: { body: { json(): Promise<unknown> } }): Promise<string> {
  const body = await response.body.json();
  assert.ok(typeof body === "object" && body !== null && "error" in body && "message" in body && "status" in body);
  assert.equal(body.status, "error");
  assert.equal(body.error, body.message);
  return String(body.error);
}

test("a request goes through: authenticated, validated, echoed, with its headers", async (t) => {
  const { url } = await startWorld(t);
  const response = await post(`${url}/api/v1/T%201/order`, '{"amount": 5, "kind":"CARD"}');
  assert.equal(response.statusCode, 200);
  assert.equal(await response.body.text(), '{"id":"T 1","by":"partner","received":{"amount": 5, "kind":"CARD"}}');
  assert.equal(response.headers["content-type"], "application/json");
  assert.equal(response.headers["location"], "/api/v1/T%201");
  assert.equal(response.headers["ratelimit-limit"], "5");
  assert.equal(response.headers["ratelimit-remaining"], "4");
  assert.equal(response.headers["ratelimit-reset"], "1");
  assert.match(String(response.headers["x-request-id"]), /^[A-Za-z0-9._-]{1,64}$/);
});

test("a response says for how long its connection can be used again, unless it is the last one", async (t) => {
  const { port } = await startWorld(t);
  const client = await rawClient(t, port);
  const get = "GET /api/v1/T1/list HTTP/1.1\r\nHost: a\r\n\r\n";
  client.write(get);
  assert.match(await client.until("\r\n\r\n"), /\r\nKeep-Alive: timeout=5\r\n/);
  client.forget();
  client.write("GET /api/v1/T1/list HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  const last = await client.closed();
  assert.match(last, /\r\nConnection: close\r\n/);
  assert.doesNotMatch(last, /Keep-Alive/);
});

test("a body with a Content-Encoding is refused with 415, and identity is none", async (t) => {
  const { url } = await startWorld(t);
  const packed = gzipSync('{"amount": 5, "kind":"CARD"}');
  for (const coding of ["gzip", "GZIP", "br", "identity, gzip"]) {
    const response = await post(`${url}/api/v1/T1/order`, packed, { ...KEY, "content-encoding": coding });
    assert.equal(response.statusCode, 415, coding);
    assert.equal(await errorText(response), "body: has to be sent without a Content-Encoding");
  }
  const plain = await post(`${url}/api/v1/T1/order`, '{"amount": 5, "kind":"CARD"}', { ...KEY, "content-encoding": "identity" });
  assert.equal(plain.statusCode, 200);
});

test("a word in a path wins over a parameter, whatever was declared first", async (t) => {
  const { url } = await startWorld(t);
  assert.equal((await request(`${url}/api/v1/T1/get`)).statusCode, 204);
  const version = await request(`${url}/api/v1/app/get`);
  assert.deepEqual([version.statusCode, await version.body.json()], [200, { text: "app" }]);
  // Where the word leads nowhere, the parameter has it.
  assert.equal((await request(`${url}/api/v1/app/list`)).statusCode, 200);
});

test("a 204 has no body and no content-length", async (t) => {
  const { url } = await startWorld(t);
  const response = await request(`${url}/api/v1/T1/get`);
  assert.equal(response.headers["content-length"], undefined);
  assert.equal(await response.body.text(), "");
});

test("an unknown path is 404, another method 405 with Allow, both in the envelope", async (t) => {
  const { url } = await startWorld(t);
  const missing = await request(`${url}/nowhere`);
  assert.deepEqual([missing.statusCode, await errorText(missing)], [404, "There is nothing at this path."]);
  const wrong = await request(`${url}/api/v1/T1/get`, { method: "POST", body: "{}" });
  assert.deepEqual([wrong.statusCode, wrong.headers["allow"], await errorText(wrong)], [405, "GET, HEAD", "This path takes GET, HEAD."]);
  assert.ok(wrong.headers["x-request-id"]);
  const odd = await request(`${url}/orders`, { method: "OPTIONS" });
  assert.deepEqual([odd.statusCode, odd.headers["allow"]], [405, "POST"]);
});

test("HEAD answers a GET without its body", async (t) => {
  const { url } = await startWorld(t);
  const response = await request(`${url}/api/v1/app/get`, { method: "HEAD" });
  assert.deepEqual([response.statusCode, response.headers["content-length"]], [200, "14"]);
});

test("the paths of terminals and partners are served under the prefix too, others are not", async (t) => {
  const { url } = await startWorld(t, { servicePrefix: "relay" });
  assert.equal((await request(`${url}/relay/api/v1/T1/get`)).statusCode, 204);
  assert.equal((await request(`${url}/relay/uuid/1`)).statusCode, 204);
  assert.equal((await request(`${url}/api/v1/T1/get`)).statusCode, 204);
  assert.equal((await request(`${url}/relay/orders`, { method: "POST" })).statusCode, 404);
  assert.equal((await request(`${url}/relay/relay/uuid/1`)).statusCode, 404);
});

test("a deprecated endpoint says so and names its successor", async (t) => {
  const { url } = await startWorld(t);
  const { headers } = await request(`${url}/uuid/abc`);
  assert.equal(headers["deprecation"], "@1759536000");
  assert.equal(headers["link"], '</api/v1/abc/get>; rel="successor-version"');
});

test("a body that is not right is refused with the member and the reason", async (t) => {
  const { url } = await startWorld(t, { rateLimit: () => ({ perSecond: 5, take: () => 1 }) });
  const cases: [string | Buffer, string][] = [
    ["", "body: is required"],
    ["{", "body: is not JSON"],
    ["\u{feff}{}", "amount: is required"],
    ["\u{feff}\u{feff}{}", "body: is not JSON"],
    ["[]", "body: must be an object"],
    ["null", "body: must be an object"],
    ['"text"', "body: must be an object"],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "body: is not UTF-8"],
    [`{"amount":1,"x":${"[".repeat(40)}${"]".repeat(40)}}`, "body: is nested deeper than 32 levels"],
    ["{}", "amount: is required"],
    ['{"amount":"5"}', "amount: must be an integer of 1 or more"],
    ['{"amount":0}', "amount: must be an integer of 1 or more"],
    ['{"amount":-5}', "amount: must be an integer of 1 or more"],
    ['{"amount":1.5}', "amount: must be an integer of 1 or more"],
    ['{"amount":9007199254740993}', "amount: must be an integer of 1 or more"],
    ['{"amount":5,"kind":"GOLD"}', "kind: must be one of CARD, VOUCHER"],
    ['{"amount":5,"code":"4111x"}', "code: must be digits"],
    ['{"amount":5,"lines":[{"text":"a"},{"text":""}]}', "lines.1.text: must be a string that is not empty"],
    ['{"amount":5,"lines":[{},{},{},{}]}', "lines: must be a list of at most 3 items"],
  ];
  for (const [body, expected] of cases) {
    const response = await post(`${url}/api/v1/T1/order`, body);
    assert.deepEqual([response.statusCode, await errorText(response)], [400, expected], String(body));
  }
});

test("only a content type that says something else than JSON is refused", async (t) => {
  const { url, release } = await startWorld(t);
  release("");
  const send = async (contentType: string | undefined) => {
    const headers: Record<string, string> = contentType === undefined ? {} : { "content-type": contentType };
    return (await post(`${url}/orders`, '{"amount":1}', headers)).statusCode;
  };
  assert.equal(await send(undefined), 200);
  assert.equal(await send("application/json; charset=utf-8"), 200);
  assert.equal(await send("application/merge-patch+json"), 200);
  assert.equal(await send("text/plain"), 415);
});

test("an optional body may be left out", async (t) => {
  const { url, release } = await startWorld(t);
  release("");
  const response = await request(`${url}/orders`, { method: "POST" });
  assert.deepEqual(await response.body.json(), { amount: 0 });
});

test("queries are read strictly into their types", async (t) => {
  const { url } = await startWorld(t);
  const good = await request(`${url}/api/v1/T1/list?limit=20&from=a+b%21&all=true&status=KO`, {
    headers: { "x-device": "P1", "x-request-id": "r-1" },
  });
  assert.deepEqual(await good.body.json(), {
    id: "T1",
    limit: 20,
    from: "a b!",
    all: true,
    status: "KO",
    "x-device": "P1",
    ip: "127.0.0.1",
    requestId: "r-1",
  });
  const plain = await request(`${url}/api/v1/T1/list`, { headers: { "x-request-id": "r-2" } });
  assert.deepEqual(await plain.body.json(), { id: "T1", limit: 100, ip: "127.0.0.1", requestId: "r-2" });
  const cases: [string, string][] = [
    ["limit=501", "limit: must be an integer of 1 to 500"],
    ["limit=1e2", "limit: must be an integer of 1 to 500"],
    ["limit=0x10", "limit: must be an integer of 1 to 500"],
    ["limit=+5", "limit: must be an integer of 1 to 500"],
    ["limit=", "limit: must be an integer of 1 to 500"],
    ["limit=99999999999999999999", "limit: must be an integer of 1 to 500"],
    ["all=yes", "all: must be true or false"],
    ["status=OK&status=KO", "status: is given more than once"],
    ["status=MAYBE", "status: must be one of OK, KO"],
    ["from=%ff", "from: is not valid percent-encoding"],
    ["from=12345678901", "from: must be a string of at most 10 characters"],
  ];
  for (const [query, expected] of cases) {
    const response = await request(`${url}/api/v1/T1/list?${query}`);
    assert.deepEqual([response.statusCode, await errorText(response)], [400, expected], query);
  }
});

test("members that an endpoint does not have are ignored, and named in one header whatever the answer is", async (t) => {
  const { url } = await startWorld(t);
  const post = (query: string, body: object) =>
    request(`${url}/api/v1/T1/order${query}`, { method: "POST", headers: KEY, body: JSON.stringify(body) });
  const both = await post("?lmit=5&b", { amount: 1, lines: [{ text: "x", price: 2 }], tip: 3 });
  assert.deepEqual([both.statusCode, both.headers["relay-ignored"]], [200, "lmit, b, lines.0.price, tip"]);
  await both.body.dump();
  const refused = await post("?lmit=5", { amount: 0, tip: 3 });
  assert.deepEqual([refused.statusCode, refused.headers["relay-ignored"]], [400, "lmit"]);
  await refused.body.dump();
  const none = await post("", { amount: 1 });
  assert.deepEqual([none.statusCode, none.headers["relay-ignored"]], [200, undefined]);
  await none.body.dump();
});

test("a broken path parameter is refused", async (t) => {
  const { port, url } = await startWorld(t);
  const client = await rawClient(t, port);
  client.write("GET /api/v1/%zz/get HTTP/1.1\r\nHost: a\r\n\r\n");
  assert.match(await client.until("encoding"), /^HTTP\/1\.1 400 Bad Request[\s\S]*id: is not valid percent-encoding/);
  const long = await request(`${url}/api/v1/${"x".repeat(17)}/get`);
  assert.deepEqual([long.statusCode, await errorText(long)], [400, "id: must be a string of 1 to 16 characters"]);
});

test("a request id that comes along is kept when harmless, else replaced", async (t) => {
  const { url } = await startWorld(t);
  const idOf = async (id: string) => (await request(`${url}/api/v1/T1/get`, { headers: { "x-request-id": id } })).headers["x-request-id"];
  assert.equal(await idOf("Till-7_a.b"), "Till-7_a.b");
  assert.notEqual(await idOf("has space"), "has space");
  assert.notEqual(await idOf("x".repeat(65)), "x".repeat(65));
  assert.notEqual(await idOf(""), await idOf(""));
});

test("beyond the limit a caller gets 429 with the time to wait, before its credentials are looked at", async (t) => {
  const { url } = await startWorld(t);
  for (let i = 4; i >= 0; i--) {
    const response = await post(`${url}/api/v1/T1/order`, "{}", {});
    assert.deepEqual([response.statusCode, response.headers["ratelimit-remaining"]], [401, String(i)]);
    await response.body.dump();
  }
  const response = await post(`${url}/api/v1/T1/order`, '{"amount":1}');
  assert.equal(response.statusCode, 429);
  assert.deepEqual([response.headers["retry-after"], response.headers["ratelimit-remaining"]], ["1", "0"]);
  assert.equal(await errorText(response), "Rate limit exceeded: 5 requests per second");
});

/** Orders of one address, by its key or without: status, limit and remaining. The clock stands unless it is moved. */
async function raisedWorld(t: TestContext, wrap: (bucket: RateLimitBucket) => RateLimitBucket = (bucket) => bucket) {
  const clock = { nowMs: 5_000 };
  const open = (bucket: string, perSecond: number) =>
    wrap(openRateLimit(createRateLimitMemory(bucket, perSecond, 1, 1), () => clock.nowMs));
  const { url } = await startWorld(t, { rateLimit: open, raisedRateLimit: (bucket) => open(`${bucket}-raised`, 10) });
  const order = async (headers: { [name: string]: string }) => {
    const response = await post(`${url}/api/v1/T1/order`, '{"amount":1}', headers);
    await response.body.dump();
    return [response.statusCode, response.headers["ratelimit-limit"], response.headers["ratelimit-remaining"]];
  };
  return { clock, order };
}

test("a partner that is known already has the rate of its record beyond its address's, and is told of it; whoever is not known has none", async (t) => {
  const { clock, order } = await raisedWorld(t);
  for (let remaining = 4; remaining >= 0; remaining -= 1)
    assert.deepEqual(await order({ "api-key": "wrong" }), [401, "5", String(remaining)]);
  // Nobody has proved this key yet, and beyond the limit nothing is proved.
  for (let attempt = 0; attempt < 3; attempt += 1) assert.deepEqual(await order(KEY), [429, "5", "0"]);
  clock.nowMs += 1_001;
  for (let remaining = 4; remaining >= 0; remaining -= 1) assert.deepEqual(await order(KEY), [200, "5", String(remaining)]);
  for (let remaining = 6; remaining >= 0; remaining -= 1) assert.deepEqual(await order(KEY), [200, "7", String(remaining)]);
  assert.deepEqual(await order(KEY), [429, "7", "0"]);
  for (const stranger of [{ "api-key": "wrong" }, { authorization: ADMIN }, {}]) assert.deepEqual(await order(stranger), [429, "5", "0"]);
  clock.nowMs += 1_001;
  assert.deepEqual(await order(KEY), [200, "5", "4"]);
});

test("that also where it is known a little later whether the address may", async (t) => {
  const { order } = await raisedWorld(t, ({ perSecond, take }) => ({ perSecond, take: async (...client) => take(...client) }));
  for (let remaining = 4; remaining >= 0; remaining -= 1) assert.deepEqual(await order(KEY), [200, "5", String(remaining)]);
  for (let remaining = 6; remaining >= 0; remaining -= 1) assert.deepEqual(await order(KEY), [200, "7", String(remaining)]);
  assert.deepEqual(await order(KEY), [429, "7", "0"]);
  assert.deepEqual(await order({ "api-key": "wrong" }), [429, "5", "0"]);
});

test("while it is asked who calls and how often, nothing of a request is told: rate comes first, then who, then what", async (t) => {
  let admission: Admission = 3;
  const { url } = await startWorld(t, { rateLimit: () => ({ perSecond: 5, take: () => Promise.resolve(admission) }) });
  // Whether anybody is called so, and has this password, takes as long as a password does.
  const stranger = { authorization: `Basic ${Buffer.from("stranger:wrong").toString("base64")}` };
  const bodies = ["{", "{}", '{"amount":0}'];
  const answers = async (headers: { [name: string]: string }, path = "T1") => {
    const all = await Promise.all(bodies.map((body) => post(`${url}/api/v1/${path}/order`, body, headers)));
    return Promise.all(all.map(async (response) => `${response.statusCode} ${await errorText(response)}`));
  };
  assert.deepEqual(await answers(stranger), Array(3).fill("401 Invalid credentials"));
  assert.deepEqual(await answers(stranger, "an-id-that-is-too-long"), Array(3).fill("401 Invalid credentials"));
  for (const answer of await answers(KEY)) assert.match(answer, /^400 /);
  admission = "limited";
  for (const headers of [stranger, KEY, { "api-key": "wrong" }]) {
    assert.deepEqual(await answers(headers), Array(3).fill("429 Rate limit exceeded: 5 requests per second"));
  }
});

test("a 401 offers Basic where Basic is taken, and says Invalid API Key for a key", async (t) => {
  const { url } = await startWorld(t);
  const none = await post(`${url}/api/v1/T1/order`, "{}", {});
  assert.deepEqual([none.statusCode, none.headers["www-authenticate"]], [401, 'Basic realm="relay"']);
  assert.equal(await errorText(none), "Authentication required");
  const wrong = await post(`${url}/api/v1/T1/order`, "{}", { "api-key": "wrong" });
  assert.deepEqual([wrong.statusCode, await errorText(wrong)], [401, "Invalid API Key"]);
});

test("an unknown error tells the caller nothing and the log everything", async (t) => {
  const { url, failures } = await startWorld(t);
  const response = await request(`${url}/break/x`, { headers: { authorization: ADMIN } });
  assert.deepEqual([response.statusCode, await errorText(response)], [500, "Internal error"]);
  assert.match(String(failures[0]), /secret detail/);
});

test("a RelayError has its status, its text and its Retry-After", async (t) => {
  const { url } = await startWorld(t);
  const response = await request(`${url}/break/unavailable`, { headers: { authorization: ADMIN } });
  assert.deepEqual([response.statusCode, response.headers["retry-after"], await errorText(response)], [503, "3", "Not confirmed"]);
});

test("strict replies refuse an answer that its schema does not cover", async (t) => {
  const { url, failures } = await startWorld(t);
  const strict = await request(`${url}/break/undeclared`, { headers: { authorization: ADMIN } });
  assert.equal(strict.statusCode, 500);
  assert.match(String(failures[0] instanceof Error && failures[0].cause), /break 200: the response schema does not cover/);
  const lax = await startWorld(t, { strictReplies: false });
  const response = await request(`${lax.url}/break/undeclared`, { headers: { authorization: ADMIN } });
  assert.deepEqual(await response.body.json(), { text: "a" });
});

test("two servers share a port, unless one wants it for itself", async (t) => {
  const options = {
    uws: await loadUws(HTTP_LIBRARY),
    endpoints: [],
    authenticator: exampleAuthenticator(),
    rateLimit: () => ({ perSecond: 1, take: () => 1 }),
    clock: { nowMs: () => 0, monotonicMs },
    ids: { uuid: () => "a" },
    envelope,
  };
  const servers = [createServer(options), createServer(options), createServer(options)] as const;
  t.after(() => {
    for (const server of servers) server.close();
  });
  const port = await servers[0].listen("127.0.0.1", 0, { exclusive: false });
  assert.equal(await servers[1].listen("127.0.0.1", port, { exclusive: false }), port);
  await assert.rejects(servers[2].listen("127.0.0.1", port, { exclusive: true }), /cannot listen on 127\.0\.0\.1/);
});

test("declarations that contradict each other do not start", async (t) => {
  const { exampleEndpoints } = await import("./world.ts");
  const { bind } = await import("../../../http/endpoint/endpoint.ts");
  const [first] = bind(exampleEndpoints, { wait: async () => "" });
  assert.ok(first);
  await assert.rejects(startWorld(t, { endpoints: [first, first] }), /two endpoints are named order/);
  await assert.rejects(startWorld(t, { endpoints: [first, { ...first, name: "again" }] }), /declared twice/);
  const other = { ...first, name: "other", path: "/other/{id}", rateLimit: { bucket: "order", perSecond: 6 } };
  await assert.rejects(startWorld(t, { endpoints: [first, other] }), /bucket order: 6 and 5 a second/);
});

const expecting = (expect: string) =>
  `POST /api/v1/T1/order HTTP/1.1\r\nHost: a\r\nAPI-Key: key\r\nContent-Type: application/json\r\nContent-Length: 12\r\nExpect: ${expect}\r\n\r\n`;

// As Java's client writes it, too.
for (const expect of ["100-continue", "100-Continue", "100-CONTINUE"]) {
  test(`Expect: ${expect} gets its interim answer before the body`, async (t) => {
    const { port, answered } = await startWorld(t);
    const patient = await rawClient(t, port);
    for (const amount of [5, 6]) {
      patient.write(expecting(expect));
      assert.match(await patient.until("100 Continue\r\n\r\n"), /HTTP\/1\.1 100 Continue\r\n\r\n$/, expect);
      patient.write(`{"amount":${amount}}`);
      const received = await patient.until(`"received":{"amount":${amount}}}`);
      const last = received.slice(received.lastIndexOf("HTTP/1.1"));
      assert.match(
        last,
        /^HTTP\/1\.1 200 OK\r\nX-Content-Type-Options: nosniff\r\n[\s\S]*X-Request-Id: [^\r]+\r\nRateLimit-Limit: 5\r\n/,
        expect,
      );
      patient.forget();
    }
    const long = await rawClient(t, port);
    long.write(expecting(expect).replace("Content-Length: 12", "Content-Length: 1001"));
    assert.match(await long.closed(), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 413 [\s\S]*may have at most 1000 bytes/, expect);
    assert.deepEqual(answered, ["order 200", "order 200", "order 413"]);
  });
}

test("an expectation other than 100-continue is 417 at once, and nothing is done", async (t) => {
  const { port, answered } = await startWorld(t);
  for (const expect of ["200-ok", "100-continue, more"]) {
    const client = await rawClient(t, port);
    client.write(expecting(expect));
    const answer = await client.closed();
    assert.match(answer, /^HTTP\/1\.1 417 Expectation Failed\r\n[\s\S]*"message":"Expect: only 100-continue is supported/, expect);
  }
  assert.deepEqual(answered, ["order 417", "order 417"]);
});
