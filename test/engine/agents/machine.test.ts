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
  /** State, total and day afterwards, with `!` if an event is told; "same" if nothing changes. */
  after: string;
}

const ROWS: Row[] = [
  { about: "a link counts for the total and the day", before: credential(), event: made(1_000), after: "ACTIVE 1000 1000" },
  {
    about: "another day begins at zero",
    before: reservedOf("ACTIVE", 500, 2_900, "2023-11-13"),
    event: made(900),
    after: "ACTIVE 1400 900",
  },
  {
    about: "an earlier day of another clock counts as the latest day",
    before: reservedOf("ACTIVE", 500, 500, "2023-11-15"),
    event: made(900),
    after: "ACTIVE 1400 1400",
  },
  {
    about: "the last link that fits exhausts the credential",
    before: reservedOf("ACTIVE", 4_500),
    event: made(500),
    after: "EXHAUSTED 5000 500 !",
  },
  { about: "a link over the total is rejected", before: reservedOf("ACTIVE", 4_501), event: made(500), after: "same" },
  { about: "a link over the limit of one link is rejected", before: credential(), event: made(1_001), after: "same" },
  { about: "a link over the limit of the day is rejected", before: reservedOf("ACTIVE", 2_500, 2_500), event: made(501), after: "same" },
  { about: "a link after the expiry is rejected", before: credential(), event: made(1, { atMs: EXPIRES_MS }), after: "same" },
  {
    about: "an unpaid link is restored to the total, not to the day",
    before: reservedOf("ACTIVE", 900, 900),
    event: unpaid(900),
    after: "ACTIVE 0 900",
  },
  { about: "an unpaid link makes room again", before: reservedOf("EXHAUSTED", 5_000, 100), event: unpaid(100), after: "ACTIVE 4900 100" },
  {
    about: "an unpaid link makes no room if more than the total was used",
    before: reservedOf("EXHAUSTED", 5_300),
    event: unpaid(100),
    after: "EXHAUSTED 5200 0",
  },
  { about: "a late payment counts again", before: reservedOf("ACTIVE", 100), event: paidLate(100), after: "ACTIVE 200 0" },
  {
    about: "a late payment exhausts the credential",
    before: reservedOf("ACTIVE", 4_900),
    event: paidLate(100),
    after: "EXHAUSTED 5000 0 !",
  },
  { about: "a late payment may exceed the total", before: reservedOf("ACTIVE", 4_950), event: paidLate(100), after: "EXHAUSTED 5050 0 !" },
  { about: "exhaustion is told only once", before: reservedOf("EXHAUSTED", 5_000), event: paidLate(100), after: "EXHAUSTED 5100 0" },
  { about: "an exhausted credential makes no link", before: reservedOf("EXHAUSTED", 5_000), event: made(1), after: "same" },
  { about: "it is revoked", before: reservedOf("ACTIVE", 100), event: revoked, after: "REVOKED 100 0" },
  { about: "it is revoked while exhausted", before: reservedOf("EXHAUSTED", 5_000), event: revoked, after: "REVOKED 5000 0" },
  { about: "it expires", before: reservedOf("ACTIVE", 100), event: over, after: "EXPIRED 100 0" },
  { about: "it expires while exhausted", before: reservedOf("EXHAUSTED", 5_000), event: over, after: "EXPIRED 5000 0" },
  { about: "it does not expire before its time", before: reservedOf("ACTIVE", 100), event: early, after: "same" },
  ...(["EXPIRED", "REVOKED"] as const).flatMap((state): Row[] => [
    { about: "its links are counted to their end", before: reservedOf(state, 100), event: unpaid(100), after: `${state} 0 0` },
    { about: "a late payment counts without being told", before: reservedOf(state, 4_900), event: paidLate(100), after: `${state} 5000 0` },
    { about: "it makes no link", before: reservedOf(state, 100), event: made(1), after: "same" },
    { about: "it is not revoked", before: reservedOf(state, 100), event: revoked, after: "same" },
    { about: "it does not expire", before: reservedOf(state, 100), event: over, after: "same" },
  ]),
];

describe("the machine of a credential", () => {
  for (const { about, before, event, after } of ROWS) {
    it(`answers ${event.type} in ${before.state}: ${about}`, () => {
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

  it("names the limit that rejects a link, and its room", () => {
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
