import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReconciledDay, Reconciliation } from "../../../engine/reconciliation/reconciliation.ts";
import { figures, line } from "../../engine/reconciliation/world.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { assertRefused, open } from "./partner-v1-world.ts";

const OF_SHOP: ReconciledDay = {
  closed: {
    ...{ schema: 1, merchantId: "SHOP-001", partnerId: 7, livemode: false, day: "2026-11-23", timeZone: "Europe/Rome" },
    ...{ fromMs: Date.parse("2026-11-22T23:00:00Z"), untilMs: Date.parse("2026-11-23T23:00:00Z") },
    ...{ closedAtMs: Date.parse("2026-11-25T02:00:01Z"), figures: figures({ payments: [line(2, 3_050)] }) },
  },
  corrections: [],
  correctionCount: 0,
};

/** The closed days of partner 7, and what was asked of them. */
function days() {
  const asked: unknown[] = [];
  const ofPartner: Reconciliation["ofPartner"] = async (partnerId, day, query) => {
    asked.push([partnerId, day, query]);
    return partnerId === 7 ? { items: [OF_SHOP], next: "SHOP-001" } : { items: [], next: null };
  };
  return { asked, ofPartner };
}

test("a closed day of a partner's merchants, page by page, and never another partner's", async (t) => {
  const { asked, ofPartner } = days();
  const { call } = await open(t, { ofPartner });
  assertMatches(await call("GET", "/reconciliation/2026-11-23?limit=2&after=SHOP-000"), {
    status: 200,
    body: {
      success: true,
      merchants: [
        {
          merchantId: "SHOP-001",
          reconciliation: {
            ...{ day: "2026-11-23", timeZone: "Europe/Rome", from: "2026-11-22T23:00:00.000Z", closedAt: "2026-11-25T02:00:01.000Z" },
            totals: [{ currency: "EUR", approved: 2, approvedMinor: 3_050, netMinor: 3_050 }],
            corrections: { count: 0, items: [] },
          },
        },
      ],
      next: "SHOP-001",
    },
  });
  const of = (key: string) => call("GET", "/reconciliation/2026-11-23", undefined, { authorization: `Bearer ${key}` });
  assertMatches(await of("pk_partner_other"), { status: 200, body: { success: true, merchants: [], next: null } });
  assert.equal((await of("pk_partner_viewer")).status, 200);
  assert.deepEqual(asked, [
    [7, "2026-11-23", { limit: 2, after: "SHOP-000" }],
    [8, "2026-11-23", { limit: 20, after: null }],
    [7, "2026-11-23", { limit: 20, after: null }],
  ]);
  assert.equal((await of("pk_partner_nobody")).status, 401);
});

test("what is no day of the calendar is refused", async (t) => {
  const { asked, ofPartner } = days();
  const { call } = await open(t, { ofPartner });
  for (const day of ["2026-02-30", "2026-04-31", "2025-02-29", "2026-13-01", "1970-01-01", "today"]) {
    assertRefused(await call("GET", `/reconciliation/${day}`), 400, "invalid_request");
  }
  assert.equal((await call("GET", "/reconciliation/2028-02-29")).status, 200);
  assert.equal(asked.length, 1);
});
