import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { directoryOf } from "../../../test/storage/kv/world.ts";
import { ADMIN, API_KEY, startTestNode, type TestNode } from "../../../test/support/node/node.ts";
import { eventually, within } from "../../../test/support/within.ts";
import type { LoadResult } from "../../deployment/result.ts";
import { type LoadRun, type RunningLoad, startLoad } from "./world.ts";

const TERMINAL_SECRET = "the-terminal-secret-of-a-load-test";

/** Administrators of this relay, each with the role that it is called by. */
const ROLES = ["operator", "read-only"] as const;
const PASSWORD = "the-password-of-a-load-test";

const RUN_WITHIN_MS = 150_000;

let node: TestNode;

before(async () => {
  node = await startTestNode({ RELAY_SHARDS: "2", RELAY_TERMINAL_SECRET: TERMINAL_SECRET, RELAY_PACKAGE_MEGABYTES_MAX: "1" });
  for (const role of ROLES) await administer("POST", "/admin/administrators", { username: `load-${role}`, role, password: PASSWORD });
  // What the fleet has, and what the roll-out of a load test has to leave as it is.
  await administer("POST", "/admin/app-versions", { versionCode: 42, versionName: "4.2.0" });
});

after(() => node.stop());

async function administer(method: string, path: string, body?: object): Promise<{ data: unknown }> {
  const response = await fetch(`${node.url}${path}`, {
    method,
    headers: { authorization: ADMIN, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return (await response.json()) as { data: unknown };
}

/** Versions, deployments and packages that the relay has. */
async function there(): Promise<{ versionCodes: number[]; deployments: unknown[]; packages: string[] }> {
  const { data: versions } = (await administer("GET", "/admin/app-versions")) as { data: { versionCode: number }[] };
  const { data: deployments } = (await administer("GET", "/admin/app-deployments")) as { data: unknown[] };
  const files = await readdir(join(node.dataDirectory, "packages"), { recursive: true });
  return {
    versionCodes: versions.map(({ versionCode }) => versionCode),
    deployments,
    packages: files.filter((name) => name.endsWith(".apk")),
  };
}

const UNTOUCHED = { versionCodes: [42], deployments: [], packages: [] };

let runs = 0;

async function start(test: TestContext, args: readonly string[], role: (typeof ROLES)[number] = "operator"): Promise<RunningLoad> {
  const folder = join(await directoryOf(test), "results");
  runs += 1;
  const all = [
    "--scenario",
    "roll-out",
    "--url",
    node.url,
    "--terminal-prefix",
    `ROLL${runs}-`,
    "--check-every",
    "1s",
    "--answer",
    "100ms",
  ];
  return startLoad(test, folder, [...all, ...args], {
    RELAY_LOAD_TERMINAL_SECRET: TERMINAL_SECRET,
    RELAY_LOAD_ADMIN_USERNAME: `load-${role}`,
    RELAY_LOAD_ADMIN_PASSWORD: PASSWORD,
  });
}

/** The result of a run in which nothing went wrong, with no secret in anything that it left. */
function fine({ code, text, json, page }: LoadRun): LoadResult {
  assert.equal(code, 0, text);
  for (const secret of [API_KEY, TERMINAL_SECRET, PASSWORD])
    assert.ok(![text, json, page].some((one) => one.includes(secret)), "a secret was printed or written");
  const result: LoadResult = JSON.parse(json);
  assert.deepEqual(result.errors, {});
  for (const { name, holds, checked } of result.invariants) assert.ok(holds && checked > 0, name);
  return result;
}

describe("the roll-out of a package beside payments", () => {
  it("reaches the terminals that it is for and no other, and is taken back with all that it made", async (test) => {
    const run = await start(test, [
      ...["--terminals", "8", "--update", "50%", "--poll", "50%", "--poll-every", "500ms", "--for", "8s", "--install", "500ms"],
      ...["--package", "0.5", "--part", "0.2"],
    ]);
    const ended = await within("the end of a load test", run.ended, RUN_WITHIN_MS);
    const { rollout, latencies, payments, invariants, intervals } = fine(ended);
    assert.ok(rollout !== null);
    const { targets, deployed, told, noticed, downloaded, installed, failed, bytesReceived, bytes, limits } = rollout;
    // Of four terminals that take it two have a WebSocket.
    assert.deepEqual(
      { targets, deployed, told, noticed, downloaded, installed, failed },
      { targets: 4, deployed: 4, told: 4, noticed: 2, downloaded: 4, installed: 4, failed: 0 },
    );
    assert.equal(bytesReceived, 4 * bytes);
    assert.equal(
      intervals.reduce((sum, { receivedBytes = 0 }) => sum + receivedBytes, 0),
      bytesReceived,
    );
    assert.deepEqual(limits, { checksPerSecond: 50, downloadsPerSecond: 50, reportsPerSecond: 20 });
    assert.deepEqual(
      [latencies.deploy?.count, latencies.notice?.count, latencies.download?.count, latencies.installed?.count],
      [4, 2, 4, 4],
    );
    assert.ok((latencies.installed?.curve[0]?.[1] ?? 0) >= 500, "the time of the install is in it");
    assert.equal(payments.found, payments.due);
    assert.deepEqual(
      invariants.map(({ name }) => name),
      [
        ...["nothing twice", "nothing lost", "every result found", "told is installed", "bytes are right", "notices arrive"],
        ...["offered to nobody else", "installs are counted", "all of it is taken back"],
      ],
    );
    assert.match(ended.page, /<h2>Roll-out<\/h2>/);
    assert.match(ended.page, /Packages, MiB a second/);
    assert.doesNotMatch(ended.page, /<script|<link|<img|src=|href=|url\(/i);
    assert.deepEqual(await there(), UNTOUCHED);
  });

  it("is taken back when it is interrupted, after those have installed it who were told", async (test) => {
    const run = await start(test, ["--terminals", "8", "--update", "50%", "--for", "1h", "--install", "3s", "--package", "0.1"]);
    // In the midst: all is deployed, and nothing installed.
    await eventually(async () => {
      const { deployments } = await there();
      assert.ok(deployments.length === 8, run.text());
    }, RUN_WITHIN_MS);
    run.child.kill("SIGINT");
    const ended = await within("its end", run.ended, RUN_WITHIN_MS);
    assert.equal(ended.code, 0, ended.text);
    const { stopped, rollout, errors, invariants }: LoadResult = JSON.parse(ended.json);
    assert.equal(stopped, true);
    assert.equal(rollout?.installed, rollout?.told);
    assert.deepEqual(errors, {});
    assert.ok(invariants.every(({ holds }) => holds));
    assert.deepEqual(await there(), UNTOUCHED);
  });

  for (const [what, args, role, told] of [
    ["an administrator who may not", [], "read-only", /^error: the relay does not create an app version: 403/m],
    ["a package that is larger than the relay takes", ["--package", "2"], "operator", /^error: the relay does not upload a package: 413/m],
    [
      "more checks than are allowed",
      ["--terminals", "60", "--update", "100%"],
      "operator",
      /^error: 61 terminals that ask for a version every 1 s are too many: .*50 times in any second.*--check-every 2s/m,
    ],
    [
      "more terminals than the schedule has time for",
      ["--for", "3s", "--install", "10s"],
      "operator",
      /^error: the roll-out to 10 terminals is not over in 3 s: .*at least --for 1\ds/m,
    ],
  ] as const) {
    it(`does not begin with ${what}, and leaves nothing`, async (test) => {
      const run = await start(test, args, role);
      const { code, text, json } = await within("its end", run.ended, RUN_WITHIN_MS);
      assert.equal(code, 1, text);
      assert.match(text, told);
      assert.doesNotMatch(text, /^ +at /m);
      assert.equal(json, "");
      assert.deepEqual(await there(), UNTOUCHED);
    });
  }
});
