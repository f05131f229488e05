import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AppDeployment, type InstallMark, NO_MARK, ROLLOUT_DEFAULT } from "../../../engine/apps/app-deployment.ts";
import type { AppVersion } from "../../../engine/apps/app-version.ts";
import { newDeployment } from "../../../engine/apps/machine.ts";
import { createRolloutProgress, type RolloutState } from "../../../engine/fleet/rollout-progress.ts";
import type { TerminalView } from "../../../engine/terminals/terminals.ts";
import { fleetClock, viewOf } from "./fleet-world.ts";

const VERSION: AppVersion = {
  ...{ id: 3, versionCode: 42, versionName: "4.2", mandatory: false, releaseNotes: "", active: true, createdAtMs: 0, deleting: false },
  package: { fileName: "app.apk", md5: "", bytes: 4, storedAtMs: 0 },
};
const DEPLOYMENT: AppDeployment = {
  ...newDeployment({ id: 7, versionId: 3, target: { type: "global" }, atMs: 1, ...ROLLOUT_DEFAULT }),
  state: "active",
};
const OFFLINE = { connectionStatus: "OFFLINE" } as const;

/** `meant`: the terminals for which the deployment decides; absent: all of the fleet. */
function progressOf(views: readonly TerminalView[], marks: { [terminalId: string]: Partial<InstallMark> } = {}, meant?: readonly string[]) {
  const stored = Object.entries(marks)
    .map(([terminalId, mark]) => ({ terminalId, mark: { ...NO_MARK, ...mark } }))
    .sort((one, other) => (one.terminalId < other.terminalId ? -1 : 1));
  return createRolloutProgress({
    fleet: {
      all: async () => ({ terminals: views.map((view) => ({ view, merchantId: null, group: null, denied: false })), isComplete: true }),
    },
    catalog: {
      decisionFor: (terminalId) =>
        meant === undefined || meant.includes(terminalId)
          ? { deployment: DEPLOYMENT, version: { ...VERSION, package: VERSION.package ?? assert.fail() }, isPaused: false }
          : null,
      version: () => VERSION,
      deployment: () => DEPLOYMENT,
    },
    deployments: { read: async (ids) => ids.map((id) => (id === DEPLOYMENT.id ? DEPLOYMENT : null)) },
    store: { marksAfter: async (_, after, limit) => stored.filter(({ terminalId }) => terminalId > after).slice(0, limit) },
    clock: fleetClock(),
  });
}

const ONE: { title: string; view: TerminalView; mark?: Partial<InstallMark>; expected: RolloutState }[] = [
  { title: "a connected one that has not asked waits", view: viewOf("T1"), expected: "WAITING" },
  { title: "one that is not connected is offline", view: viewOf("T1", {}, OFFLINE), expected: "OFFLINE" },
  { title: "one that was offered the version downloads it", view: viewOf("T1"), mark: { offered: true }, expected: "DOWNLOADING" },
  { title: "one that has the package installs it", view: viewOf("T1"), mark: { downloaded: true }, expected: "DOWNLOADING" },
  {
    title: "one that went away while it downloaded is offline",
    view: viewOf("T1", {}, OFFLINE),
    mark: { offered: true },
    expected: "OFFLINE",
  },
  { title: "one that reported a failure has failed", view: viewOf("T1", {}, OFFLINE), mark: { outcome: "failed" }, expected: "FAILED" },
  { title: "one that reported the install has it", view: viewOf("T1"), mark: { outcome: "installed" }, expected: "INSTALLED" },
  {
    title: "one that runs the version has it",
    view: viewOf("T1", { appVersion: "4.2" }),
    mark: { outcome: "failed" },
    expected: "INSTALLED",
  },
];

describe("the progress of a roll-out", () => {
  for (const { title, view, mark, expected } of ONE) {
    it(title, async () => {
      const progress = progressOf([view], mark === undefined ? {} : { T1: mark });
      const { items } = await progress.terminals(7, { state: null, after: "", limit: 10 });
      assert.deepEqual(
        items.map(({ terminalId, state }) => [terminalId, state]),
        [["T1", expected]],
      );
      assert.equal((await progress.of(7)).counts[expected], 1);
    });
  }

  it("leaves out terminals that another deployment decides for, unless they were offered this one", async () => {
    const progress = progressOf([viewOf("T1"), viewOf("T2"), viewOf("T3")], { T3: { outcome: "installed" } }, ["T1"]);
    const { items } = await progress.terminals(7, { state: null, after: "", limit: 10 });
    assert.deepEqual(
      items.map(({ terminalId }) => terminalId),
      ["T1", "T3"],
    );
  });

  it("lists the terminals of one state page by page", async () => {
    const views = ["T1", "T2", "T3", "T4"].map((id) => viewOf(id, {}, id === "T2" ? OFFLINE : {}));
    const progress = progressOf(views);
    const first = await progress.terminals(7, { state: "WAITING", after: "", limit: 2 });
    assert.deepEqual([first.items.map(({ terminalId }) => terminalId), first.next], [["T1", "T3"], "T3"]);
    const second = await progress.terminals(7, { state: "WAITING", after: "T3", limit: 2 });
    assert.deepEqual([second.items.map(({ terminalId }) => terminalId), second.next], [["T4"], null]);
  });

  it("groups the reasons of failures, whatever numbers they name", async () => {
    const failed = (reason?: string) => ({ outcome: "failed" as const, ...(reason === undefined ? {} : { reason }) });
    const marks = { T1: failed("needs 120 MB"), T2: failed("Needs 98 MB"), T3: failed("signature"), T4: failed() };
    const { failures } = await progressOf([], marks).of(7);
    assert.deepEqual(failures, [
      { reason: "needs 120 MB", terminals: 2 },
      { reason: "signature", terminals: 1 },
      { reason: null, terminals: 1 },
    ]);
  });

  it("is unknown for a deployment that does not exist", async () => {
    await assert.rejects(progressOf([]).of(8), { code: "not_found" });
  });
});
