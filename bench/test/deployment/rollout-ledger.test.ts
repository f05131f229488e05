import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RolloutLedger } from "../../deployment/rollout-ledger.ts";

const IDS = ["T1", "T2"] as const;

/** A terminal that took the update as it should. */
function updated(ledger: RolloutLedger, terminalId: string): void {
  ledger.told(terminalId, "nothing");
  ledger.deploying(terminalId, 1_000);
  ledger.notified(terminalId);
  assert.equal(ledger.noticed(terminalId, "right", 1_250), 250);
  ledger.told(terminalId, "right");
  ledger.downloaded(terminalId, true);
  ledger.installed(terminalId, 4_000);
  ledger.told(terminalId, "nothing");
}

function all(): RolloutLedger {
  const ledger = new RolloutLedger(IDS);
  for (const terminalId of IDS) updated(ledger, terminalId);
  ledger.askedByOther("T3", false);
  return ledger;
}

const NOTHING = { miscounted: [], takenBack: 4, left: [] };

function broken(ledger: RolloutLedger, end: Parameters<RolloutLedger["invariants"]>[0] = NOTHING): { [name: string]: readonly string[] } {
  return Object.fromEntries(
    ledger
      .invariants(end)
      .filter(({ holds }) => !holds)
      .map(({ name, examples }) => [name, examples]),
  );
}

describe("the ledger of a roll-out", () => {
  it("finds nothing where each terminal installed what it was told of", () => {
    const ledger = all();
    assert.deepEqual(broken(ledger), {});
    assert.deepEqual(ledger.counts(), {
      targets: 2,
      deployed: 2,
      told: 2,
      noticed: 2,
      downloaded: 2,
      installed: 2,
      failed: 0,
      askedByOthers: 3,
      seconds: 3,
    });
    assert.deepEqual(
      ledger.invariants(NOTHING).map(({ checked }) => checked),
      [2, 2, 2, 5, 2, 4],
    );
  });

  const FAULTS: readonly [what: string, happens: (ledger: RolloutLedger) => void, found: { [name: string]: readonly string[] }][] = [
    ["a terminal that is told of it again after its install", (ledger) => ledger.told("T1", "right"), { "told is installed": ["T1"] }],
    ["a terminal that is told of another version", (ledger) => ledger.told("T2", "other"), { "told is installed": ["T2"] }],
    ["a notice of another package", (ledger) => ledger.noticed("T1", "other", 2_000), { "notices arrive": ["T1"] }],
    ["a notice to somebody else", (ledger) => ledger.noticed("T3", "right", 2_000), { "offered to nobody else": ["T3, by a notice"] }],
    ["other bytes", (ledger) => ledger.downloaded("T1", false), { "bytes are right": ["T1"] }],
    ["an offer to somebody else", (ledger) => ledger.askedByOther("T3", true), { "offered to nobody else": ["T3"] }],
  ];
  for (const [what, happens, found] of FAULTS) {
    it(`finds ${what}`, () => {
      const ledger = all();
      happens(ledger);
      assert.deepEqual(broken(ledger), found);
    });
  }

  it("finds a terminal that was told and did not install, and one that was told too early", () => {
    const ledger = new RolloutLedger(IDS);
    ledger.told("T1", "right");
    assert.deepEqual(broken(ledger), {
      "told is installed": ["T1"],
      "offered to nobody else": ["T1, before it was deployed to it"],
    });
    assert.deepEqual([ledger.isTold("T1"), ledger.isTold("T2")], [true, false]);
  });

  it("finds a notice that did not arrive, but where the connection was lost, and one that came too early", () => {
    const ledger = new RolloutLedger(IDS);
    assert.equal(ledger.noticed("T1", "right", 900), null);
    for (const terminalId of IDS) {
      ledger.deploying(terminalId, 1_000);
      ledger.notified(terminalId);
    }
    const early = { "offered to nobody else": ["T1, by a notice"] };
    assert.deepEqual(broken(ledger), { ...early, "notices arrive": ["T1", "T2"] });
    // T1 had installed it before, so that it has not missed its notice by that.
    ledger.installed("T1", 2_000);
    for (const terminalId of [...IDS, "T3"]) ledger.offline(terminalId);
    assert.deepEqual(broken(ledger), { ...early, "notices arrive": ["T1"] });
    // A second one is no second time.
    assert.deepEqual([ledger.noticed("T1", "right", 1_100), ledger.noticed("T1", "right", 1_200)], [100, null]);
    assert.deepEqual(broken(ledger), early);
    assert.equal(ledger.counts().noticed, 1);
  });

  it("tells what the relay has counted otherwise, and what is left", () => {
    assert.deepEqual(broken(all(), { miscounted: ["T1"], takenBack: 4, left: ["app version 3 is still there"] }), {
      "installs are counted": ["T1"],
      "all of it is taken back": ["app version 3 is still there"],
    });
  });
});
