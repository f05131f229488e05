import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type AppDeployment, type DeploymentState, NOTHING_COUNTED, ROLLOUT_DEFAULT } from "../../../engine/apps/app-deployment.ts";
import {
  appDeploymentMachine,
  DEPLOYMENT_STATES,
  type DeploymentEvent,
  type DeploymentStep,
  newDeployment,
  stepDeployment,
} from "../../../engine/apps/machine.ts";
import { xstateStep } from "../../support/xstate-step.ts";

const CREATED_MS = 1_000;
const NOW_MS = 2_000;

function deployment(state: DeploymentState, members: Partial<AppDeployment> = {}): AppDeployment {
  const created = newDeployment({ id: 7, versionId: 3, target: { type: "global" }, atMs: CREATED_MS, ...ROLLOUT_DEFAULT });
  return { ...created, state, ...members };
}

/** The machine is compiled: XState's own transition has to come to the same. */
function assertAsXState({ state, ...context }: AppDeployment, event: DeploymentEvent, step: DeploymentStep): void {
  const next = xstateStep(appDeploymentMachine, state, context, event);
  const { state: stateAfter, ...contextAfter } = step.record;
  assert.deepEqual([stateAfter, contextAfter], [next.state, next.context]);
  assert.equal(step.offerChanged, next.effects.length > 0);
  assert.equal(step.changed, next.state !== state || next.context !== context);
}

const at = { atMs: NOW_MS };
const options = { rolloutPercent: 50, pauseAtFailurePercent: 20, pauseAfterReports: 5 };
const moved = (moves: Partial<typeof NOTHING_COUNTED>): DeploymentEvent => ({
  type: "terminals.counted",
  ...at,
  moves: { ...NOTHING_COUNTED, ...moves },
});

interface Row {
  title: string;
  from: AppDeployment;
  event: DeploymentEvent;
  /** What changes beside `changedAtMs`; absent: the event means nothing. */
  to?: Partial<AppDeployment>;
  /** Where only counts move, nobody else has to know. */
  quiet?: true;
}

const guarded = { pauseAtFailurePercent: 50, pauseAfterReports: 4 };
const staged = {
  rings: [
    { groups: ["pilot"], percent: 0 },
    { groups: [], percent: 10 },
    { groups: [], percent: 100 },
  ],
  started: 0,
  advanceAfterReports: null,
};
const alone = { ...staged, rings: [staged.rings[0], staged.rings[2]].flatMap((ring) => ring ?? []), advanceAfterReports: 5 };
const counts = { offered: 9, downloaded: 8, installed: 2, failed: 1 };

