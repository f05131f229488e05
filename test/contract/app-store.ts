import assert from "node:assert/strict";
import { describe } from "node:test";
import { type AppDeployment, emptyTarget, NO_MARK, ROLLOUT_DEFAULT, targetName } from "../../engine/apps/app-deployment.ts";
import { type AppStore, UPLOAD_LOCK_MS } from "../../engine/apps/app-store.ts";
import type { AppVersion } from "../../engine/apps/app-version.ts";
import { INSTALL_LOG_LIFETIME_MS, INSTALL_LOGS_PER_VERSION_MAX } from "../../engine/apps/install-log.ts";
import { newDeployment } from "../../engine/apps/machine.ts";
import { ownWorldTest } from "./own-world.ts";

/** A store of its own for one test, empty. */
export interface OpenAppStore {
  store: AppStore;
  nowMs(): number;
  advance(ms: number): void;
  /** The same storage through another store, as another shard has it. */
  another(): AppStore;
  close(): Promise<void>;
}

const GLOBAL = { type: "global" } as const;

function version(id: number, versionCode: number): AppVersion {
  const members = { versionName: "v", mandatory: false, releaseNotes: "è", active: true, createdAtMs: 1, package: null, deleting: false };
  return { id, versionCode, ...members };
}

function deployment(id: number): AppDeployment {
  return newDeployment({ id, versionId: 1, target: GLOBAL, atMs: 1, ...ROLLOUT_DEFAULT });
}

