import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { directoryOf } from "../../../test/storage/kv/world.ts";
import { ADMIN, API_KEY, startTestNode, type TestNode } from "../../../test/support/node/node.ts";
import { eventually, within } from "../../../test/support/within.ts";
import type { LoadResult } from "../../deployment/result.ts";
import { type LoadRun, startLoad } from "./world.ts";

/** Secrets of this relay, none of which may stand in anything that a run prints or writes. */
const TERMINAL_SECRET = "the-terminal-secret-of-a-load-test";
const SECRETS = [API_KEY, TERMINAL_SECRET];

/** Longer than a run here and all that it waits for. */
const RUN_WITHIN_MS = 150_000;

let node: TestNode;

before(async () => {
  node = await startTestNode({ RELAY_SHARDS: "2", RELAY_TERMINAL_SECRET: TERMINAL_SECRET });
});

after(() => node.stop());

async function administer(method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${node.url}${path}`, {
    method,
    headers: { authorization: ADMIN, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.equal(response.status, 200, path);
  return response.json();
}

/** What the demo partner may send beyond its address's limit. */
async function raise(rateLimits: object): Promise<void> {
  const { data } = (await administer("GET", "/admin/api/partners")) as { data: { id: number; username: string }[] };
  const demo = data.find(({ username }) => username === "demo");
  await administer("PUT", `/admin/api/partners/${demo?.id}`, { rateLimits });
}

/** Payments that the relay has answered with this status class. */
async function paymentsAnswered(status: string): Promise<number> {
  const text = await (await fetch(`${node.url}/metrics`)).text();
  return text
    .split("\n")
    .filter(
      (line) => line.startsWith("relay_http_request_duration_seconds_count") && line.includes('"sendPayment"') && line.includes(status),
    )
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/** Each test has terminals of its own: what one left with the relay is none of another's. */
let runs = 0;

async function load(test: TestContext, args: readonly string[], environment: { [name: string]: string } = {}): Promise<LoadRun> {
  const folder = join(await directoryOf(test), "results");
  runs += 1;
  const all = ["--url", node.url, "--terminal-prefix", `RUN${runs}-`, ...args];
  const run = startLoad(test, folder, all, { RELAY_LOAD_TERMINAL_SECRET: TERMINAL_SECRET, ...environment });
  return within("the end of a load test", run.ended, RUN_WITHIN_MS);
}

/** The result of a run in which nothing went wrong, with no secret in anything that it left. */
function fine({ code, text, json, page }: LoadRun): LoadResult {
  assert.equal(code, 0, text);
  for (const secret of SECRETS) assert.ok(![text, json, page].some((one) => one.includes(secret)), "a secret was printed or written");
  const result: LoadResult = JSON.parse(json);
  assert.deepEqual(result.errors, {});
  for (const { name, holds, checked } of result.invariants) assert.ok(holds && checked > 0, name);
  return result;
}

describe("a load test of a relay that runs", () => {
  it("says what is allowed where the limits do not allow the rate, and sends nothing", async (test) => {
    await raise({});
    const before = await paymentsAnswered('"2xx"');
    const { code, text, json } = await load(test, ["--rate", "40", "--terminals", "24"]);
    assert.equal(code, 1, text);
    assert.match(text, /^error: 40 a second are not allowed: with this key this address may send 10 payments/m);
    assert.match(text, /\{"rateLimits": \{"pay": 35\}\}.*--rate 9$/m);
    assert.doesNotMatch(text, /^ +at /m);
    assert.equal(json, "");
    assert.equal(await paymentsAnswered('"2xx"'), before);
  });

  it("pays, polls, scans and looks up, and shows what it saw on a page of its own", async (test) => {
    // Also where a busy machine makes the load test send all of them at once, late.
    await raise({ pay: 200 });
    const run = await load(test, [
      ...["--rate", "40", "--for", "3s", "--ramp", "1s", "--terminals", "12", "--poll", "25%", "--poll-every", "500ms"],
      ...["--answer", "100ms", "--scan", "10%"],
    ]);
    const result = fine(run);
    const { payments, latencies, prefix, intervals } = result;
    assert.equal(payments.due, 100);
    assert.deepEqual(
      { ...payments, due: 0 },
      { begun: 100, accepted: 100, handedOut: 100, stored: 100, found: 100, ended: 0, due: 0, refused: 0, foreign: 0 },
    );
    assert.deepEqual(
      [latencies.pay?.count, latencies.push?.count, latencies.post?.count, latencies.found?.count, latencies.whole?.count],
      [100, 75, 100, 100, 100],
    );
    assert.ok((latencies.poll?.count ?? 0) >= 25, "the terminals that poll got their payments by polls");
    assert.ok((latencies.whole?.p50 ?? 0) >= 100, "the terminals' own time is in it");
    assert.equal(
      intervals.reduce((sum, { due }) => sum + due, 0),
      100,
    );
    assert.match(run.text, new RegExp(`^uuids of this run begin with ${prefix}$`, "m"));
    const life = await administer("GET", `/api/v1/commands/${prefix}00000042`);
    assert.equal((life as { data: { state: string } }).data.state, "done");
    assert.match(run.page, /<svg /);
    assert.match(run.page, /nothing was lost or done twice/);
    assert.doesNotMatch(run.page, /<script|<link|<img|src=|href=|url\(/i);
  });

  it("ends with what it has when it is interrupted", async (test) => {
    const before = await paymentsAnswered('"2xx"');
    runs += 1;
    const folder = join(await directoryOf(test), "results");
    const args = ["--url", node.url, "--terminal-prefix", `RUN${runs}-`, "--for", "1h", "--terminals", "4", "--answer", "100ms"];
    const run = startLoad(test, folder, args, { RELAY_LOAD_TERMINAL_SECRET: TERMINAL_SECRET });
    await eventually(async () => assert.ok((await paymentsAnswered('"2xx"')) > before + 2, run.text()));
    run.child.kill("SIGINT");
    const result = fine(await within("its end", run.ended, RUN_WITHIN_MS));
    assert.equal(result.stopped, true);
    assert.ok(result.payments.found >= 3);
  });

  it("finds nothing well when it is interrupted before its first payment", async (test) => {
    runs += 1;
    const args = ["--url", node.url, "--terminal-prefix", `RUN${runs}-`, "--for", "1h"];
    const run = startLoad(test, join(await directoryOf(test), "results"), args, { RELAY_LOAD_TERMINAL_SECRET: TERMINAL_SECRET });
    await eventually(async () => assert.match(run.text(), /^uuids of this run begin/m));
    run.child.kill("SIGINT");
    const { code, text, json } = await within("its end", run.ended, RUN_WITHIN_MS);
    assert.equal(code, 1, text);
    assert.match(text, /^error: stopped before the first payment$/m);
    assert.equal(json, "");
  });

  it("does not begin where its results could not be written", async (test) => {
    const run = startLoad(test, join(process.execPath, "results"), ["--url", "http://127.0.0.1:1"]);
    const { code, text } = await within("its end", run.ended, RUN_WITHIN_MS);
    assert.equal(code, 1, text);
    assert.match(text, /^error: results cannot be written to .*: ENOTDIR$/m);
  });

  it("cuts all WebSockets and loses nothing", async (test) => {
    const run = await load(test, [
      ...["--scenario", "reconnect-storm", "--storm-every", "2s", "--for", "5s", "--rate", "8", "--terminals", "8", "--poll", "0%"],
      ...["--answer", "200ms"],
    ]);
    const { storms, latencies, payments } = fine(run);
    assert.equal(storms, 2);
    assert.ok((latencies.back?.count ?? 0) > 8, "both times terminals came back");
    assert.equal(payments.found, payments.due);
  });

  it("tells slow terminals from the others", async (test) => {
    const run = await load(test, [
      ...["--scenario", "slow-terminals", "--slow", "25%", "--slow-answer", "2s", "--answer", "50ms", "--poll", "0%"],
      ...["--for", "3s", "--rate", "8", "--terminals", "8"],
    ]);
    const { latencies } = fine(run);
    assert.deepEqual([latencies.wholeSlow?.count, latencies.whole?.count], [6, 18]);
    assert.ok((latencies.wholeSlow?.curve[0]?.[1] ?? 0) >= 2_000);
  });

  it("counts 429s where it sends more than is allowed, and finds them right", async (test) => {
    await raise({});
    const run = await load(test, ["--scenario", "rate-limited", "--for", "4s", "--answer", "50ms", "--terminals", "8"]);
    const { options, payments, invariants } = fine(run);
    assert.equal(options.ratePerSecond, 30);
    assert.ok(payments.refused > 0);
    assert.equal(payments.accepted + payments.refused, payments.due);
    assert.ok(invariants.some(({ name }) => name === "429s are right"));
  });

  for (const [what, environment, told] of [
    ["a key that is no partner's", { RELAY_LOAD_KEY: "pk_live_nobody" }, /^error: the relay does not know this API key/m],
    [
      "another secret of terminals",
      { RELAY_LOAD_TERMINAL_SECRET: "another-secret" },
      /^error: the relay does not accept the login of RUN\d+-00001/m,
    ],
  ] as const) {
    it(`does not begin with ${what}`, async (test) => {
      const { code, text, json } = await load(test, [], environment);
      assert.equal(code, 1, text);
      assert.match(text, told);
      assert.doesNotMatch(text, /pk_live_nobody|another-secret/);
      assert.equal(json, "");
    });
  }
});