const ROWS: Row[] = [
  {
    title: "a draft begins when the package comes",
    from: deployment("draft"),
    event: { type: "package.stored", ...at },
    to: { state: "active" },
  },
  {
    title: "a draft of a withdrawn version is a draft again later",
    from: deployment("draft"),
    event: { type: "version.disabled", ...at },
    to: { state: "disabled", resumesAs: "draft" },
  },
  { title: "a draft cannot be paused", from: deployment("draft"), event: { type: "deployment.paused", ...at } },
  {
    title: "a draft gives way to a later deployment",
    from: deployment("draft"),
    event: { type: "deployment.superseded", ...at },
    to: { state: "superseded" },
  },
  { title: "a draft counts nothing", from: deployment("draft"), event: moved({ offered: 1 }) },
  { title: "another package changes nothing for an active one", from: deployment("active"), event: { type: "package.stored", ...at } },
  {
    title: "an operator pauses it",
    from: deployment("active"),
    event: { type: "deployment.paused", ...at },
    to: { state: "paused", pausedBecause: "operator" },
  },
  { title: "it cannot be paused twice", from: deployment("paused"), event: { type: "deployment.paused", ...at } },
  { title: "an active one cannot be resumed", from: deployment("active"), event: { type: "deployment.resumed", ...at } },
  {
    title: "resuming forgets the failures before",
    from: deployment("paused", { pausedBecause: "failures", counts }),
    event: { type: "deployment.resumed", ...at },
    to: { state: "active", pausedBecause: null, countedBefore: { installed: 2, failed: 1 } },
  },
  {
    title: "a withdrawn version disables it",
    from: deployment("active"),
    event: { type: "version.disabled", ...at },
    to: { state: "disabled", resumesAs: "active" },
  },
  {
    title: "a paused one of a withdrawn version stays paused later",
    from: deployment("paused", { pausedBecause: "operator" }),
    event: { type: "version.disabled", ...at },
    to: { state: "disabled", resumesAs: "paused" },
  },
  {
    title: "active again: a draft",
    from: deployment("disabled", { resumesAs: "draft" }),
    event: { type: "version.enabled", ...at },
    to: { state: "draft" },
  },
  {
    title: "active again: a paused one",
    from: deployment("disabled", { resumesAs: "paused", pausedBecause: "failures" }),
    event: { type: "version.enabled", ...at },
    to: { state: "paused" },
  },
  {
    title: "active again: an active one",
    from: deployment("disabled", { resumesAs: "active" }),
    event: { type: "version.enabled", ...at },
    to: { state: "active" },
  },
  { title: "an active version enables nothing", from: deployment("active"), event: { type: "version.enabled", ...at } },
  {
    title: "a package does not begin a disabled one",
    from: deployment("disabled", { resumesAs: "draft" }),
    event: { type: "package.stored", ...at },
  },
  {
    title: "a disabled one gives way",
    from: deployment("disabled"),
    event: { type: "deployment.superseded", ...at },
    to: { state: "superseded" },
  },
  {
    title: "a paused one gives way",
    from: deployment("paused"),
    event: { type: "deployment.superseded", ...at },
    to: { state: "superseded" },
  },
  {
    title: "a roll-back brings one back, its failures forgotten",
    from: deployment("superseded", { counts, pausedBecause: "failures" }),
    event: { type: "deployment.restored", ...at },
    to: { state: "active", pausedBecause: null, countedBefore: { installed: 2, failed: 1 } },
  },
  { title: "only what was replaced is brought back", from: deployment("active"), event: { type: "deployment.restored", ...at } },
  { title: "what was replaced is not paused", from: deployment("superseded"), event: { type: "deployment.paused", ...at } },
  { title: "what was replaced is not changed", from: deployment("superseded"), event: { type: "rollout.changed", ...at, options } },
  { title: "a withdrawn version leaves it replaced", from: deployment("superseded"), event: { type: "version.disabled", ...at } },
  { title: "its stage is changed", from: deployment("active"), event: { type: "rollout.changed", ...at, options }, to: options },
  {
    title: "reports below the threshold only count",
    from: deployment("active", guarded),
    event: moved({ installed: 3, failed: 2 }),
    to: { counts: { ...NOTHING_COUNTED, installed: 3, failed: 2 } },
    quiet: true,
  },
  {
    title: "too few reports only count",
    from: deployment("active", guarded),
    event: moved({ failed: 3 }),
    to: { counts: { ...NOTHING_COUNTED, failed: 3 } },
    quiet: true,
  },
  {
    title: "failures at the threshold pause it",
    from: deployment("active", guarded),
    event: moved({ installed: 2, failed: 2 }),
    to: { state: "paused", pausedBecause: "failures", counts: { ...NOTHING_COUNTED, installed: 2, failed: 2 } },
  },
  {
    title: "without a threshold any number of failures only counts",
    from: deployment("active"),
    event: moved({ failed: 1_000 }),
    to: { counts: { ...NOTHING_COUNTED, failed: 1_000 } },
    quiet: true,
  },
  {
    title: "what failed before it was resumed does not pause it again",
    from: deployment("active", { ...guarded, counts: { ...counts, failed: 50 }, countedBefore: { installed: 2, failed: 50 } }),
    event: moved({ failed: 3 }),
    to: { counts: { ...counts, failed: 53 } },
    quiet: true,
  },
  {
    title: "late reports of a replaced one count",
    from: deployment("superseded", { ...guarded, counts }),
    event: moved({ failed: 9 }),
    to: { counts: { ...counts, failed: 10 } },
    quiet: true,
  },
  {
    title: "a failure that became a success moves from one to the other",
    from: deployment("paused", { counts }),
    event: moved({ installed: 1, failed: -1 }),
    to: { counts: { ...counts, installed: 3, failed: 0 } },
    quiet: true,
  },
  {
    title: "a draft that an administrator has to start does not begin with its package",
    from: deployment("draft", { startsByHand: true }),
    event: { type: "package.stored", ...at },
  },
  {
    title: "an administrator starts a draft, which then needs only its package",
    from: deployment("draft", { startsByHand: true }),
    event: { type: "deployment.started", ...at },
    to: { startsByHand: false },
  },
  {
    title: "a draft that waits for its package alone cannot be started",
    from: deployment("draft"),
    event: { type: "deployment.started", ...at },
  },
  {
    title: "an active one cannot be started",
    from: deployment("active", { startsByHand: true }),
    event: { type: "deployment.started", ...at },
  },
  ...(["draft", "active", "paused", "disabled"] as const).map((state) => ({
    title: `an administrator stops a deployment that is ${state}`,
    from: deployment(state),
    event: { type: "deployment.stopped" as const, ...at },
    to: { state: "superseded" as const, stopped: true },
  })),
  {
    title: "a stopped one cannot be stopped again",
    from: deployment("superseded", { stopped: true }),
    event: { type: "deployment.stopped", ...at },
  },
  {
    title: "an administrator starts the next ring, which has reports of its own",
    from: deployment("active", { staged, rolloutPercent: 0, counts }),
    event: { type: "ring.started", ...at },
    to: { staged: { ...staged, started: 1 }, rolloutPercent: 10, countedBefore: { installed: 2, failed: 1 } },
  },
  {
    title: "a later ring with a smaller percentage takes nobody out",
    from: deployment("active", { staged: { ...staged, started: 1 }, rolloutPercent: 30 }),
    event: { type: "ring.started", ...at },
    to: { staged: { ...staged, started: 2 }, rolloutPercent: 100 },
  },
  {
    title: "there is no ring after the last one",
    from: deployment("active", { staged: { ...staged, started: 2 } }),
    event: { type: "ring.started", ...at },
  },
  { title: "without rings there is no next one", from: deployment("active"), event: { type: "ring.started", ...at } },
  { title: "a paused one starts no ring", from: deployment("paused", { staged }), event: { type: "ring.started", ...at } },
  {
    title: "the next ring starts by itself after enough reports with few failures",
    from: deployment("active", { staged: alone, ...guarded, counts: { ...counts, installed: 3, failed: 1 } }),
    event: moved({ installed: 1 }),
    to: {
      staged: { ...alone, started: 1 },
      rolloutPercent: 100,
      counts: { ...counts, installed: 4, failed: 1 },
      countedBefore: { installed: 4, failed: 1 },
    },
  },
  {
    title: "the next ring does not start before enough reports",
    from: deployment("active", { staged: alone, ...guarded, counts: { ...counts, installed: 2, failed: 0 } }),
    event: moved({ installed: 1 }),
    to: { counts: { ...counts, installed: 3, failed: 0 } },
    quiet: true,
  },
  {
    title: "with too many failures it pauses instead",
    from: deployment("active", { staged: alone, ...guarded, counts: { ...counts, installed: 2, failed: 2 } }),
    event: moved({ failed: 1 }),
    to: { state: "paused", pausedBecause: "failures", counts: { ...counts, installed: 2, failed: 3 } },
  },
  {
    title: "without a limit any failure keeps the next ring from starting",
    from: deployment("active", { staged: alone, counts: { ...counts, installed: 5, failed: 1 } }),
    event: moved({ installed: 1 }),
    to: { counts: { ...counts, installed: 6, failed: 1 } },
    quiet: true,
  },
  {
    title: "a ring that an administrator starts does not start by itself",
    from: deployment("active", { staged, ...guarded, counts: { ...counts, installed: 99, failed: 0 } }),
    event: moved({ installed: 1 }),
    to: { counts: { ...counts, installed: 100, failed: 0 } },
    quiet: true,
  },
];

