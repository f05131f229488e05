import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Piece, piecesOf } from "./language.ts";

/**
 * The folders and files whose language keeps the rules below. The list only grows: a commit that
 * rewrites a folder adds it. When it names all folders, it goes and the test reads every file.
 */
const REWRITTEN: readonly string[] = [
  "engine/agents",
  "engine/alerts",
  "engine/cases",
  "engine/disputes",
  "engine/exports",
  "engine/intents",
  "engine/kernel",
  "engine/portal-links",
  "engine/reconciliation",
  "engine/refunds",
  "engine/reports",
  "engine/subscriptions",
  "engine/webhooks",
  "engine/workflow",
  "http/endpoint",
  "http/exports",
  "http/surfaces/admin/cases",
  "http/surfaces/merchant",
  "http/surfaces/parts",
  "http/web/portal",
  "infra/node/wiring",
  "storage/activity",
  "storage/feed",
  "storage/reports",
  "storage/transactions",
  "test/contract/agent-credential-store.ts",
  "test/contract/alert-store.ts",
  "test/contract/dispute-store.ts",
  "test/contract/intent-store.ts",
  "test/contract/portal-link-store.ts",
  "test/contract/subscription-store.ts",
  "test/engine/agents",
  "test/engine/alerts",
  "test/engine/disputes",
  "test/engine/intents",
  "test/engine/portal-links",
  "test/engine/subscriptions",
  "test/engine/workflow",
  "test/golden",
  "test/http/surfaces/merchant/alerts.test.ts",
  "test/http/surfaces/merchant/disputes.test.ts",
  "test/http/surfaces/parts",
  "test/http/web/portal/accessibility.test.ts",
  "test/http/web/portal/alerts.test.ts",
  "test/http/web/portal/dispute-cases.ts",
  "test/http/web/portal/disputes.test.ts",
  "test/http/web/portal/fake-disputes.ts",
  "test/http/web/portal/list.test.ts",
  "test/infra/node/wiring",
  "test/scenario/cases",
  "test/storage/reports",
  "test/storage/transactions",
  "test/support",
  "test/tidy/language.ts",
];

const COMMENT_COLUMNS_MAX = 100;

interface Rule {
  readonly applies: readonly (Piece["kind"] | "title" | "test")[];
  readonly pattern: RegExp;
  readonly advice: string;
}

const PROSE: Rule["applies"] = ["comment", "text", "title", "test"];

const RULES: readonly Rule[] = [
  { applies: PROSE, pattern: /\b(?:Of |The same of|What of|Whosever|Who is none)/, advice: "begin the sentence with its subject" },
  { applies: PROSE, pattern: /\b(?:whosever|is none of|nobody knows|of before|such a one|were it so)\b/i, advice: "use plain words" },
  { applies: PROSE, pattern: /\b(?!even )\w+(?:ed|en|wn|ld|pt|aid) so(?=[.,;:!?]|$)/, advice: "replace `so` by what it means" },
  { applies: ["code"], pattern: /(?:[bB]ecomingOf|[wW]ayOf|[wW]hyNot)\b/, advice: "take the name from the glossary" },
  { applies: ["title", "test"], pattern: /^(?:that|of|also|are)\b/i, advice: "name the unit, or begin with a verb" },
  { applies: ["test"], pattern: /^(?!(?:never )?\w+s\b|\$)/, advice: "begin with a verb in the third person" },
  {
    applies: ["comment"],
    pattern: /(?:^|[.?!]\s)(?:Who|Whom|Whose|Whoever|What|Whatever)\s[^?]*(?:$|[.!])/,
    advice: "do not begin with a relative clause",
  },
];

/** Returns a line for each rule that a piece of this source breaks. */
function mistakesIn(path: string, source: string): string[] {
  const pieces = piecesOf(source);
  return pieces.flatMap((piece, index) => {
    const kind = kindOf(piece, pieces[index - 1]);
    const text = textOf(piece);
    const advice = RULES.filter(({ applies, pattern }) => applies.includes(kind) && pattern.test(text)).map((rule) => rule.advice);
    if (kind === "comment" && isWide(piece, source)) advice.push(`keep comments within ${COMMENT_COLUMNS_MAX} columns`);
    const line = source.slice(0, piece.from).split("\n").length;
    return advice.map((one) => `${path}:${line} ${one}: ${text.slice(0, 80)}`);
  });
}

function kindOf({ kind }: Piece, before: Piece | undefined): Rule["applies"][number] {
  const [, called] = (kind === "text" && before?.kind === "code" && /\b(describe|it|test)(?:\.\w+)?\(\s*$/.exec(before.text)) || [];
  if (called === undefined) return kind;
  return called === "describe" ? "title" : "test";
}

/** Returns the words of a comment in one line, or a text without its quotes. */
function textOf({ kind, text }: Piece): string {
  if (kind === "text") return text.slice(1, -1);
  if (kind === "code") return text;
  const words = text.replace(/^\s*(?:\/\*\*?|\/\/|\*(?!\/))|\*\/$/gm, "");
  return words.replace(/\s+/g, " ").trim();
}

function isWide({ from, text }: Piece, source: string): boolean {
  const start = source.lastIndexOf("\n", from - 1) + 1;
  return source
    .slice(start, from + text.length)
    .split("\n")
    .some((line) => line.length > COMMENT_COLUMNS_MAX);
}

function filesIn(place: string): string[] {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:tsx?|mts|mjs)$/.test(file))
    .map((file) => join(place, file));
}

describe("the language of the sources", () => {
  it("keeps the rules in the folders that have been rewritten", () => {
    const mistakes = REWRITTEN.flatMap(filesIn).flatMap((path) => mistakesIn(path, readFileSync(path, "utf8")));
    assert.deepEqual(mistakes, []);
  });

  const reported: readonly (readonly [source: string, advice: RegExp])[] = [
    ["/** Of a link, nothing. */", /begin the sentence/],
    ["// Tested. The same\n// of a dispute.", /begin the sentence/],
    ['const text = "Nobody knows";', /use plain words/],
    [`const text = \`a {} \${\`b \${c} of before\`}\`;`, /use plain words/],
    ["// It cannot be cancelled so.", /replace `so`/],
    ['const whyNot = becomingOf(/"/);', /glossary/],
    ['describe("of links", run);', /name the unit/],
    ['it("that a link ends", run);', /begin with a verb/],
    ["/** What is counted of a step. */", /relative clause/],
    [`const wide = ${"1".repeat(60)}; // ${"wide ".repeat(6)}`, /100 columns/],
  ];
  for (const [source, advice] of reported) {
    it(`reports ${source}`, () => assert.match(mistakesIn("example.ts", source).join("\n"), advice));
  }

  it("accepts plain sentences, and what only looks like prose", () => {
    const source = [
      "/** Returns what the guard has read. What happens then? It is `null` if so. */",
      "const url = /^https?:\\/\\/[^/Of ]+/; const half = total / 2 / 1;",
      `it("rejects a repeated uuid", run); test(\`\${name} is open\`, run);`,
    ].join("\n");
    assert.deepEqual(mistakesIn("example.ts", source), []);
  });
});
