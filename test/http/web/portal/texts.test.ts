import assert from "node:assert/strict";
import { test } from "node:test";
import { analytics } from "../../../../http/web/portal/i18n/analytics.it.ts";
import { en as enPages } from "../../../../http/web/portal/i18n/en.ts";
import { it as itPages } from "../../../../http/web/portal/i18n/it.ts";
import { start as enStart } from "../../../../http/web/portal/i18n/start.en.ts";
import { start as itStart } from "../../../../http/web/portal/i18n/start.it.ts";
import { surfacesOf } from "../../../../infra/node/wiring/shared/endpoints.ts";

const en = { ...enStart, ...enPages };
const it = { ...itStart, ...itPages };

/** Told by the handler, since nobody is signed in yet when these are done. */
const WITHOUT_SESSION = ["session.begin", "invitation.accept", "account.reset-password"];

test("every activity that the portal's endpoints record has words in both languages", () => {
  const { signIn, team } = surfacesOf({ openTerminalLogs: false, packageBytesMax: 1 });
  const recorded = [...signIn, ...team].flatMap(({ audit }) => (typeof audit === "object" && audit !== null ? [audit.action] : []));
  assert.ok(recorded.includes("account.change"), "the endpoints no longer say what they record");
  for (const action of [...recorded, ...WITHOUT_SESSION]) for (const { audit } of [en, it]) assert.ok(action in audit.actions, action);
});

test("one of something is told in the singular", () => {
  assert.equal(it.users.count(1, 5), "1 utente su 5");
  assert.equal(it.users.count(2, 5), "2 utenti su 5");
  assert.equal(it.settings.recoveryLeft(1), "Resta 1 codice su 10.");
  assert.equal(en.settings.recoveryLeft(1), "1 of 10 codes is left.");
});

/** All texts of a catalogue; of those that are functions with numbers in the place of what they tell. */
function textsOf(catalogue: object): string[] {
  return Object.values(catalogue).flatMap((value: unknown) => {
    if (typeof value === "string") return [value];
    if (typeof value === "function") return [String(value(2, 5))];
    return typeof value === "object" && value !== null ? textsOf(value) : [];
  });
}

test("Italian has one kind of apostrophe and one of quotation marks", () => {
  const texts = [...textsOf(it), ...textsOf(analytics)];
  assert.ok(texts.length > 400);
  for (const text of texts) assert.doesNotMatch(text, /[A-Za-zÀ-ÿ]'[A-Za-zÀ-ÿ]|[“”]/);
});
