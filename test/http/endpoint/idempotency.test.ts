import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Type } from "@sinclair/typebox";
import { createExecuteOnce } from "../../../engine/idempotency/execute-once.ts";
import { createIdempotencyStore } from "../../../engine/idempotency/idempotency-store.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { bind } from "../../../http/endpoint/endpoint.ts";
import { idempotent } from "../../../http/endpoint/idempotency.ts";
import { buildOpenApi } from "../../../http/endpoint/openapi.ts";
import { surface } from "../../../http/endpoint/surface.ts";
import { createServer } from "../../../http/server/server.ts";
import { loadUws } from "../../../http/server/uws.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { ManualClock } from "../../engine/world.ts";
import { HTTP_LIBRARY } from "../../support/http/http-library.ts";
import { envelope, exampleAuthenticator, monotonicMs } from "../server/world.ts";

interface Charges {
  charge(operationId: string, amount: number): Promise<string>;
}

const example = surface<Charges>()({ name: "charges", tags: ["Charges"], envelope });

const charge = example.endpoint({
  name: "charge",
  method: "POST",
  path: "/charges/{id}",
  summary: "Charges",
  auth: "apiKey",
  idempotency: "plain",
  params: Type.Object({ id: Type.String() }),
  body: Type.Object({ amount: Type.Integer(), note: Type.Optional(Type.String()) }),
  responses: { 200: { description: "Charged.", body: Type.Object({ charge: Type.String() }) }, ...example.errors(400, 403, 503) },
  handle: async ({ charge }, { body, operationId }) => ({ status: 200 as const, body: { charge: await charge(operationId, body.amount) } }),
});

let executed: { operationId: string; amount: number }[] = [];
let hold: Promise<void> | null = null;
let ids = 0;
const kv = new MemoryKv();
const nextId = { uuid: () => `id-${++ids}` };
const endpoints = bind([charge], {
  charge: async (operationId, amount) => {
    executed.push({ operationId, amount });
    await hold;
    if (amount === 13) throw new RelayError("invalid_request", "amount: is unlucky");
    if (amount === 77 && executed.length === 1) throw new RelayError("forbidden", "Show a second factor", { detail: "step_up_required" });
    if (amount === 99) throw new RelayError("unavailable", "Not now", { retryAfterSeconds: 2 });
    return `c${executed.length}`;
  },
}).map((endpoint) =>
  idempotent(endpoint, {
    executeOnce: createExecuteOnce({
      store: createIdempotencyStore(kv),
      clock: new ManualClock(),
      ids: nextId,
      secretBox: null,
      failed: () => {},
    }),
    ids: nextId,
  }),
);
const server = createServer({
  uws: await loadUws(HTTP_LIBRARY),
  endpoints,
  authenticator: exampleAuthenticator(),
  rateLimit: () => {
    throw new Error("nothing is limited");
  },
  clock: { nowMs: monotonicMs, monotonicMs },
  ids: { uuid: () => crypto.randomUUID() },
  envelope,
});
let url = "";
before(async () => {
  url = `http://127.0.0.1:${await server.listen("127.0.0.1", 0, { exclusive: true })}`;
});
after(() => server.close());

async function post(path: string, body: string, key?: string) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "api-key": "key", "content-type": "application/json", ...(key === undefined ? {} : { "idempotency-key": key }) },
    body,
  });
  const { headers } = response;
  return {
    status: response.status,
    body: await response.json(),
    retryAfter: headers.get("retry-after"),
    replayed: headers.get("idempotent-replayed"),
  };
}

test("the same request with its key again gets the stored status and body", async () => {
  executed = [];
  const first = await post("/charges/a", '{"amount":5,"note":"x"}', "k1");
  assert.deepEqual(first, { status: 200, body: { charge: "c1" }, retryAfter: null, replayed: null });
  const again = await post("/charges/a", '{ "note": "x", "amount": 5 }', "k1");
  assert.deepEqual(again, { ...first, replayed: "true" });
  assert.equal(executed.length, 1);
});

test("another body is refused with 409, another path or key is another operation", async () => {
  executed = [];
  await post("/charges/a", '{"amount":5}', "k2");
  const other = await post("/charges/a", '{"amount":6}', "k2");
  assert.equal(other.status, 409);
  assert.equal(other.retryAfter, null);
  assert.equal((await post("/charges/b", '{"amount":6}', "k2")).status, 200);
  assert.equal((await post("/charges/a", '{"amount":6}', "k3")).status, 200);
  assert.equal(executed.length, 3);
});

test("while the first is under way the same is told to come again", async () => {
  executed = [];
  let go = () => {};
  hold = new Promise((resolve) => {
    go = resolve;
  });
  const first = post("/charges/a", '{"amount":5}', "k4");
  while (executed.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const second = await post("/charges/a", '{"amount":5}', "k4");
  assert.deepEqual([second.status, second.retryAfter], [409, "1"]);
  go();
  hold = null;
  assert.equal((await first).status, 200);
  assert.equal((await post("/charges/a", '{"amount":5}', "k4")).replayed, "true");
});

test("an error that stands is given again, one that does not is tried again under the same id", async () => {
  executed = [];
  const refused = await post("/charges/a", '{"amount":13}', "k5");
  assert.deepEqual([refused.status, refused.replayed], [400, null]);
  assert.deepEqual(await post("/charges/a", '{"amount":13}', "k5"), { ...refused, replayed: "true" });
  assert.equal(executed.length, 1);
  assert.equal((await post("/charges/a", '{"amount":99}', "k6")).status, 503);
  assert.equal((await post("/charges/a", '{"amount":99}', "k6")).status, 503);
  assert.equal(executed[1]?.operationId, executed[2]?.operationId);
});

test("whoever has shown a second factor meanwhile sends the same again, with its key", async () => {
  executed = [];
  assert.equal((await post("/charges/a", '{"amount":77}', "k8")).status, 403);
  const done = await post("/charges/a", '{"amount":77}', "k8");
  assert.deepEqual([done.status, done.body, done.replayed], [200, { charge: "c2" }, null]);
  assert.equal(executed[0]?.operationId, executed[1]?.operationId);
});

test("a key that cannot be one is refused and executes nothing; without one every request executes under an id of its own", async () => {
  executed = [];
  for (const key of ["a b", "x".repeat(256), "é", ""]) {
    const answer = await post("/charges/a", '{"amount":5}', key);
    assert.deepEqual([answer.status, executed.length], [400, 0]);
    assert.match(JSON.stringify(answer.body), /Idempotency-Key: must be/);
  }
  await post("/charges/a", '{"amount":5}');
  await post("/charges/a", '{"amount":5}');
  assert.equal(new Set(executed.map(({ operationId }) => operationId)).size, 2);
});

test("a body that the schema refuses leaves the key unused", async () => {
  executed = [];
  assert.equal((await post("/charges/a", '{"amount":"x"}', "k7")).status, 400);
  assert.equal((await post("/charges/a", '{"amount":5}', "k7")).status, 200);
});

test("the document names the header and the conflict", () => {
  const text = JSON.stringify(buildOpenApi([charge], { title: "t", version: "1", description: "d" }));
  assert.equal(text.includes('"name":"Idempotency-Key"'), true);
  assert.equal(text.includes('"409"'), true);
});

test("an endpoint that anybody may call cannot declare it", () => {
  const [bound] = bind([{ ...charge, auth: "none" as const }], { charge: async () => "" });
  assert.ok(bound !== undefined);
  assert.throws(() => idempotent(bound, { executeOnce: async () => ({ type: "running" }), ids: nextId }), /belongs to a caller/);
});
