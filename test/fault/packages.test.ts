import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { download, uploadLarge } from "../../bench/load/package-transfers.ts";
import { atEnd } from "../storage/kv/world.ts";
import { eventually } from "../support/within.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";
import { ADMINISTRATOR, member, RelayCaller } from "./relay-caller.ts";
import { smallDisk } from "./small-disk.ts";

const PACKAGE_MEBIBYTES = 500;
const DOWNLOADS = 50;
const GROWTH_MAX_BYTES = 64 * 1_048_576;

/**
 * So many payments first, faster than later: by then they have touched all of the heap's young generation. Later few enough of them, because
 * the store keeps what was written lately in memory, which is not what is measured.
 */
const WARM_UP = { tills: 32, pauseMs: 0, payments: 3_000 };
const LOAD = { tills: 4, pauseMs: 25, payments: Number.POSITIVE_INFINITY };
const LOOK_MS = 50;

async function started(test: TestContext, environment: { [name: string]: string } = {}) {
  const place = await placeOf(test);
  const start = () => startNodeProcess(test, { ...place, environment: { ...NO_CLICKHOUSE, RELAY_SHARDS: "1", ...environment } });
  const node = start();
  await node.ready();
  return { ...place, node, start, caller: callerOf(test, node) };
}

function callerOf(test: TestContext, node: NodeProcess): RelayCaller {
  const caller = new RelayCaller(node.url);
  atEnd(test, () => caller.close());
  return caller;
}

async function createVersion(caller: RelayCaller, versionCode: number): Promise<number> {
  const created = await caller.post("/admin/app-versions", { versionCode, versionName: "v" }, ADMINISTRATOR);
  const id = member(created?.body, "data", "id");
  assert.ok(typeof id === "number", created?.text);
  return id;
}

async function versionOf(caller: RelayCaller, id: number): Promise<unknown> {
  const listed = await caller.get("/admin/app-versions", ADMINISTRATOR);
  const versions = member(listed?.body, "data");
  assert.ok(Array.isArray(versions), listed?.text);
  return versions.find((version) => member(version, "id") === id);
}

/** Every file below a folder. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024;
}

/** Looks at a process's resident memory until the test ends. */
function watch(test: TestContext, pid: number): { highest(): number } {
  let highest = 0;
  const looking = setInterval(() => {
    residentBytes(pid).then(
      (bytes) => {
        highest = Math.max(highest, bytes);
      },
      () => {},
    );
  }, LOOK_MS);
  atEnd(test, async () => clearInterval(looking));
  return { highest: () => highest };
}

/** Descriptors of packages that a process has open. */
async function openPackages(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => "")));
  return links.filter((link) => /\.apk|\.upload-/.test(link)).length;
}

/** Payments that are taken and answered, one after the other on each of some tills, until there were enough or it is stopped. */
function payLoad(test: TestContext, caller: RelayCaller, { tills: count, pauseMs, payments }: typeof LOAD) {
  const failures: string[] = [];
  let running = true;
  let begun = 0;
  async function till(terminalId: string): Promise<void> {
    while (running && begun < payments) {
      begun += 1;
      const uuid = randomUUID();
      const paid = await caller.pay(terminalId, uuid);
      const taken = await caller.poll(terminalId);
      const posted = await caller.receipt(terminalId, uuid, "OK");
      if (paid?.status !== 200 || taken?.status !== 200 || posted?.status !== 200) {
        failures.push(`${paid?.status} ${taken?.status} ${posted?.status} ${paid?.text}`);
      }
      if (pauseMs > 0) await delay(pauseMs);
    }
  }
  const tills = Promise.all(Array.from({ length: count }, (_, index) => till(`TILL-${index}`)));
  // Also where the test fails: its file would go on for ever.
  atEnd(test, async () => {
    running = false;
  });
  return {
    failures,
    begun: () => begun,
    ended: async () => {
      await tills;
    },
    stop: async () => {
      running = false;
      await tills;
    },
  };
}

