import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { before, describe, it } from "node:test";
import { type Hop, type Walk, walk } from "./walk.ts";

/** Calls of closures, from which no look-up leads on. The list may only shrink. */
const BREAKS = ["pay calls sendPayment", "acceptInTurn calls accept"];

const PAGE = "ARCHITECTURE.md";
const TABLE = /(## Following a payment\n[^|]*\| function [^\n]*\n\|---[^\n]*\n)(?:\|[^\n]*\n)*/;

describe("a reader who follows a payment from call to call", () => {
  let walked: Walk;

  before(async () => {
    walked = await walk();
  });

  it("lands on the function that makes the next call, but for the hops that are listed as breaks", () => {
    assert.deepEqual(
      walked.hops.filter(({ by }) => by === null).map(({ in: caller, name }) => `${caller} calls ${name}`),
      BREAKS,
      "remove from BREAKS what no longer breaks, and add nothing to it",
    );
  });

  it("is offered several implementations of the store at the end", () => {
    assert.ok(walked.implementations.length > 1, `only ${walked.implementations.join()}`);
  });

  it("finds the same hops in ARCHITECTURE.md (UPDATE_GOLDEN=1 writes them)", () => {
    const text = readFileSync(PAGE, "utf8");
    assert.match(text, TABLE);
    const whole = text.replace(TABLE, (_, head: string) => head + rowsOf(walked));
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(PAGE, whole);
    assert.equal(readFileSync(PAGE, "utf8"), whole);
  });
});

function rowsOf({ hops, last, implementations }: Walk): string {
  const offered = `implementations in ${implementations.map((path) => `\`${path}\``).join(", ")}`;
  return [...hops.map((hop) => rowOf(hop, wordsOf(hop))), rowOf(last, offered)].join("");
}

function rowOf({ in: caller, path, name }: Omit<Hop, "by">, how: string): string {
  return `| \`${caller}\` | \`${path}\` | \`${name}\` | ${how} |\n`;
}

function wordsOf({ by }: Hop): string {
  return by ?? "a closure";
}
