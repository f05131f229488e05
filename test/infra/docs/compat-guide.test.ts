import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import Stripe from "stripe";
import { PLATFORM_EVENT_TYPES } from "../../../engine/intents/events.ts";
import { WEBHOOK_PAUSES_MS } from "../../../engine/webhooks/webhook-delivery.ts";
import { SECRET_OVERLAP_DEFAULT_MS, SECRET_OVERLAP_MAX_MS, WEBHOOK_ENDPOINTS_MAX } from "../../../engine/webhooks/webhook-endpoint.ts";
import { declineOf } from "../../../http/surfaces/compat/declines.ts";
import { compatEndpoints } from "../../../http/surfaces/compat/endpoints.ts";
import { demoEndpoints } from "../../../http/surfaces/demo/endpoints.ts";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import { CANCELLED, outcomeOfCard } from "../../../infra/sandbox/gateway/test-cards.ts";

const GUIDE = readFileSync("infra/docs/compat.md", "utf8");

/** The text below a heading, up to the next one of any level. */
function below(heading: string): string {
  const [, text] = new RegExp(`^#+ ${heading}\\n([\\s\\S]*?)(?=^#+ |(?![\\s\\S]))`, "m").exec(GUIDE) ?? [];
  return text ?? assert.fail(`there is no ${heading}`);
}

const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

test("the guide names every event that there is, and none besides", () => {
  const [names = ""] = below("Events").split("\n\nOther ");
  assert.deepEqual(codesIn(names).toSorted(), [...PLATFORM_EVENT_TYPES].toSorted());
});

test("the guide's test cards end as it says", () => {
  const rows = below("Test cards")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| card "));
  assert.equal(rows.length, 6);
  for (const row of rows) {
    const [, card = "", code = "", error = ""] = row.split("|").map((cell) => cell.trim());
    const numbers = [...card.matchAll(/\d{4} \d{4} \d{4} \d{4}/g)].map(([number]) => number.replaceAll(" ", ""));
    const outcomes = card === "the button Cancel" ? [CANCELLED] : numbers.map(outcomeOfCard);
    assert.ok(outcomes.length > 0, row);
    for (const { resultCode } of outcomes) {
      assert.equal(code, `\`${resultCode}\``, row);
      if (resultCode === "GW_000") continue;
      const { type, code: reason, declineCode, networkDeclineCode } = declineOf({ resultCode });
      const told = [type, reason, ...(declineCode === null ? [] : [declineCode])];
      assert.deepEqual(codesIn(error).slice(0, told.length), told, row);
      assert.equal(error.includes("network_decline_code"), networkDeclineCode !== null, row);
    }
  }
});

test("the guide's code says of a webhook whether it is the relay's", async () => {
  const [, code] = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(GUIDE) ?? [];
  assert.ok(code !== undefined, "there is no code");
  const { isFromRelay } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
  const [secret, payload, nowMs] = [`whsec_${Buffer.alloc(32, 7).toString("base64")}`, '{"id":"evt_1"}', Date.UTC(2026, 0, 1)];
  const body = Buffer.from(payload);
  const signedAt = (seconds: number, key = secret) =>
    Stripe.webhooks.generateTestHeaderString({ payload, secret: key, timestamp: nowMs / 1_000 + seconds });
  for (const seconds of [0, -300, 300]) assert.equal(isFromRelay(body, signedAt(seconds), secret, nowMs), true);
  for (const seconds of [-301, 301]) assert.equal(isFromRelay(body, signedAt(seconds), secret, nowMs), false);
  assert.equal(isFromRelay(Buffer.from(`${payload} `), signedAt(0), secret, nowMs), false);
  assert.equal(isFromRelay(body, signedAt(0, "whsec_another"), secret, nowMs), false);
  const both = `${signedAt(0, "whsec_another")},${signedAt(0).split(",")[1]}`;
  assert.equal(isFromRelay(body, both, secret, nowMs), true);
  for (const header of ["", "t=1", "v1=", "t=,v1=zz", "v1"]) assert.equal(isFromRelay(body, header, secret, nowMs), false);
});

test("the guide's schedule and its limit of endpoints are the engine's", () => {
  const seconds = WEBHOOK_PAUSES_MS.map((ms) => (ms / 1_000).toLocaleString("en"));
  assert.ok(GUIDE.includes(`then ${seconds.slice(0, -1).join(", ")} and ${seconds.at(-1)} seconds`), "the schedule");
  assert.ok(GUIDE.includes(`| webhook endpoints | ${WEBHOOK_ENDPOINTS_MAX} for each merchant |`), "the limit");
});

test("the guide's bounds of rolling a secret are the engine's", () => {
  const bounds = `\`expires_in\` seconds (0 to ${SECRET_OVERLAP_MAX_MS / 1_000}, a day by default)`;
  assert.ok(GUIDE.replaceAll(/\s+/g, " ").includes(bounds), bounds);
  assert.equal(SECRET_OVERLAP_DEFAULT_MS, 86_400_000);
});

test("the guide names every code of a scan that fails, as the library's types do", () => {
  const [, types = ""] = /type ScanErrorCode =([^;]*);/.exec(readFileSync("http/web/scripts/scan.d.ts", "utf8")) ?? [];
  const codes = [...types.matchAll(/"(\w+)"/g)].map(([, code = ""]) => code);
  const named = [...below("Scanning").matchAll(/^\| `(\w+)` \|/gm)].map(([, code = ""]) => code);
  assert.ok(codes.length > 0);
  assert.deepEqual(named, codes);
});

test("the paths that the guide names are there", () => {
  const others = Object.values(surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 })).flat();
  const served = [...compatEndpoints, ...demoEndpoints, ...others].map(({ path }) => path.replaceAll(/\{[^}]+\}/g, "{}"));
  const named = new Set(
    [...GUIDE.matchAll(/(?:(?<![\w.])|(?<=\$API))\/(?:v1|api|admin|pay|partner|demo)\/[\w/{}.-]*[\w}]/g)].map(([path]) =>
      path.replaceAll(/\{[^}]+\}/g, "{}"),
    ),
  );
  const missing = [...named].filter((path) => !served.includes(path));
  assert.ok(named.size >= 4, `${[...named]}`);
  assert.deepEqual(missing, []);
});
