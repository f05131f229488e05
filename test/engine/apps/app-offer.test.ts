import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { rolloutBucketOf } from "../../../engine/apps/app-catalog.ts";
import {
  type AppDeployment,
  addCounts,
  emptyTarget,
  type InstallStep,
  markAfter,
  NO_MARK,
  NOTHING_COUNTED,
  ROLLOUT_DEFAULT,
  type RolloutRings,
  type TargetRecord,
  targetName,
} from "../../../engine/apps/app-deployment.ts";
import { type OfferLookups, offerFor } from "../../../engine/apps/app-offer.ts";
import { type AppVersion, beginsAsZip } from "../../../engine/apps/app-version.ts";
import { newDeployment } from "../../../engine/apps/machine.ts";

const TERMINAL = { type: "terminal", terminalId: "T1" } as const;
const MERCHANT = { type: "merchant", merchantId: "Negozio 1/ò" } as const;
const GLOBAL = { type: "global" } as const;

function version(id: number, members: Partial<AppVersion> = {}): AppVersion {
  return {
    id,
    versionCode: id * 10,
    versionName: `v${id}`,
    mandatory: false,
    releaseNotes: "",
    active: true,
    createdAtMs: 0,
    package: { fileName: `app-${id}.apk`, md5: "", bytes: 4, storedAtMs: 0 },
    deleting: false,
    ...members,
  };
}

function deployment(id: number, members: Partial<AppDeployment> = {}): AppDeployment {
  return { ...newDeployment({ id, versionId: id, target: GLOBAL, atMs: 0, ...ROLLOUT_DEFAULT }), state: "active", ...members };
}

interface World {
  targets: TargetRecord[];
  deployments: AppDeployment[];
  versions?: AppVersion[];
  /** By deployment; 0 where absent. */
  buckets?: { [id: number]: number };
}

function offered({ targets, deployments, versions = [1, 2, 3].map((id) => version(id)), buckets = {} }: World, merchantId: string | null) {
  const lookups: OfferLookups = {
    target: (wanted) => targets.find(({ target }) => targetName(target) === targetName(wanted)) ?? null,
    deployment: (id) => deployments.find((one) => one.id === id) ?? null,
    version: (id) => versions.find((one) => one.id === id) ?? null,
    bucketOf: (id) => buckets[id] ?? 0,
    groupOf: () => "pilot",
  };
  return offerFor("T1", merchantId, lookups)?.version.id ?? null;
}

/** Two rings, of which the first has started; the group is in the ring with this index. */
function ringsOf(group: string, index: number): RolloutRings {
  const rings = [0, 1].map((at) => ({ groups: at === index ? [group] : [], percent: 0 }));
  return { rings, started: 0, advanceAfterReports: null };
}

const targets = [
  { ...emptyTarget(TERMINAL), current: 1 },
  { ...emptyTarget(MERCHANT), current: 2 },
  { ...emptyTarget(GLOBAL), current: 3 },
];
const all = [1, 2, 3].map((id) => deployment(id));
const withState = (id: number, state: AppDeployment["state"]) => all.map((one) => (one.id === id ? { ...one, state } : one));

