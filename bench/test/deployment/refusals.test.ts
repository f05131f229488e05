import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Refusals } from "../../deployment/refusals.ts";

const ALLOWED = { paysPerSecond: 10, ownPaysPerSecond: 0 };
const TOLD = { "retry-after": "1", "ratelimit-limit": "10", "ratelimit-remaining": "0" };
const spanAt = (ms: number) => ({ sentMs: ms, answeredMs: ms + 5 });

/** Ten at once, which is what a second allows, and one more that is refused. */
function right(): Refusals {
  const refusals = new Refusals();
  for (let index = 0; index < 10; index += 1) refusals.admitted(spanAt(index));
  refusals.refused(10, spanAt(20), TOLD);
  return refusals;
}

async function complaints(refusals: Refusals, allowed = ALLOWED, isKnown: boolean | null = false): Promise<string> {
  const { holds, examples } = await refusals.invariant(allowed, async () => isKnown);
  assert.equal(holds, examples.length === 0);
  return examples.join("; ");
}

describe("429s of a load test", () => {
  it("are right where the limit was reached before each, and no second has more", async () => {
    const refusals = right();
    refusals.admitted(spanAt(1_010));
    assert.equal(refusals.mostInWindow(), 10);
    assert.equal(await complaints(refusals), "");
  });

  it("are wrong where more was admitted within a second", async () => {
    const refusals = right();
    for (const ms of [500, 600]) refusals.admitted(spanAt(ms));
    assert.match(await complaints(refusals), /^12 were admitted within one second, where 10 are allowed$/);
  });

  it("are wrong where the limit had not been reached", async () => {
    const refusals = right();
    refusals.refused(11, spanAt(1_500), TOLD);
    assert.match(await complaints(refusals), /^1 were refused although/);
  });

  it("count what may have been admitted on its way as admitted", async () => {
    const refusals = right();
    for (let index = 0; index < 9; index += 1) refusals.admitted({ sentMs: 1_400, answeredMs: 3_000 });
    refusals.refused(11, spanAt(1_500), TOLD);
    assert.equal(await complaints(refusals), "");
  });

  it("tell of the partner's own limit beyond the address's", async () => {
    const refusals = new Refusals();
    for (let index = 0; index < 40; index += 1) refusals.admitted(spanAt(index));
    refusals.refused(40, spanAt(50), { ...TOLD, "ratelimit-limit": "30" });
    const allowed = { paysPerSecond: 40, ownPaysPerSecond: 30 };
    assert.equal(await complaints(refusals, allowed), "");
    refusals.refused(41, spanAt(1_028), { ...TOLD, "ratelimit-limit": "30" });
    assert.match(await complaints(refusals, allowed), /^1 were refused although/);
  });

  it("are wrong where they say nothing, or something of them is stored", async () => {
    const silent = right();
    silent.refused(11, spanAt(30), { "ratelimit-limit": "10", "ratelimit-remaining": "0" });
    assert.match(await complaints(silent), /^1 refusals do not say/);
    assert.match(await complaints(right(), ALLOWED, true), /^of 1 refused payments that were asked for, 1 are stored/);
    assert.match(await complaints(right(), ALLOWED, null), /could not be asked for$/);
    assert.match(await complaints(new Refusals()), /^nothing was refused$/);
  });
});
