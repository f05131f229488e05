import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { ownMetricsAccess, publicMetricsAccess } from "../../../../infra/node/boot/metrics-access.ts";
import { listenForMetrics } from "../../../../infra/node/process/metrics-listener.ts";

const TOKEN = "a-token-of-this-test";

async function listener(t: { after(end: () => Promise<void>): void }, collect: () => Promise<string>, token: string | null = null) {
  const failures: unknown[] = [];
  const access = ownMetricsAccess({ metrics: { host: "127.0.0.1", port: 0, token } });
  const arrivals = new EventEmitter();
  const mayRead = (authorization: string) => {
    arrivals.emit("reader");
    return access(authorization);
  };
  const running = await listenForMetrics({ host: "127.0.0.1", port: 0, mayRead, collect, failed: (error) => failures.push(error) });
  t.after(running.close);
  return { url: running.url, failures, arrivals };
}

test("the metrics are readable by whom the mode and the token permit", () => {
  const [none, withToken] = [
    { host: "127.0.0.1", port: null, token: null },
    { host: "127.0.0.1", port: null, token: TOKEN },
  ];
  const CASES: [
    mode: "sandbox" | "production",
    metrics: typeof none | typeof withToken,
    authorization: string,
    isPublic: boolean,
    own: boolean,
  ][] = [
    ["production", none, "", false, true],
    ["production", none, "Bearer ", false, true],
    ["production", none, `Bearer ${TOKEN}`, false, true],
    ["sandbox", none, "", true, true],
    ...(["sandbox", "production"] as const).flatMap((mode): [typeof mode, typeof withToken, string, boolean, boolean][] => [
      [mode, withToken, "", false, false],
      [mode, withToken, "Bearer", false, false],
      [mode, withToken, TOKEN, false, false],
      [mode, withToken, `Basic ${TOKEN}`, false, false],
      [mode, withToken, `Bearer ${TOKEN}x`, false, false],
      [mode, withToken, `Bearer ${TOKEN.slice(1)}`, false, false],
      [mode, withToken, `Bearer ${TOKEN}`, true, true],
      [mode, withToken, `bearer  ${TOKEN}`, true, true],
    ]),
  ];
  for (const [mode, metrics, authorization, isPublic, own] of CASES) {
    const title = `${mode}, token ${metrics.token}: ${authorization}`;
    assert.deepEqual(
      [publicMetricsAccess({ mode, metrics })(authorization), ownMetricsAccess({ metrics })(authorization)],
      [isPublic, own],
      title,
    );
  }
});

test("the metrics' own listener answers GET and HEAD of /metrics, and nothing else", async (t) => {
  const { url } = await listener(t, async () => "relay_one 1\n");
  const answer = await fetch(url);
  assert.deepEqual(
    [answer.status, answer.headers.get("content-type"), await answer.text()],
    [200, "text/plain; version=0.0.4; charset=utf-8", "relay_one 1\n"],
  );
  assert.equal((await fetch(`${url}?name=x`)).status, 200);
  const head = await fetch(url, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
  assert.equal((await fetch(url, { method: "POST", body: "x".repeat(100_000) })).status, 405);
  for (const path of ["/", "/metrics/", "/health/live", "/admin/partners"])
    assert.equal((await fetch(new URL(path, url))).status, 404, path);
});

test("the metrics' own listener wants the token where there is one", async (t) => {
  const { url } = await listener(t, async () => "relay_one 1\n", TOKEN);
  const refused = await fetch(url);
  assert.deepEqual([refused.status, refused.headers.get("www-authenticate")], [401, 'Bearer realm="metrics"']);
  assert.equal((await fetch(url, { headers: { authorization: "Bearer another" } })).status, 401);
  assert.equal((await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })).status, 200);
});

test("many readers at once cost one collection, and one that fails is told without its reason", async (t) => {
  let [collections, fails] = [0, false];
  let go = (): void => {};
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const { url, failures, arrivals } = await listener(t, async () => {
    collections += 1;
    await gate;
    if (fails) throw new Error("a secret reason");
    return "relay_one 1\n";
  });
  let arrived = 0;
  arrivals.on("reader", () => {
    arrived += 1;
    // Not before the last has asked, which it does once this returns.
    if (arrived === 8) setImmediate(go);
  });
  const readers = Array.from({ length: 8 }, () => fetch(url));
  assert.deepEqual(new Set((await Promise.all(readers)).map(({ status }) => status)), new Set([200]));
  assert.equal(collections, 1);
  fails = true;
  const answer = await fetch(url);
  assert.deepEqual([answer.status, /secret/.test(await answer.text())], [503, false]);
  assert.equal(failures.length, 1);
});

test("a port that is taken is refused", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  t.after(() => taken.close());
  await new Promise((resolve) => taken.once("listening", resolve));
  const address = taken.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const options = { host: "127.0.0.1", port, mayRead: () => true, collect: async () => "", failed: () => {} };
  await assert.rejects(listenForMetrics(options), /EADDRINUSE/);
});