const CASES: { title: string; world: World; merchantId?: string | null; expected: number | null }[] = [
  { title: "nothing deployed", world: { targets: [], deployments: [] }, expected: null },
  { title: "its own before its merchant's before all", world: { targets, deployments: all }, expected: 1 },
  { title: "its merchant's before all", world: { targets: targets.slice(1), deployments: all }, expected: 2 },
  { title: "another merchant's is not its own", world: { targets: targets.slice(1), deployments: all }, merchantId: "other", expected: 3 },
  { title: "without a merchant, what all get", world: { targets: targets.slice(1), deployments: all }, merchantId: null, expected: 3 },
  { title: "a paused one holds", world: { targets, deployments: withState(1, "paused") }, expected: null },
  { title: "a disabled one is as though it were not there", world: { targets, deployments: withState(1, "disabled") }, expected: 2 },
  {
    title: "a disabled one does not take away what stood before it",
    world: {
      targets: [{ ...emptyTarget(GLOBAL), current: 2, history: [1] }],
      deployments: [deployment(1, { state: "superseded" }), deployment(2, { state: "disabled", rolloutPercent: 50 })],
    },
    expected: 1,
  },
  {
    title: "a version without a package is never offered",
    world: { targets, deployments: all, versions: [version(1, { package: null }), version(2), version(3)] },
    expected: 2,
  },
  {
    title: "a version that is not active is never offered, whatever its deployment says",
    world: { targets, deployments: all, versions: [version(1, { active: false }), version(2, { deleting: true }), version(3)] },
    expected: 3,
  },
  {
    title: "a draft is not offered, what stands is",
    world: { targets: [{ ...emptyTarget(GLOBAL), current: 1, draft: 2 }], deployments: withState(2, "draft") },
    expected: 1,
  },
  {
    title: "inside the stage",
    world: {
      targets: [{ ...emptyTarget(GLOBAL), current: 2, history: [1] }],
      deployments: [deployment(1, { state: "superseded" }), deployment(2, { rolloutPercent: 10 })],
      buckets: { 2: 9.99 },
    },
    expected: 2,
  },
  {
    title: "outside the stage, what stood before",
    world: {
      targets: [{ ...emptyTarget(GLOBAL), current: 2, history: [1] }],
      deployments: [deployment(1, { state: "superseded" }), deployment(2, { rolloutPercent: 10 })],
      buckets: { 2: 10 },
    },
    expected: 1,
  },
  {
    title: "outside both stages, the one before those",
    world: {
      targets: [{ ...emptyTarget(GLOBAL), current: 3, history: [2, 1] }],
      deployments: [
        deployment(1, { state: "superseded" }),
        deployment(2, { state: "superseded", rolloutPercent: 50 }),
        deployment(3, { rolloutPercent: 10 }),
      ],
      buckets: { 2: 70, 3: 30 },
    },
    expected: 1,
  },
  {
    title: "no stage at all and nothing before: what comes next in precedence",
    world: { targets, deployments: [deployment(1, { rolloutPercent: 0 }), deployment(2), deployment(3)] },
    expected: 2,
  },
  {
    title: "in the group of a ring that has started",
    world: { targets: targets.slice(0, 1), deployments: [deployment(1, { rolloutPercent: 0, staged: ringsOf("pilot", 0) })] },
    expected: 1,
  },
  {
    title: "in the group of a ring that has not started",
    world: { targets: targets.slice(0, 1), deployments: [deployment(1, { rolloutPercent: 0, staged: ringsOf("pilot", 1) })] },
    expected: null,
  },
  {
    title: "in no group of a ring",
    world: { targets: targets.slice(0, 1), deployments: [deployment(1, { rolloutPercent: 0, staged: ringsOf("other", 0) })] },
    expected: null,
  },
  {
    title: "a paused one does not bring back what stood before",
    world: {
      targets: [{ ...emptyTarget(GLOBAL), current: 2, history: [1] }],
      deployments: [deployment(1, { state: "superseded" }), deployment(2, { state: "paused" })],
    },
    expected: null,
  },
];

describe("what a terminal is offered", () => {
  for (const { title, world, merchantId = MERCHANT.merchantId, expected } of CASES) {
    it(title, () => assert.equal(offered(world, merchantId), expected));
  }

  it("spreads terminals evenly over a rollout, and anew in each deployment", () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `SHOP-${index}`);
    const share = (id: number, percent: number) =>
      ids.filter((terminalId) => rolloutBucketOf(id, terminalId) < percent).length / ids.length;
    for (const percent of [1, 10, 50, 90]) {
      assert.ok(Math.abs(share(1, percent) - percent / 100) < 0.01, `${share(1, percent)} at ${percent} percent`);
    }
    const both = ids.filter((terminalId) => rolloutBucketOf(1, terminalId) < 10 && rolloutBucketOf(2, terminalId) < 10).length / ids.length;
    assert.ok(both < 0.02, "the same terminals come first in each rollout");
    assert.ok(ids.every((terminalId) => rolloutBucketOf(1, terminalId) < 100));
  });
});

describe("a terminal's marks", () => {
  it("move the counts so that each terminal stands once in each of them", () => {
    const step = fc.constantFrom<InstallStep>("offered", "downloaded", "installed", "failed");
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let mark = NO_MARK;
        let counts = NOTHING_COUNTED;
        for (const one of steps) {
          const next = markAfter(mark, one);
          if (next.mark === mark) assert.deepEqual(next.moves, NOTHING_COUNTED);
          counts = addCounts(counts, next.moves);
          mark = next.mark;
        }
        const installed = steps.includes("installed");
        assert.deepEqual(counts, {
          offered: Number(steps.includes("offered")),
          downloaded: Number(steps.includes("downloaded")),
          installed: Number(installed),
          failed: Number(!installed && steps.includes("failed")),
        });
      }),
    );
  });
});

describe("the reason of a failed install", () => {
  const failed = { ...NO_MARK, outcome: "failed" as const };
  it("is that of the latest report, and ends with a success", () => {
    const first = markAfter(NO_MARK, "failed", "no space").mark;
    assert.deepEqual(first, { ...failed, reason: "no space" });
    const second = markAfter(first, "failed", "wrong signature");
    assert.deepEqual(second, { mark: { ...failed, reason: "wrong signature" }, moves: NOTHING_COUNTED });
    assert.equal(markAfter(second.mark, "failed").mark, second.mark);
    assert.deepEqual(markAfter(second.mark, "installed").mark, { ...NO_MARK, outcome: "installed" });
  });
});

describe("a package", () => {
  it("begins as a ZIP file, as far as it has come", () => {
    const zip = [0x50, 0x4b, 3, 4, 0, 0];
    for (let length = 0; length <= zip.length; length += 1) assert.ok(beginsAsZip(Uint8Array.from(zip.slice(0, length))), `${length}`);
    for (const other of [[0], [0x50, 0x4c], [0x50, 0x4b, 5, 6], [0x7f, 0x45, 0x4c, 0x46]]) assert.ok(!beginsAsZip(Uint8Array.from(other)));
  });
});
