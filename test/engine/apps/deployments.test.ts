import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAppCatalog } from "../../../engine/apps/app-catalog.ts";
import {
  type AppDeployment,
  type DeploymentTarget,
  HISTORY_MAX,
  ROLLOUT_DEFAULT,
  type RolloutOptions,
  type RolloutPlan,
} from "../../../engine/apps/app-deployment.ts";
import { createAppStore } from "../../../engine/apps/app-store.ts";
import { createAppVersions } from "../../../engine/apps/app-versions.ts";
import { createCheckAppVersion } from "../../../engine/apps/check-app-version.ts";
import { createDeployments } from "../../../engine/apps/deployments.ts";
import type { PackageStore } from "../../../engine/apps/package-store.ts";
import { createRecordInstall } from "../../../engine/apps/record-install.ts";
import { createTerminalProof, type Reporter } from "../../../engine/apps/terminal-proof.ts";
import { createUploadPackage } from "../../../engine/apps/upload-package.ts";
import type { RelayError } from "../../../engine/kernel/errors.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { syncedShards } from "../tables/world.ts";
import { settle } from "../world.ts";

const GLOBAL = { type: "global" } as const;
const STRANGER: Reporter = { caller: { type: "anonymous" }, ipAddress: "198.51.100.9" };
const NEVER_SEEN = { connectionStatus: "NEVER_CONNECTED", connected: false, sessions: 0, queued: 0, sent: 0 } as const;
const ZIP = Uint8Array.from([0x50, 0x4b, 3, 4, 9]);

/** Packages as they are named and removed; their bytes are of no interest here. */
class FakePackages implements PackageStore {
  readonly names = new Set<string>();
  /** Called when a package gets its name. */
  kept: () => Promise<void> = async () => {};

  async receive(read: Parameters<PackageStore["receive"]>[0]) {
    let bytes = 0;
    await read(async (piece) => {
      bytes += piece.byteLength;
    });
    return {
      md5: "d41d8cd98f00b204e9800998ecf8427e",
      bytes,
      keep: async (fileName: string) => {
        this.names.add(fileName);
        await this.kept();
      },
      discard: async () => {},
    };
  }

  open = async () => null;
  sweep = async () => 0;

  async remove(fileName: string): Promise<void> {
    this.names.delete(fileName);
  }
}

function world(count = 2) {
  const kv = new MemoryKv();
  const synced = syncedShards(count, kv);
  const packages = new FakePackages();
  const merchants = new Map<string, string>();
  const groups = new Map<string, string>();
  /** Of the terminals' last polls. */
  const addresses = new Map<string, string>();
  const denied = new Set<string>();
  let uuids = 0;
  const shards = synced.shards.map(({ tables, address }) => {
    const failures: string[] = [];
    const { clock } = synced;
    const store = createAppStore({ kv, nowMs: clock.nowMs, writer: address });
    const catalog = createAppCatalog({
      store,
      tables,
      merchants: { merchantOf: (terminalId) => merchants.get(terminalId) ?? null, groupOf: (terminalId) => groups.get(terminalId) ?? null },
    });
    const failed = (what: string) => failures.push(what);
    const deployments = createDeployments({ store, catalog, clock, failed });
    const versions = createAppVersions(store, catalog, deployments, packages, clock);
    const ids = {
      uuid: () => {
        uuids += 1;
        return `00000000-0000-4000-8000-${String(uuids).padStart(12, "0")}`;
      },
    };
    const upload = createUploadPackage({ store, catalog, deployments, packages, clock, ids });
    const directory = { isDenied: (terminalId: string) => denied.has(terminalId) };
    const view = async (terminalId: string) => {
      const ipAddress = addresses.get(terminalId);
      return { ...NEVER_SEEN, terminalId, device: ipAddress === undefined ? {} : { ipAddress } };
    };
    const sameClient = (one: string, other: string) => one === other;
    const proof = createTerminalProof({ terminals: { view }, directory, sameClient, failed });
    const checkAppVersion = createCheckAppVersion({ catalog, deployments, proof, directory });
    const check = (terminalId: string, current: number | null) => checkAppVersion(STRANGER, terminalId, current);
    const install = createRecordInstall({ store, catalog, deployments, proof, clock });
    return { tables, store, catalog, deployments, versions, upload, check, install, failures, clock, ids };
  });
  const [one, other = one] = shards;
  assert.ok(one !== undefined && other !== undefined, "a world has shards");

  async function create(versionCode: number, withPackage = true): Promise<number> {
    assert.ok(one, "there is a shard");
    const { id } = await one.versions.create({ versionCode, versionName: "v", mandatory: false, releaseNotes: "", active: true });
    if (withPackage) await one.upload(id, (take) => take(ZIP));
    return id;
  }

  return { kv, one, other, shards, packages, merchants, groups, addresses, denied, create, synced };
}

