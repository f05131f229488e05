import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AgentCredentialRecord, AgentCredentialState } from "../../../engine/agents/agent-credential.ts";
import type { AgentCredentialEvent } from "../../../engine/agents/events.ts";
import { refusedBy } from "../../../engine/agents/rules.ts";
import { stepAgentCredential } from "../../../engine/agents/workflow.ts";
import { credential, DAY, EXPIRES_MS, NOW_MS } from "./machine-world.ts";

const made = (amountMinor: number, changes: Partial<Extract<AgentCredentialEvent, { type: "link.made" }>> = {}) =>
  ({ type: "link.made", atMs: NOW_MS, amountMinor, day: DAY, ...changes }) as const;
const unpaid = (amountMinor: number) => ({ type: "link.unpaid", atMs: NOW_MS, amountMinor }) as const;
const paidLate = (amountMinor: number) => ({ type: "link.paid_late", atMs: NOW_MS, amountMinor }) as const;
const revoked = { type: "revoke.requested", atMs: NOW_MS, by: { type: "key" } } as const;
const over = { type: "deadline.passed", atMs: EXPIRES_MS } as const;
const early = { type: "deadline.passed", atMs: EXPIRES_MS - 1 } as const;

const reservedOf = (state: AgentCredentialState, totalMinor: number, dayMinor = 0, day: string | null = DAY) =>
  credential({ state, reserved: { totalMinor, day, dayMinor, links: 1 } });

interface Row {
  about: string;
  before: AgentCredentialRecord;
  event: AgentCredentialEvent;
  /** State, total and day afterwards, `!` where it is told; "same" where nothing changes. */
  after: string;
}

const ROWS: Row[] = [
  { about: "a link takes of the total and of the day", before: credential(), event: made(1_000), after: "ACTIVE 1000 1000" },
  {
    about: "another day begins at nothing",
    before: reservedOf("ACTIVE", 500, 2_900, "2023-11-13"),
    event: made(900),
    after: "ACTIVE 1400 900",
  },
  {
    about: "where clocks differ, a day that has passed counts for the latest one",
    before: reservedOf("ACTIVE", 500, 500, "2023-11-15"),
    event: made(900),
    after: "ACTIVE 1400 1400",
  },
  { about: "the last that fits fills it up", before: reservedOf("ACTIVE", 4_500), event: made(500), after: "EXHAUSTED 5000 500 !" },
  { about: "one more than fits is not taken", before: reservedOf("ACTIVE", 4_501), event: made(500), after: "same" },
  { about: "nor one beyond what one may come to", before: credential(), event: made(1_001), after: "same" },
  { about: "nor one beyond the day's", before: reservedOf("ACTIVE", 2_500, 2_500), event: made(501), after: "same" },
  { about: "nor one after its time", before: credential(), event: made(1, { atMs: EXPIRES_MS }), after: "same" },
  {
    about: "what ends unpaid comes back to the total, not to the day",
    before: reservedOf("ACTIVE", 900, 900),
    event: unpaid(900),
    after: "ACTIVE 0 900",
  },
  { about: "and makes room again", before: reservedOf("EXHAUSTED", 5_000, 100), event: unpaid(100), after: "ACTIVE 4900 100" },
  { about: "but where more than all was used", before: reservedOf("EXHAUSTED", 5_300), event: unpaid(100), after: "EXHAUSTED 5200 0" },
  { about: "what is paid late counts again", before: reservedOf("ACTIVE", 100), event: paidLate(100), after: "ACTIVE 200 0" },
  { about: "though it takes the rest", before: reservedOf("ACTIVE", 4_900), event: paidLate(100), after: "EXHAUSTED 5000 0 !" },
  { about: "or more than that", before: reservedOf("ACTIVE", 4_950), event: paidLate(100), after: "EXHAUSTED 5050 0 !" },
  { about: "it is told once that it is used up", before: reservedOf("EXHAUSTED", 5_000), event: paidLate(100), after: "EXHAUSTED 5100 0" },
  { about: "one that is used up makes no link", before: reservedOf("EXHAUSTED", 5_000), event: made(1), after: "same" },
  { about: "it is revoked", before: reservedOf("ACTIVE", 100), event: revoked, after: "REVOKED 100 0" },
  { about: "also used up", before: reservedOf("EXHAUSTED", 5_000), event: revoked, after: "REVOKED 5000 0" },
  { about: "it expires", before: reservedOf("ACTIVE", 100), event: over, after: "EXPIRED 100 0" },
  { about: "also used up", before: reservedOf("EXHAUSTED", 5_000), event: over, after: "EXPIRED 5000 0" },
  { about: "not before its time", before: reservedOf("ACTIVE", 100), event: early, after: "same" },
  ...(["EXPIRED", "REVOKED"] as const).flatMap((state): Row[] => [
    { about: `${state}: its links are counted to their end`, before: reservedOf(state, 100), event: unpaid(100), after: `${state} 0 0` },
    { about: `${state}: also late, and it is not told`, before: reservedOf(state, 4_900), event: paidLate(100), after: `${state} 5000 0` },
    { about: `${state}: it makes no link`, before: reservedOf(state, 100), event: made(1), after: "same" },
    { about: `${state}: it is not revoked`, before: reservedOf(state, 100), event: revoked, after: "same" },
    { about: `${state}: it does not expire`, before: reservedOf(state, 100), event: over, after: "same" },
  ]),
];

describe("the machine of a credential", () => {
  for (const { about, before, event, after } of ROWS) {
    it(`${before.state}, ${event.type}: ${about}`, () => {
      const { record, effects, accepted } = stepAgentCredential(before, event);
      const told = effects.length === 0 ? "" : " !";
      const { state, reserved } = record;
      assert.equal(accepted ? `${state} ${reserved.totalMinor} ${reserved.dayMinor}${told}` : "same", after);
      if (!accepted) assert.equal(record, before);
    });
  }

  it("has no deadline once it has ended", () => {
    assert.equal(stepAgentCredential(credential(), revoked).record.nextAtMs, null);
    assert.deepEqual(stepAgentCredential(credential(), revoked).record.revokedBy, { type: "key" });
    assert.equal(stepAgentCredential(credential(), over).record.nextAtMs, null);
  });

  it("says which limit refuses, and what it has room for", () => {
    const asked = { amountMinor: 100, currency: "EUR", day: DAY, linksInHour: 0 };
    const record = reservedOf("ACTIVE", 4_000, 2_800);
    assert.equal(refusedBy(record, asked), null);
    assert.deepEqual(refusedBy(record, { ...asked, currency: "USD" }), { limit: "currency", roomMinor: null });
    assert.deepEqual(refusedBy(record, { ...asked, amountMinor: 1_001 }), { limit: "perLinkMax", roomMinor: 1_000 });
    assert.deepEqual(refusedBy(record, { ...asked, amountMinor: 201 }), { limit: "perDay", roomMinor: 200 });
    assert.deepEqual(refusedBy(reservedOf("ACTIVE", 4_500), { ...asked, amountMinor: 501 }), { limit: "total", roomMinor: 500 });
    assert.deepEqual(refusedBy(reservedOf("EXHAUSTED", 5_100), asked), { limit: "total", roomMinor: 0 });
    assert.deepEqual(refusedBy(record, { ...asked, linksInHour: 20 }), { limit: "linksPerHour", roomMinor: null });
  });
});
