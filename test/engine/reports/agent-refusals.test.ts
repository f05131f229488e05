import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeenAgentCredential } from "../../../engine/agents/agent-credentials.ts";
import { createAgentRefusals } from "../../../engine/reports/agent-refusals.ts";

const OWNER = { merchantId: "SHOP-001", partnerId: 7, livemode: false };

test("what limits refused is told of the newest hundred credentials, in whatever state", async () => {
  const asked: unknown[] = [];
  const refused = { currency: 0, perLinkMax: 2, perDay: 0, total: 1, linksPerHour: 0 };
  const agents = createAgentRefusals({
    list: async (...question) => {
      asked.push(question);
      return { items: [seenOf(refused)], next: "more" };
    },
  });
  assert.deepEqual(await agents.of(OWNER), [{ credentialId: "ac_1", name: "Assistant", refused }]);
  assert.deepEqual(asked, [[OWNER, { limit: 100, cursor: null, state: null }]]);
});

function seenOf(refused: {
  currency: number;
  perLinkMax: number;
  perDay: number;
  total: number;
  linksPerHour: number;
}): SeenAgentCredential {
  const limits = { currency: "EUR", perLinkMaxMinor: 1, perDayMinor: 1, totalMinor: 1, linksPerHour: 1 };
  const credential: SeenAgentCredential["credential"] = {
    ...{ schema: 1 as const, id: "ac_1", ...OWNER, name: "Assistant", digest: "d", last4: "abcd", scopes: [], limits, ipAllow: [] },
    ...{
      createdBy: { type: "key" as const },
      createdAtMs: 1,
      updatedAtMs: 1,
      expiresAtMs: 2,
      state: "REVOKED" as const,
      revokedAtMs: 1,
      revokedBy: null,
    },
    ...{ reserved: { totalMinor: 0, day: null, dayMinor: 0, links: 0 }, nextAtMs: null, events: 0 },
  };
  return { credential, use: { schema: 1, lastUsedAtMs: null, calls: [], refused }, linksInHour: 0 };
}
