import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { ExportRecord } from "../../../../engine/exports/export.ts";
import type { Exports } from "../../../../engine/exports/exports.ts";
import { createMinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import { createAuthenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { portalCookie } from "../../../../http/auth/portal-session.ts";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { merchantEnvelope } from "../../../../http/surfaces/merchant/envelope.ts";
import { downloadExport } from "../../../../http/surfaces/merchant/exports/download-export.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { NO_LOGINS, OWNER, TOKEN } from "../../auth/portal-people.ts";
import { monotonicMs, startWorld } from "../../server/world.ts";

const NOW_MS = Date.parse("2026-11-26T10:00:00Z");
const ID = "exp_4f0k2m9x7q1c8v5b3n6z0a2s";

const RECORD: ExportRecord = {
  ...{ schema: 1, id: ID, merchantId: "SHOP-001", partnerId: 7, livemode: false, createdBy: { type: "user", userId: "user-1" } },
  order: { list: "payment-links", filters: {}, format: "CSV", columns: ["customerEmail"], lang: "en", personalData: true },
  ...{ createdAtMs: NOW_MS, updatedAtMs: NOW_MS, state: "READY", attempts: 1, leaseOf: "", leaseUntilMs: null, startedAtMs: NOW_MS },
  ...{ endedAtMs: NOW_MS, failure: null, file: "export-1", rows: 1, bytes: 4, expiresAtMs: NOW_MS + 1_000, nextAtMs: NOW_MS + 1_000 },
};

/** A file about people, and how often it was opened and given back. */
async function open(t: TestContext, steppedUpUntilMs: number) {
  const files = { opened: 0, givenBack: 0 };
  const exports: Pick<Exports, "find" | "open"> = {
    find: async () => RECORD,
    open: async () => {
      files.opened += 1;
      const contents = (async function* () {
        try {
          yield Buffer.from("ada\n");
        } finally {
          files.givenBack += 1;
        }
      })();
      return { record: RECORD, pieces: () => contents };
    },
  };
  const cookie = portalCookie({ isSecure: false });
  const world = await startWorld(t, {
    endpoints: bind([downloadExport], {
      exports: { ...exports, create: () => assert.fail(), list: () => assert.fail() },
      users: { list: async () => [] },
      localTime: createLocalTime("Europe/Rome"),
      clock: { nowMs: () => NOW_MS },
      merchantCalls: createMerchantCalls({ merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) }),
    }),
    authenticator: createAuthenticator(NO_LOGINS, monotonicMs, undefined, undefined, async () => null, {
      cookie,
      nowMs: () => NOW_MS,
      find: async (digest) => (digest === sha256Hex(TOKEN) ? { ...OWNER, steppedUpUntilMs } : null),
    }),
    envelopes: [{ under: MERCHANT_BASE, envelope: merchantEnvelope }],
  });
  const response = await fetch(`${world.url}${MERCHANT_BASE}/exports/${ID}/file`, {
    headers: { cookie: `${cookie.name}=${TOKEN}`, "sec-fetch-site": "same-origin" },
  });
  return { status: response.status, text: await response.text(), files };
}

test("a file about people is not even opened for who shows no fresh second factor", async (t) => {
  const { status, text, files } = await open(t, NOW_MS);
  assertMatches({ status, body: JSON.parse(text) as unknown }, { status: 403, body: { code: "step_up_required" } });
  assert.deepEqual(files, { opened: 0, givenBack: 0 });
});

test("a file about people is opened for who has just shown one, and given back", async (t) => {
  assert.deepEqual(await open(t, NOW_MS + 1), { status: 200, text: "ada\n", files: { opened: 1, givenBack: 1 } });
});
