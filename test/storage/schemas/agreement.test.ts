import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OWN_NUMBERS, refusalBeside, type SchemaNumbers } from "../../../storage/schemas/agreement.ts";

const own = { version: "0.4.0", schemas: { command: [2, 1, 3], link: [1, 1, 1] } } as const;

function beside(version: string, schemas: SchemaNumbers | undefined): string | null {
  return refusalBeside(own, schemas === undefined ? { nodeId: "till", version } : { nodeId: "till", version, schemas });
}

describe("two versions", () => {
  const cases: { what: string; schemas: SchemaNumbers; refused: RegExp | null }[] = [
    { what: "of the same numbers run beside each other", schemas: { command: [2, 1, 3], link: [1, 1, 1] }, refused: null },
    { what: "of which one reads more than it writes do, too", schemas: { command: [2, 2, 2], link: [1, 1, 2] }, refused: null },
    { what: "of which each reads what the other writes do, too", schemas: { command: [3, 2, 3], link: [1, 1, 1] }, refused: null },
    {
      what: "of which one knows of a kind that it only reads do, too",
      schemas: { command: [2, 1, 3], link: [1, 1, 1], intent: [0, 1, 1] },
      refused: null,
    },
    {
      what: "are kept apart where this one could not read the other",
      schemas: { command: [4, 1, 4], link: [1, 1, 1] },
      refused:
        /^the node till runs Terminal Relay 0\.5\.0, which writes command in schema 4, and this one \(0\.4\.0\) reads 1 to 3: start 0\.5\.0 here too$/,
    },
    {
      what: "are kept apart where the other could not read this one",
      schemas: { command: [1, 1, 1], link: [1, 1, 1] },
      refused:
        /^this one \(0\.4\.0\) writes command in schema 2, and the node till runs Terminal Relay 0\.5\.0, which reads 1: upgrade through a version between the two, or stop all nodes of 0\.5\.0, then start this one$/,
    },
    {
      what: "are kept apart where one writes a kind that the other does not know",
      schemas: { command: [2, 1, 3], link: [1, 1, 1], intent: [1, 1, 1] },
      refused: /writes intent in schema 1, and this one \(0\.4\.0\) does not know it/,
    },
    {
      what: "are kept apart where the other does not know a kind that this one writes",
      schemas: { command: [2, 1, 3] },
      refused: /writes link in schema 1, .* does not know it/,
    },
  ];
  for (const { what, schemas, refused } of cases) {
    it(what, () => {
      const reason = beside("0.5.0", schemas);
      if (refused === null) assert.equal(reason, null);
      else assert.match(reason ?? "", refused);
    });
  }

  it("are kept apart where one tells no numbers", () => {
    assert.equal(
      beside("0.1.0", undefined),
      "the node till runs Terminal Relay 0.1.0, which cannot run together with 0.4.0: stop all nodes of 0.1.0, then start this one",
    );
  });

  it("agree with themselves: this one reads what it writes", () => {
    assert.equal(refusalBeside({ version: "x", schemas: OWN_NUMBERS }, { nodeId: "y", version: "x", schemas: OWN_NUMBERS }), null);
  });
});
