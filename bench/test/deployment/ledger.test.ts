import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Fate, Ledger } from "../../deployment/ledger.ts";

const PAYMENTS = 10;
const uuidOf = (index: number) => `load-${index}`;

/** A payment that went as it should. */
function done(ledger: Ledger, index: number): void {
  ledger.begin(index);
  ledger.accepted(index);
  ledger.handedOut(index, false);
  ledger.stored(index);
  ledger.found(index, true);
}

function broken(
  ledger: Ledger,
  fates: readonly (readonly [number, Fate])[] = [],
  gone: readonly number[] = [],
): { [name: string]: readonly string[] } {
  const invariants = ledger.invariants(new Map(fates), gone, uuidOf);
  return Object.fromEntries(invariants.filter(({ holds }) => !holds).map(({ name, examples }) => [name, examples]));
}

describe("the ledger of a load test", () => {
  it("finds nothing where each payment was handed out once, stored and found", () => {
    const ledger = new Ledger(PAYMENTS);
    for (let index = 0; index < PAYMENTS; index += 1) done(ledger, index);
    assert.deepEqual(broken(ledger), {});
    assert.deepEqual(ledger.counts(), { begun: 10, accepted: 10, handedOut: 10, stored: 10, found: 10, ended: 0 });
    assert.deepEqual([...ledger.open()], []);
    assert.deepEqual([...ledger.sample(5)], [0, 2, 4, 6, 8]);
  });

  it("finds a command that was handed out twice, but not one that the relay said it sends again", () => {
    const ledger = new Ledger(PAYMENTS);
    for (const index of [0, 1]) done(ledger, index);
    assert.deepEqual(ledger.handedOut(0, true), { first: false, stored: true });
    assert.deepEqual(broken(ledger), {});
    ledger.handedOut(1, false);
    assert.deepEqual(broken(ledger), { "nothing twice": ["load-1"] });
  });

  it("finds a command that a terminal got although the partner was told that it never left, in whichever order", () => {
    const ledger = new Ledger(PAYMENTS);
    for (const [index, state] of (["expired", "cancelled", "unknown"] as const).entries()) {
      ledger.begin(index);
      ledger.accepted(index);
      if (state === "cancelled") ledger.handedOut(index, false);
      ledger.ended(index, state);
      if (state !== "cancelled") ledger.handedOut(index, false);
    }
    assert.deepEqual(broken(ledger), { "nothing twice": ["load-0", "load-1"] });
  });

  it("has every accepted payment without an end asked for, and finds those that the relay does not know", () => {
    const ledger = new Ledger(PAYMENTS);
    for (const index of [0, 1, 2]) {
      ledger.begin(index);
      ledger.accepted(index);
    }
    ledger.ended(2, "unknown");
    assert.deepEqual([...ledger.open()], [0, 1]);
    assert.deepEqual(
      broken(ledger, [
        [0, "known"],
        [1, "lost"],
      ]),
      { "nothing lost": ["load-1"] },
    );
    assert.deepEqual(broken(ledger, [[0, "unasked"]]), { "nothing lost": ["load-0"] });
  });

  it("lets a payment that was given up be unknown to the relay", () => {
    const ledger = new Ledger(PAYMENTS);
    ledger.begin(0);
    ledger.unanswered(0);
    assert.deepEqual([...ledger.open()], [0]);
    assert.deepEqual(broken(ledger, [[0, "lost"]]), {});
  });

  it("finds results that were stored and not found, are another, or are gone at the end", () => {
    const ledger = new Ledger(PAYMENTS);
    for (const index of [0, 1, 2, 3]) done(ledger, index);
    ledger.begin(4);
    ledger.accepted(4);
    ledger.ended(4, "unknown");
    // Its result came after the partner was told that there is none.
    assert.equal(ledger.stored(4), true);
    assert.equal(ledger.stored(4), false);
    assert.deepEqual([...ledger.open()], [4]);
    ledger.found(2, false);
    assert.deepEqual(broken(ledger, [[4, "known"]], [3]), { "every result found": ["load-2", "load-3", "load-4"] });
  });
});