describe("packages of app versions", () => {
  it(`an upload of ${PACKAGE_MEBIBYTES} MB and ${DOWNLOADS} downloads take less than 64 MB under payments, and let go of every descriptor`, async (test) => {
    const { node, caller, dataDirectory } = await started(test);
    const id = await createVersion(caller, 1);
    await uploadLarge(node.url, id, 20);
    const watched = watch(test, node.pid);
    const warmUp = payLoad(test, caller, WARM_UP);
    await warmUp.ended();
    const baseline = watched.highest();
    const load = payLoad(test, caller, LOAD);

    const uploaded = await uploadLarge(node.url, id, PACKAGE_MEBIBYTES);
    assert.equal(uploaded.status, 200, uploaded.text);
    assert.match(uploaded.text, new RegExp(`${PACKAGE_MEBIBYTES * 1_048_576} bytes, MD5 ${uploaded.md5}`));
    const version = await versionOf(caller, id);
    const url = String(member(version, "apkUrl"));
    assert.equal(member(version, "md5"), uploaded.md5);
    // The whole package each; most go away in the middle, every fifth takes its time, and some have asked for a part and get all of that.
    const downloads = await Promise.all(
      Array.from({ length: DOWNLOADS }, (_, index) => {
        if (index % 5 === 0) return download(url, {}, 2_000_000, 20);
        if (index % 5 === 1) return download(url, { range: "bytes=-3000000" }, Number.POSITIVE_INFINITY);
        return download(url, {}, 5_000_000);
      }),
    );
    const highest = watched.highest();
    assert.deepEqual([...new Set(downloads.map(({ status }) => status))].sort(), [200, 206]);
    const parts = downloads.filter(({ status }) => status === 206);
    assert.deepEqual([new Set(parts.map(({ bytes, md5 }) => `${bytes} ${md5}`)).size, parts[0]?.bytes], [1, 3_000_000]);
    assert.ok(
      highest - baseline < GROWTH_MAX_BYTES,
      `resident memory grew from ${Math.round(baseline / 1_048_576)} to ${Math.round(highest / 1_048_576)} MB`,
    );
    test.diagnostic(
      `resident memory: ${Math.round(baseline / 1_048_576)} MB before, at most ${Math.round(highest / 1_048_576)} MB; ${load.begun()} payments`,
    );
    await eventually(async () => assert.equal(await openPackages(node.pid), 0));
    await load.stop();
    assert.deepEqual([...warmUp.failures, ...load.failures], []);
    assert.equal((await filesIn(join(dataDirectory, "packages"))).length, 1);
  });

  it("an upload that a kill breaks off is gone after the start, and can be repeated at once", async (test) => {
    const { node, start, caller, dataDirectory } = await started(test);
    const folder = join(dataDirectory, "packages");
    const id = await createVersion(caller, 1);
    const kept = await uploadLarge(node.url, id, 2);
    const [known] = await filesIn(folder);
    let killed: Promise<unknown> | null = null;
    const broken = uploadLarge(node.url, id, 60, (pieces) => {
      if (pieces === 30) killed = node.kill();
    });
    await assert.rejects(broken);
    await killed;
    assert.equal((await filesIn(folder)).length, 2);
    const again = start();
    await again.ready();
    assert.deepEqual(await filesIn(folder), [known]);
    const caller2 = callerOf(test, again);
    assert.equal(member(await versionOf(caller2, id), "md5"), kept.md5);
    const repeated = await uploadLarge(again.url, id, 3);
    assert.equal(repeated.status, 200, repeated.text);
    assert.equal(member(await versionOf(caller2, id), "md5"), repeated.md5);
  });

  it("a full disk refuses the package, leaves nothing, and payments go on", async (test) => {
    const disk = await smallDisk(test);
    assert.notEqual(disk, null, "there is no way to fill a disk here");
    if (disk === null) return;
    const { node, caller } = await started(test, { RELAY_PACKAGE_DIR: disk.path });
    const id = await createVersion(caller, 1);
    // More than the disk has; where only files may be kept from growing, nothing can be stored meanwhile.
    await disk.fill(node.pid);
    const refused = await uploadLarge(node.url, id, 30);
    assert.equal(refused.status, 503, refused.text);
    assert.ok(!(await filesIn(disk.path)).some((name) => name.startsWith(".upload")), "the broken upload is still there");
    if (/no room/.test(refused.text)) assert.equal((await caller.pay("TILL", randomUUID()))?.status, 200);
    await disk.free(node.pid);
    await eventually(async () => {
      const taken = await uploadLarge(node.url, id, 3);
      assert.equal(taken.status, 200, taken.text);
    });
    assert.equal((await caller.pay("TILL", randomUUID()))?.status, 200);
  });

  it("a package and its deployment outlive a kill", async (test) => {
    const { node, start, caller } = await started(test);
    const id = await createVersion(caller, 7);
    const { md5 } = await uploadLarge(node.url, id, 2);
    const deployed = await caller.post(`/admin/app-versions/${id}/deploy-global`, {}, ADMINISTRATOR);
    assert.equal(deployed?.status, 200, deployed?.text);
    await node.kill();
    const again = start();
    await again.ready();
    const offer = await callerOf(test, again).get("/api/v1/app/version?terminalId=T1");
    assert.equal(member(offer?.body, "data", "md5"), md5);
    const got = await download(String(member(offer?.body, "data", "apkUrl")), {}, Number.POSITIVE_INFINITY);
    assert.deepEqual(got, { status: 200, bytes: 2 * 1_048_576, md5 });
  });
});