const deploy = (
  shard: ReturnType<typeof world>["one"],
  versionId: number,
  target: DeploymentTarget = GLOBAL,
  options: Partial<RolloutPlan> = {},
): Promise<AppDeployment> => shard.deployments.deploy(versionId, target, { ...ROLLOUT_DEFAULT, ...options });

describe("app deployments", () => {
  it("are known on every shard when they are answered", async () => {
    const { one, other, create, merchants } = world();
    merchants.set("T1", "M1");
    const [first, second] = [await create(1), await create(2)];
    await deploy(one, first);
    assert.equal(other.check("T1", null)?.version.versionCode, 1);
    await deploy(other, second, { type: "merchant", merchantId: "M1" });
    assert.equal(one.check("T1", 1)?.version.versionCode, 2);
    assert.equal(one.check("T2", null)?.version.versionCode, 1);
    assert.equal(one.check("T2", 1), null);
  });

  it("one stands when several are deployed to one target at once, the others are its history", async () => {
    const { shards, one, create } = world(3);
    const ids = [await create(1), await create(2), await create(3)];
    const made = await Promise.all(ids.map((id, index) => deploy(shards[index] ?? one, id)));
    const record = one.catalog.target(GLOBAL);
    assert.deepEqual([record?.current, ...(record?.history ?? [])].sort(), made.map(({ id }) => id).sort());
    const states = one.catalog.deployments().map(({ state }) => state);
    assert.deepEqual(states.sort(), ["active", "superseded", "superseded"]);
  });

  it("keep every option when several are changed at once", async () => {
    const { shards, one, create } = world(3);
    const { id } = await deploy(one, await create(1));
    const changes: Partial<RolloutOptions>[] = [{ rolloutPercent: 20 }, { pauseAtFailurePercent: 5 }, { pauseAfterReports: 3 }];
    await Promise.all(changes.map((change, index) => (shards[index] ?? one).deployments.tune(id, change)));
    const [stored] = await one.deployments.read([id]);
    assert.deepEqual([stored?.rolloutPercent, stored?.pauseAtFailurePercent, stored?.pauseAfterReports], [20, 5, 3]);
  });

  it("keeps a bounded history, and forgets the marks of what it drops", async () => {
    const { kv, one, create } = world();
    const id = await create(1);
    const first = await deploy(one, id);
    await one.deployments.count(first.id, "T1", "offered");
    assert.equal(kv.keys(`app/mark/${first.id}/`).length, 1);
    for (let more = 0; more < HISTORY_MAX + 1; more += 1) await deploy(one, id);
    assert.equal(one.catalog.deployments().length, HISTORY_MAX + 1);
    assert.deepEqual(await one.deployments.read([first.id]), [null]);
    assert.deepEqual(kv.keys(`app/mark/${first.id}/`), []);
  });

  it("a draft gives way to whatever is deployed later, and never comes back", async () => {
    const { one, create } = world();
    const [empty, full] = [await create(2, false), await create(1)];
    const draft = await deploy(one, empty);
    assert.equal(draft.state, "draft");
    await deploy(one, full);
    await one.upload(empty, (take) => take(ZIP));
    assert.equal(one.check("T1", null)?.version.versionCode, 1);
    assert.equal(one.catalog.deployment(draft.id)?.state, "superseded");
  });

  it("a draft of a withdrawn version begins when that is active again, if its package came meanwhile", async () => {
    const { one, create } = world();
    const [before, id] = [await create(1), await create(2, false)];
    await deploy(one, before);
    const draft = await deploy(one, id);
    await one.versions.setActive(id, false);
    await one.upload(id, (take) => take(ZIP));
    assert.equal(one.catalog.deployment(draft.id)?.state, "disabled");
    assert.equal(one.check("T1", null)?.version.versionCode, 1);
    await one.versions.setActive(id, true);
    assert.equal(one.check("T1", null)?.version.versionCode, 2);
  });

  it("one that an administrator starts takes its place then, not when its package comes", async () => {
    const { one, other, create } = world();
    const [before, id] = [await create(1), await create(2, false)];
    await deploy(one, before);
    const draft = await deploy(one, id, GLOBAL, { startsByHand: true });
    await one.upload(id, (take) => take(ZIP));
    assert.equal(other.check("T1", null)?.version.versionCode, 1);
    assert.equal((await one.deployments.start(draft.id)).state, "active");
    assert.equal(other.check("T1", null)?.version.versionCode, 2);
    await assert.rejects(one.deployments.start(draft.id), { code: "conflict" });
  });

  it("one that was started before its package came takes its place with it", async () => {
    const { one, create } = world();
    const id = await create(1, false);
    const draft = await deploy(one, id, GLOBAL, { startsByHand: true });
    assert.equal((await one.deployments.start(draft.id)).state, "draft");
    await one.upload(id, (take) => take(ZIP));
    assert.equal(one.check("T1", null)?.version.versionCode, 1);
  });

  it("is offered ring by ring, to groups and to a percentage", async () => {
    const { one, other, create, groups } = world();
    groups.set("PILOT", "pilot");
    const rings = [
      { groups: ["pilot"], percent: 0 },
      { groups: [], percent: 100 },
    ];
    const { id } = await deploy(one, await create(1), GLOBAL, { rings });
    assert.deepEqual([other.check("PILOT", null)?.version.versionCode, other.check("T1", null)], [1, null]);
    await assert.rejects(one.deployments.tune(id, { rolloutPercent: 50 }), { code: "conflict" });
    assert.equal((await one.deployments.startNextRing(id)).staged?.started, 1);
    assert.equal(other.check("T1", null)?.version.versionCode, 1);
    await assert.rejects(one.deployments.startNextRing(id), { code: "conflict" });
  });

  it("a stopped one is offered no more, and what stood before it is offered again", async () => {
    const { one, other, create } = world();
    const first = await deploy(one, await create(1));
    const second = await deploy(one, await create(2));
    const stopped = await one.deployments.stop(second.id);
    assert.deepEqual([stopped.id, stopped.state, stopped.stopped], [second.id, "superseded", true]);
    assert.equal(other.check("T1", null)?.version.versionCode, 1);
    await one.deployments.stop(first.id);
    assert.equal(other.check("T1", null), null);
    for (const { id } of [first, second]) {
      for (const step of ["stop", "resume", "rollBack", "start"] as const) {
        await assert.rejects(one.deployments[step](id), { code: "conflict" }, `${step} ${id}`);
      }
    }
  });

  it("a stopped draft never comes into its place", async () => {
    const { one, create } = world();
    const id = await create(1, false);
    const draft = await deploy(one, id);
    await one.deployments.stop(draft.id);
    await one.upload(id, (take) => take(ZIP));
    assert.equal(one.check("T1", null), null);
  });

  it("a roll-back past the first deployment, or to a version that is gone, is refused", async () => {
    const { one, create } = world();
    const [older, newer] = [await create(1), await create(2)];
    const first = await deploy(one, older);
    const second = await deploy(one, newer);
    const conflict = { code: "conflict" };
    await assert.rejects(one.deployments.rollBack(first.id), conflict);
    await one.versions.setActive(older, false);
    await assert.rejects(one.deployments.rollBack(second.id), conflict);
    assert.equal(one.check("T1", null)?.version.versionCode, 2);
    await one.versions.setActive(older, true);
    assert.equal((await one.deployments.rollBack(second.id)).id, first.id);
    assert.equal(one.check("T1", null)?.version.versionCode, 1);
    await one.versions.remove(newer);
    assert.deepEqual(one.catalog.target(GLOBAL)?.retired, []);
    await assert.rejects(one.deployments.rollBack(first.id), conflict);
  });

  it("counts from several shards at once come out exact, whichever commits fail", async () => {
    const { kv, shards, one, create } = world(3);
    const { id } = await deploy(one, await create(1));
    const terminals = Array.from({ length: 300 }, (_, index) => `T${index}`);
    const counts = terminals.flatMap((terminalId, index) =>
      shards.flatMap(({ deployments }) => [
        deployments.count(id, terminalId, "offered"),
        deployments.count(id, terminalId, index % 2 === 0 ? "installed" : "failed"),
      ]),
    );
    // Some answers are lost: the callers do not know whether they were counted, and ask again.
    let commits = 0;
    kv.fate = () => {
      commits += 1;
      return commits % 3 === 0 ? "answer lost" : "done";
    };
    await Promise.allSettled(counts);
    kv.fate = () => "done";
    await Promise.all(
      terminals.flatMap((terminalId, index) => [
        one.deployments.count(id, terminalId, "offered"),
        one.deployments.count(id, terminalId, index % 2 === 0 ? "installed" : "failed"),
      ]),
    );
    const [read] = await one.deployments.read([id]);
    assert.deepEqual(read?.counts, { offered: 300, downloaded: 0, installed: 150, failed: 150 });
  });

  it("a fleet that asks at once makes few commits, and none when it asks again", async () => {
    const { kv, one, create } = world(1);
    const { id } = await deploy(one, await create(1));
    const before = kv.commits;
    const ask = () => Promise.all(Array.from({ length: 1_000 }, (_, index) => one.deployments.count(id, `T${index}`, "offered")));
    await ask();
    assert.ok(kv.commits - before <= 20, `${kv.commits - before} commits`);
    const after = kv.commits;
    await ask();
    assert.equal(kv.commits, after);
  });

  it("only what a terminal tells itself is counted, once, and pauses it", async () => {
    const { one, create, addresses, denied } = world();
    const { id } = await deploy(one, await create(31), GLOBAL, { pauseAtFailurePercent: 50, pauseAfterReports: 2 });
    const report = (terminalId: string, reporter: Reporter, members: object = {}) =>
      one.install.report({ reporter, terminalId: null, body: { terminalId, versionCode: 31, status: "failed", ...members } });
    const login = (terminalId: string, ...manages: string[]): Reporter => ({
      caller: { type: "terminal", terminalId, manages: new Set(manages) },
      ipAddress: "198.51.100.1",
    });
    addresses.set("T1", "192.0.2.1").set("T2", "192.0.2.2").set("T5", "192.0.2.5");
    denied.add("T5");
    for (let index = 0; index < 8; index += 1) await report(`MADE-UP-${index}`, STRANGER);
    for (const terminalId of ["T1", "T2"]) await report(terminalId, STRANGER);
    await report("T1", login("T2"));
    await report("T1", { caller: { type: "administrator", username: "a", role: "owner" }, ipAddress: "198.51.100.1" });
    await report("T5", { ...STRANGER, ipAddress: "192.0.2.5" });
    assert.notEqual(one.check("T1", null), null);
    one.install.downloaded(STRANGER, "T1", 1);
    await settle();
    await one.catalog.propagate();
    assertMatches(one.catalog.deployment(id), { state: "active", counts: { offered: 0, downloaded: 0, installed: 0, failed: 0 } });
    await report("T1", { ...STRANGER, ipAddress: "192.0.2.1" });
    await report("T1", login("T1"));
    await report("T1", login("T1"));
    // Neither does what its own reports say of another version, or of no end.
    await report("T2", login("T2"), { versionCode: 32 });
    await report("T2", login("T2"), { status: "started" });
    await one.catalog.propagate();
    assertMatches(one.catalog.deployment(id), { counts: { failed: 1 } });
    await report("T2", login("T3", "T2"));
    await settle();
    assertMatches(one.catalog.deployment(id), { state: "paused", pausedBecause: "failures", counts: { failed: 2 } });
    assert.deepEqual(one.failures, []);
  });

  it("a denied terminal is offered nothing", async () => {
    const { one, create, denied } = world();
    await deploy(one, await create(1));
    denied.add("T1");
    assert.deepEqual([one.check("T1", null), one.check("T2", null)?.version.versionCode], [null, 1]);
  });

  it("failures on one shard pause it on all", async () => {
    const { one, other, create } = world();
    const { id } = await deploy(one, await create(1), GLOBAL, { pauseAtFailurePercent: 50, pauseAfterReports: 2 });
    await one.deployments.count(id, "T1", "failed");
    await other.deployments.count(id, "T2", "failed");
    await settle();
    assert.deepEqual([one.check("T3", null), other.check("T3", null)], [null, null]);
    assert.equal(one.catalog.deployment(id)?.pausedBecause, "failures");
  });

  it("a version cannot be deployed or uploaded while it is deleted, and its file goes with it", async () => {
    const { one, other, create, packages } = world();
    const id = await create(1);
    const target = { type: "terminal", terminalId: "T1" } as const;
    const results = await Promise.allSettled([
      one.versions.remove(id),
      deploy(other, id, target),
      other.upload(id, (take) => take(ZIP)),
      deploy(one, id),
    ]);
    for (const result of results.slice(1)) {
      if (result.status === "rejected") assert.equal((result.reason as RelayError).code, "not_found");
    }
    assert.equal(results[0]?.status, "fulfilled");
    assert.deepEqual([one.catalog.versions(), one.catalog.deployments(), one.catalog.targetCount()], [[], [], 0]);
    assert.deepEqual([...packages.names], []);
  });

  it("a deletion that breaks off is finished by the next one", async () => {
    const { kv, one, create, packages } = world();
    const id = await create(1);
    await deploy(one, id);
    let commits = 0;
    kv.fate = () => {
      commits += 1;
      return commits === 2 ? "refused" : "done";
    };
    await assert.rejects(one.versions.remove(id), { code: "unavailable" });
    kv.fate = () => "done";
    await one.tables.load();
    assert.equal(one.check("T1", null), null);
    await one.versions.remove(id);
    assert.deepEqual([...packages.names], []);
    assert.deepEqual(
      kv.keys("app/").filter((key) => key !== "app/last-id"),
      [],
    );
  });

  it("of two uploads of one version the second is refused until the first has ended", async () => {
    const { one, other, create, packages } = world();
    const id = await create(1, false);
    let go = () => {};
    const slow = one.upload(id, async (take) => {
      await take(ZIP);
      await new Promise<void>((resolve) => {
        go = resolve;
      });
    });
    await settle();
    await assert.rejects(
      other.upload(id, (take) => take(ZIP)),
      { code: "conflict" },
    );
    go();
    await slow;
    assert.equal(packages.names.size, 1);
    await other.upload(id, (take) => take(ZIP));
    assert.equal(packages.names.size, 1);
  });

  it("a package whose version changes meanwhile is adopted by what the version is then", async () => {
    const { one, other, create, packages } = world();
    const id = await create(1, false);
    packages.kept = async () => {
      await other.versions.change(id, { releaseNotes: "changed" });
    };
    const version = await one.upload(id, (take) => take(ZIP));
    assert.deepEqual([version.releaseNotes, version.package?.bytes], ["changed", 5]);
  });

  it("the package of a deployed version is not replaced, whatever holds the deployment up", async () => {
    const { one, other, create, packages } = world();
    const [id, next] = [await create(1), await create(2)];
    let read = 0;
    const replace = () =>
      other.upload(id, (take) => {
        read += 1;
        return take(ZIP);
      });
    const refused = { code: "conflict", message: /is deployed.*higher versionCode/ };
    await replace();
    const { id: first } = await deploy(one, id);
    await assert.rejects(replace, refused, "active");
    await one.deployments.pause(first);
    await assert.rejects(replace, refused, "paused");
    await one.versions.setActive(id, false);
    await assert.rejects(replace, refused, "withdrawn");
    await one.versions.setActive(id, true);
    const { id: second } = await deploy(one, next);
    await assert.rejects(replace, refused, "what a roll-back goes to");
    assert.equal(read, 1, "nothing is received before it is refused");
    assert.equal(packages.names.size, 2);
    // What was rolled back is offered no more, and does not come back.
    await one.deployments.rollBack(second);
    await other.upload(next, (take) => take(ZIP));
    assert.equal(packages.names.size, 2);
  });

  it("a version that is deployed while its new package arrives keeps the package that it had", async () => {
    const { one, other, create, packages } = world();
    const id = await create(1);
    const before = one.catalog.version(id)?.package;
    packages.kept = async () => {
      await deploy(other, id);
    };
    await assert.rejects(
      one.upload(id, (take) => take(ZIP)),
      { code: "conflict", message: /is deployed/ },
    );
    assert.deepEqual(one.catalog.version(id)?.package, before);
    assert.equal(packages.names.size, 1);
  });

  it("a version that is deployed between an upload's last look and its commit keeps the package that it had", async () => {
    const { one, other, create, packages } = world();
    const id = await create(1);
    let looks = 0;
    const upload = createUploadPackage({
      ...one,
      packages,
      deployments: {
        ...one.deployments,
        isDeployed: async (versionId) => {
          const found = await one.deployments.isDeployed(versionId);
          looks += 1;
          // The first look is before the file is received.
          if (looks === 2) await deploy(other, id);
          return found;
        },
      },
    });
    await assert.rejects(
      upload(id, (take) => take(ZIP)),
      { code: "conflict", message: /is deployed/ },
    );
    assert.equal(looks, 3);
    assert.equal(packages.names.size, 1);
  });

  it("a package that arrives byte by byte is looked at all the same", async () => {
    const { one, create, packages } = world();
    const id = await create(1, false);
    await one.upload(id, async (take) => {
      for (const byte of ZIP) await take(Uint8Array.of(byte));
    });
    const notOne = one.upload(id, async (take) => {
      for (const byte of [0x50, 0x4b, 3, 5]) await take(Uint8Array.of(byte));
    });
    await assert.rejects(notOne, { code: "invalid_request" });
    assert.equal(packages.names.size, 1);
  });
});
