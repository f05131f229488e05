import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, it, type TestContext } from "node:test";
import { atEnd } from "../../../test/storage/kv/world.ts";
import { within } from "../../../test/support/within.ts";
import { createPackage } from "../../deployment/app-package.ts";
import { AppUpdate } from "../../deployment/app-update.ts";
import { HttpCaller } from "../../deployment/http-caller.ts";
import { Measurements } from "../../deployment/measurements.ts";
import { Pace } from "../../deployment/paces.ts";
import { RolloutLedger } from "../../deployment/rollout-ledger.ts";

const TERMINAL = "T1";
const CODE = 7;
const BYTES = 10_000;
const PART = 4_096;

/** What a relay does that is not as it should be; each is asked before the relay's answer, and true where it has answered. */
type Fault = (request: IncomingMessage, response: ServerResponse, bytes: Buffer, notify: (change?: object) => void) => boolean;

/** One terminal that takes an update of a relay that has nothing but the three endpoints; everything it was asked, and what the terminal saw. */
async function takeUpdate(
  test: TestContext,
  fault: Fault,
  { served, checkIntervalMs = 1 }: { served?: Buffer; checkIntervalMs?: number } = {},
) {
  const file = createPackage(BYTES);
  // The relay may be called otherwise than the load test calls it.
  const apkUrl = `https://relay.example/api/v1/app/download/a.apk?terminalId=${TERMINAL}`;
  const offer = { versionCode: CODE, apkUrl, md5: file.md5, fileSize: BYTES };
  const notify = (change: object = {}) => update.noticed(TERMINAL, { service: "FORCE_UPDATE", ...offer, ...change });
  const ranges: string[] = [];
  const reports: { versionCode: number; status: string }[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://relay.example");
    if (request.headers.range !== undefined) ranges.push(request.headers.range);
    if (fault(request, response, file.bytes, notify)) return;
    if (url.pathname === "/api/v1/app/version") {
      if (Number(url.searchParams.get("currentVersionCode")) >= CODE) {
        response.writeHead(204).end();
        return;
      }
      response.end(JSON.stringify({ status: "ok", data: offer }));
    } else if (url.pathname === "/api/v1/app/download/a.apk") {
      const [, from = "", to = ""] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? [];
      const headers = { etag: '"one"', "content-range": `bytes ${from}-${to}/${BYTES}` };
      response.writeHead(206, headers).end((served ?? file.bytes).subarray(Number(from), Number(to) + 1));
    } else {
      let text = "";
      request.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      request.on("end", () => {
        reports.push(JSON.parse(text));
        response.end("{}");
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  const caller = new HttpCaller(`http://127.0.0.1:${address.port}`);
  atEnd(test, async () => {
    await caller.close();
    server.close();
  });
  const ledger = new RolloutLedger([TERMINAL]);
  const measurements = new Measurements(1_000);
  const quick = () => new Pace(10_000);
  const update = new AppUpdate({
    caller,
    downloads: caller,
    measurements,
    ledger,
    paces: { checks: quick(), downloads: quick(), reports: quick() },
    terminalSecret: "secret",
    rolledOut: { versionCode: CODE, earlierVersionCode: CODE - 1, md5: file.md5, sha256: file.sha256, bytes: BYTES },
    partBytes: PART,
    checkIntervalMs,
    installMs: 0,
    stopping: new AbortController().signal,
    givenUp: new AbortController().signal,
  });
  ledger.deploying(TERMINAL, performance.now());
  await within("the end of an update", update.take(TERMINAL, 0));
  return { ledger, measurements, ranges, reports };
}

const WHOLE = ["bytes=0-4095", "bytes=4096-8191", "bytes=8192-9999"];

describe("an app update of a load test", () => {
  it("is downloaded in parts, installed and reported", async (test) => {
    const { ledger, measurements, ranges, reports } = await takeUpdate(test, () => false);
    assert.deepEqual(ranges, WHOLE);
    assert.equal(measurements.receivedInAll, BYTES);
    assert.deepEqual(
      reports.map(({ versionCode, status }) => [versionCode, status]),
      [[CODE, "completed"]],
    );
    assert.deepEqual([ledger.installedIds(), measurements.errors, measurements.retries], [[TERMINAL], {}, {}]);
  });

  it("goes on where the connection was lost in the midst of a part", async (test) => {
    let isLost = false;
    const { ledger, measurements, ranges } = await takeUpdate(test, (request, response, bytes) => {
      if (request.headers.range !== WHOLE[1] || isLost) return false;
      isLost = true;
      response.writeHead(206, { "content-range": `bytes 4096-8191/${BYTES}`, "content-length": "4096" });
      response.write(bytes.subarray(4_096, 5_096), () => response.destroy());
      return true;
    });
    const [, from = ""] = /^bytes=(\d+)-/.exec(ranges[2] ?? "") ?? [];
    assert.ok(Number(from) >= 4_096 && Number(from) <= 5_096, from);
    assert.equal(measurements.receivedInAll, BYTES);
    assert.deepEqual(measurements.retries, { "download connection lost": 1 });
    assert.deepEqual([ledger.installedIds(), measurements.errors], [[TERMINAL], {}]);
  });

  it("begins at once when a notice comes, without another question", async (test) => {
    let asked = 0;
    const { ledger, measurements, ranges } = await takeUpdate(
      test,
      (request, response, _, notify) => {
        if (request.headers.range !== undefined || request.method !== "GET") return false;
        asked += 1;
        if (asked > 1) return false;
        response.writeHead(204).end();
        notify();
        return true;
      },
      { checkIntervalMs: 3_600_000 },
    );
    // The second question is that of the installed version.
    assert.deepEqual([asked, ranges], [2, WHOLE]);
    assert.deepEqual([ledger.installedIds(), measurements.errors], [[TERMINAL], {}]);
    assert.deepEqual([ledger.counts().noticed, measurements.whole().notice?.count], [1, 1]);
  });

  it("is installed once where notices come besides the answer, and not where they are of anything else", async (test) => {
    const others = [{ versionCode: CODE + 1 }, { versionCode: CODE - 1 }, { md5: "another" }, { fileSize: 1 }, { apkUrl: "nowhere" }];
    const { ledger, measurements, ranges, reports } = await takeUpdate(test, (_request, _response, _bytes, notify) => {
      for (const change of others) notify(change);
      notify();
      return false;
    });
    assert.deepEqual([ranges, reports.length, ledger.installedIds()], [WHOLE, 1, [TERMINAL]]);
    assert.deepEqual([measurements.errors, measurements.whole().notice?.count], [{}, 1]);
    const broken = ledger.invariants({ miscounted: [], takenBack: 1, left: [] }).filter(({ holds }) => !holds);
    assert.deepEqual(
      broken.map(({ name }) => name),
      ["notices arrive"],
    );
  });

  it("counts a notice that is not as documented", async (test) => {
    const { ledger, measurements } = await takeUpdate(test, (request, _response, _bytes, notify) => {
      if (request.method === "POST") notify({ apkUrl: 7 });
      return false;
    });
    assert.deepEqual([ledger.installedIds(), ledger.counts().noticed], [[TERMINAL], 0]);
    assert.deepEqual(measurements.errors, { "notice: unreadable": 1 });
  });

  it("counts 429s, and comes again", async (test) => {
    const refused = new Set<string>();
    const { ledger, measurements } = await takeUpdate(test, (request, response) => {
      const path = new URL(request.url ?? "", "http://relay.example").pathname;
      if (refused.has(path)) return false;
      refused.add(path);
      response.writeHead(429, { "retry-after": "0" }).end();
      return true;
    });
    assert.deepEqual(ledger.installedIds(), [TERMINAL]);
    assert.deepEqual(measurements.retries, { "check 429": 1, "download 429": 1, "install report 429": 1 });
    assert.deepEqual(measurements.errors, {});
  });

  it("does not install other bytes, and reports that it failed", async (test) => {
    const { ledger, measurements, reports } = await takeUpdate(test, () => false, { served: createPackage(BYTES).bytes });
    assert.deepEqual(
      reports.map(({ status }) => status),
      ["failed"],
    );
    assert.deepEqual([ledger.installedIds(), ledger.counts().failed], [[], 1]);
    assert.deepEqual(measurements.errors, { "download: other bytes": 1 });
  });

  for (const [what, status, headers, kind] of [
    ["the whole package", 200, {}, "download 200"],
    ["another range", 206, { "content-range": `bytes 0-9/${BYTES}` }, "download: another part"],
    ["that there is none", 404, {}, "download 404"],
  ] as const) {
    it(`fails where it is answered with ${what}`, async (test) => {
      const { ledger, measurements } = await takeUpdate(test, (request, response) => {
        if (request.headers.range === undefined) return false;
        response.writeHead(status, headers).end("0123456789");
        return true;
      });
      assert.deepEqual([ledger.counts().failed, measurements.errors], [1, { [kind]: 1 }]);
    });
  }
});