describe("the app deployment actor", () => {
  for (const { title, from, event, to, quiet } of ROWS) {
    it(title, () => {
      const { record, changed, offerChanged } = stepDeployment(from, event);
      assert.deepEqual([changed, offerChanged], [to !== undefined, to !== undefined && quiet !== true]);
      const stamp = to === undefined || quiet === true ? {} : { changedAtMs: NOW_MS };
      assert.deepEqual(record, { ...from, ...to, ...stamp });
    });
  }

  it("keeps its identity, its target and its counts' history over any events, and steps as XState would", () => {
    const event: fc.Arbitrary<DeploymentEvent> = fc.oneof(
      fc
        .constantFrom(
          "package.stored" as const,
          "version.disabled" as const,
          "version.enabled" as const,
          "deployment.paused" as const,
          "deployment.resumed" as const,
          "deployment.superseded" as const,
          "deployment.restored" as const,
          "deployment.started" as const,
          "deployment.stopped" as const,
          "ring.started" as const,
        )
        .map((type) => ({ type, ...at })),
      fc.constant({ type: "rollout.changed" as const, ...at, options }),
      fc.record({ installed: fc.nat(9), failed: fc.nat(9) }).map(moved),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let record = deployment("draft", { staged: alone, startsByHand: true, pauseAtFailurePercent: 40 });
        for (const one of events) {
          const step = stepDeployment(record, one);
          assertAsXState(record, one, step);
          assert.ok(DEPLOYMENT_STATES.includes(step.record.state), step.record.state);
          // Every shard is told of whatever a terminal's offer depends on.
          const offered = ({ state, rolloutPercent, staged }: AppDeployment) => `${state} ${rolloutPercent} ${staged?.started}`;
          if (offered(step.record) !== offered(record)) assert.equal(step.offerChanged, true);
          if (!step.changed) assert.deepEqual(step.record, record);
          assert.ok(step.record.counts.installed >= record.counts.installed, "installs were forgotten");
          assert.deepEqual([step.record.id, step.record.versionId, step.record.target], [record.id, record.versionId, record.target]);
          record = step.record;
        }
      }),
    );
  });
});