/** The contract of engine/apps/app-store.ts; each engine's test file calls this. */
export function testAppStore(name: string, open: () => Promise<OpenAppStore>): void {
  describe(`${name} keeps the contract of the app store`, () => {
    const test = ownWorldTest(open);

    test("is empty at first, and holds what was committed", async ({ store, another }) => {
      assert.deepEqual(await store.load(), { versions: [], deployments: [], targets: [] });
      assert.equal(await store.version(1), null);
      const target = { ...emptyTarget(GLOBAL), current: 2 };
      const outcome = await store.commit({
        version: { record: version(1, 10), version: 0, codeBefore: null },
        deployments: [{ record: deployment(2), version: 0 }],
        targets: [{ record: target, version: 0 }],
        changesTable: true,
      });
      assert.equal(outcome, "committed");
      assert.deepEqual(await another().load(), { versions: [version(1, 10)], deployments: [deployment(2)], targets: [target] });
      assert.deepEqual((await store.version(1))?.record, version(1, 10));
      const [missing = null, known = null] = await store.deployments([9, 2]);
      assert.deepEqual([missing, known?.record], [null, deployment(2)]);
      assert.deepEqual((await store.target(targetName(GLOBAL), emptyTarget(GLOBAL))).record, target);
    });

    test("gives no number twice, whoever asks", async ({ store, another }) => {
      const other = another();
      const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : other).nextId()));
      assert.equal(new Set(ids).size, 20);
      assert.ok(Math.min(...ids) >= 1, "a number below 1");
    });

    test("a version code belongs to one version, and is free again when that has another or is gone", async ({ store }) => {
      const create = (id: number, versionCode: number) =>
        store.commit({ version: { record: version(id, versionCode), version: 0, codeBefore: null }, changesTable: true });
      const outcomes = await Promise.all([1, 2, 3, 4].map((id) => create(id, 10)));
      assert.deepEqual(outcomes.sort(), ["code_taken", "code_taken", "code_taken", "committed"]);
      const [kept] = (await store.load()).versions;
      assert.ok(kept, "none was kept");
      assert.equal(await create(5, 20), "committed");
      const before = await store.version(5);
      const move = (versionCode: number) =>
        store.commit({
          version: { record: version(5, versionCode), version: before?.version ?? 0, codeBefore: 20 },
          changesTable: true,
        });
      assert.equal(await move(10), "code_taken");
      assert.equal(await move(30), "committed");
      assert.equal(await move(40), "stale");
      assert.equal(await create(6, 20), "committed");
      const gone = await store.version(6);
      assert.ok(gone, "the version is not there");
      assert.equal(await store.commit({ removedVersion: gone, changesTable: true }), "committed");
      assert.equal(await store.commit({ removedVersion: gone, changesTable: true }), "stale");
      assert.equal(await create(7, 20), "committed");
    });

    test("a change that names another version of anything is stale as a whole", async ({ store }) => {
      await store.commit({ version: { record: version(1, 10), version: 0, codeBefore: null }, changesTable: true });
      const read = await store.version(1);
      assert.ok(read, "the version is not there");
      const deploy = (id: number, unchangedVersion = read) =>
        store.commit({ unchangedVersion, deployments: [{ record: deployment(id), version: 0 }], changesTable: true });
      assert.equal(await deploy(2), "committed");
      assert.equal(await deploy(3, { ...read, version: read.version + 1 }), "stale");
      assert.equal(await deploy(2), "stale");
      const target = { ...emptyTarget(GLOBAL), current: 2 };
      const point = (at: number) =>
        store.commit({
          targets: [{ record: target, version: at }],
          deployments: [{ record: deployment(4), version: 0 }],
          changesTable: true,
        });
      assert.equal(await point(7), "stale");
      assert.deepEqual(await store.deployments([3, 4]), [null, null]);
      assert.equal(await point(0), "committed");
      const pointed = await store.target(targetName(GLOBAL), emptyTarget(GLOBAL));
      const emptied = { record: emptyTarget(GLOBAL), version: pointed.version };
      assert.equal(await store.commit({ targets: [emptied], removedDeployments: [2, 4], changesTable: true }), "committed");
      assert.deepEqual((await store.load()).targets, []);
      assert.deepEqual((await store.load()).deployments, []);
    });

    test("of many who mark one terminal at once, one wins each time", async ({ store, another }) => {
      await store.commit({ deployments: [{ record: deployment(1), version: 0 }], changesTable: true });
      const mark = { record: { ...NO_MARK, offered: true }, version: 0, deploymentId: 1, terminalId: "T1" };
      const stores = Array.from({ length: 10 }, another);
      const outcomes = await Promise.all(stores.map((one) => one.commit({ marks: [mark], changesTable: false })));
      assert.equal(outcomes.filter((outcome) => outcome === "committed").length, 1);
      const [known, unknown] = await store.marks(1, ["T1", "T2"]);
      assert.deepEqual([known?.record, unknown], [mark.record, { record: NO_MARK, version: 0 }]);
      assert.deepEqual((await store.marks(2, ["T1"]))[0]?.record, NO_MARK);
    });

    test("the marks of one deployment are listed by terminal and removed, those of others stay", async ({ store }) => {
      for (const deploymentId of [1, 11]) {
        const marks = Array.from({ length: 1_500 }, (_, index) => ({ record: NO_MARK, version: 0, deploymentId, terminalId: `T${index}` }));
        assert.equal(await store.commit({ marks, changesTable: false }), "committed");
      }
      const page = await store.marksAfter(11, "T1497", 2);
      assert.deepEqual(page, [
        { terminalId: "T1498", mark: NO_MARK },
        { terminalId: "T1499", mark: NO_MARK },
      ]);
      assert.equal((await store.marksAfter(1, "", 1_000)).length, 1_000);
      assert.deepEqual(await store.marksAfter(1, "T999", 10), []);
      await store.clearMarks(1);
      const [gone] = await store.marks(1, ["T1499"]);
      const [kept] = await store.marks(11, ["T1499"]);
      assert.deepEqual([gone?.version === 0, kept?.version === 0], [true, false]);
    });

    test("one upload of a version at a time; a lock that nobody renews expires", async ({ store, another, advance }) => {
      const locks = await Promise.all(Array.from({ length: 8 }, () => another().lockUpload(1)));
      const [lock, ...more] = locks.filter((one) => one !== null);
      assert.ok(lock, "nobody got the lock");
      assert.deepEqual(more, []);
      assert.notEqual(await store.lockUpload(2), null);
      advance(UPLOAD_LOCK_MS - 1_000);
      const renewed = await store.renewUpload(lock);
      assert.ok(renewed, "the lock was not renewed");
      assert.equal(await store.renewUpload(lock), null);
      advance(UPLOAD_LOCK_MS - 1_000);
      assert.equal(await store.lockUpload(1), null);
      advance(2_000);
      const next = await store.lockUpload(1);
      assert.ok(next, "the lock has not expired");
      assert.equal(await store.renewUpload(renewed), null);
      const record = version(1, 10);
      const adopt = (upload: typeof next) =>
        store.commit({ version: { record, version: 0, codeBefore: null }, upload, changesTable: true });
      assert.equal(await adopt(renewed), "stale");
      assert.equal(await adopt(next), "committed");
      await store.releaseUpload(renewed);
      assert.equal(await store.lockUpload(1), null);
      await store.releaseUpload(next);
      assert.notEqual(await store.lockUpload(1), null);
      await store.clearUploads();
      assert.notEqual(await store.lockUpload(1), null);
    });

    test("keeps the latest reports of each version for thirty days", async ({ store, nowMs, advance }) => {
      const report = (terminalId: string, versionCode: number, fromTerminal = false) => ({
        receivedAtMs: nowMs(),
        terminalId,
        versionCode,
        status: "completed" as const,
        fromTerminal,
        body: "{}",
      });
      await store.appendInstallLog(report("other", 1));
      await store.appendInstallLog(report("itself", 11, true));
      for (let index = 0; index < INSTALL_LOGS_PER_VERSION_MAX + 200; index += 1) {
        advance(1);
        await store.appendInstallLog(report(`T${index}`, 11));
      }
      const logs = await store.installLogs(11, 5_000);
      assert.equal(logs.at(-1)?.terminalId, "itself", "strangers have pushed out what a terminal told");
      logs.pop();
      assert.ok(logs.length >= INSTALL_LOGS_PER_VERSION_MAX && logs.length <= INSTALL_LOGS_PER_VERSION_MAX + 64, `${logs.length} are kept`);
      assert.equal(logs[0]?.terminalId, `T${INSTALL_LOGS_PER_VERSION_MAX + 199}`);
      assert.deepEqual(
        (await store.installLogs(1, 5_000)).map(({ terminalId }) => terminalId),
        ["other"],
      );
      assert.deepEqual(
        (await store.installLogs(11, 10, true)).map(({ terminalId }) => terminalId),
        ["itself"],
      );
      assert.equal((await store.installLogs(11, 10, false)).length, 10);
      advance(INSTALL_LOG_LIFETIME_MS);
      assert.deepEqual(await store.installLogs(11, 5_000), []);
    });
  });
}
