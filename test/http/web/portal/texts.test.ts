import assert from "node:assert/strict";
import { test } from "node:test";
import { en as operators } from "../../../../http/web/operators/i18n/start.en.ts";
import { it as operatori } from "../../../../http/web/operators/i18n/start.it.ts";
import { analytics as englishAnalytics } from "../../../../http/web/portal/i18n/analytics.en.ts";
import { analytics } from "../../../../http/web/portal/i18n/analytics.it.ts";
import { en as enPages } from "../../../../http/web/portal/i18n/en.ts";
import { it as itPages } from "../../../../http/web/portal/i18n/it.ts";
import { dated } from "../../../../http/web/portal/i18n/italian.ts";
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

/** The text for numbers. Some texts need dates instead, one of them in an object. */
function filled(text: (...values: unknown[]) => unknown): string {
  for (const values of [
    [2, 5],
    ["2", "5"],
  ]) {
    try {
      return String(text(...values));
    } catch {
      // It needs another kind of value.
    }
  }
  return String(text("2", "5", "5", "5", "5"));
}

/** All texts of a catalogue; of those that are functions with numbers in the place of what they tell. */
function textsOf(catalogue: object): string[] {
  return Object.values(catalogue).flatMap((value: unknown) => {
    if (typeof value === "string") return [value];
    if (typeof value === "function") return [filled((...values) => value(...values))];
    return typeof value === "object" && value !== null ? textsOf(value) : [];
  });
}

test("Italian has one kind of apostrophe and one of quotation marks", () => {
  const texts = [...textsOf(it), ...textsOf(analytics)];
  assert.ok(texts.length > 400);
  for (const text of texts) assert.doesNotMatch(text, /[A-Za-zÀ-ÿ]'[A-Za-zÀ-ÿ]|[“”]/);
});

/** Names of products and companies, which have capitals of their own. */
const NAMES = /\b(?:BANCOMAT Pay|Amazon Pay|VS Code|Excel|Satispay|Kafka|WebSocket)\b/g;

/** Names of pages, roles and states, and the words that stand for them in other texts. */
const QUOTED = /\b(?:role|under|See|shows|in) (?:Read-only|Owner|Paid late|Expired|Attention|Transactions|Exports|Deliveries)\b/g;

/** A word with a capital inside of a title, a label or a button: a text that is no sentence. */
function capitalsIn(text: string): string[] {
  if (/[.?!:]$/.test(text)) return [];
  const [, rest = ""] = /^\P{L}*\p{L}[\p{L}\p{M}’']*(.*)$/su.exec(text.replaceAll(NAMES, "").replaceAll(QUOTED, "")) ?? [];
  return rest.match(/(?<![.?!:·\n] )(?<=[ (/-])\p{Lu}\p{Ll}+/gu) ?? [];
}

test("titles and labels in English have a capital at their beginning only", () => {
  assert.deepEqual(capitalsIn("Under Review"), ["Review"]);
  assert.deepEqual(capitalsIn("Alert (Pre-Dispute)"), ["Pre", "Dispute"]);
  assert.deepEqual(capitalsIn("API keys · All of them"), []);
  const texts = [...textsOf(en), ...textsOf(englishAnalytics), ...textsOf(operators)].filter((text) => text !== "[object Object]");
  assert.ok(texts.length > 1_000, `${texts.length}`);
  assert.deepEqual(
    texts.flatMap((text) => (capitalsIn(text).length === 0 ? [] : [text])),
    [],
  );
});

/** Prepositions that were not joined with their article, vowels that need an apostrophe, and dates without one. */
const ITALIAN_FAULTS = [
  /(?<!\p{L})(?:di|a|da|in|su) (?:il|lo|la|i|gli|le|l’)(?!\p{L})/iu,
  /(?<!\p{L})(?:una|(?:de|a|da|ne|su)ll[oa]|quello|quella) [aeiouàèéìòù]\p{L}/iu,
  /(?<!\p{L})(?:il|del|dal|al) (?:8|11)(?!\d)/iu,
];

/** Abbreviations that are spelled letter by letter. */
const SPELLED = /(?<!\p{L})(?:una|della|alla|nella|sulla) (?:API|URL)(?!\p{L})/giu;

const isFaulty = (text: string) => ITALIAN_FAULTS.some((fault) => fault.test(text.replaceAll(SPELLED, "")));

test("Italian joins prepositions and articles, and elides before a vowel", () => {
  for (const [text, right] of [
    ["il numero di il cliente", false],
    ["dello importo", false],
    ["una agenzia", false],
    ["scade il 8 nov", false],
    ["scade l’8 nov", true],
    ["l’importo del cliente", true],
  ] as const) {
    assert.equal(isFaulty(text), !right, text);
  }
  const texts = [...textsOf(it), ...textsOf(analytics), ...textsOf(operatori)];
  assert.deepEqual(texts.filter(isFaulty), []);
});

test("an Italian date has the article of its number", () => {
  const cases = [
    ["il", "7 nov 2026", "il 7 nov 2026"],
    ["il", "8 nov 2026", "l’8 nov 2026"],
    ["dal", "11 nov", "dall’11 nov"],
    ["Il", "8 nov", "L’8 nov"],
    ["al", "18 nov", "al 18 nov"],
    ["del", "1 nov", "del 1º nov"],
    ["il", "10 nov", "il 10 nov"],
  ] as const;
  for (const [article, date, expected] of cases) assert.equal(dated(article, date), expected);
  assert.equal(it.paymentLinks.payUntil("8 nov 2026, 14:05"), "Valido fino all’8 nov 2026, 14:05");
});
