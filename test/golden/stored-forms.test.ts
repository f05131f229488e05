import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PASSING, SCHEMAS, type Schema } from "../../engine/kernel/schemas.ts";
import { MemoryKv } from "../engine/kernel/memory-kv.ts";
import { addsOnly, goldenForms } from "./forms.ts";
import { STORED_EXAMPLES, type StoredExample, withoutRandom } from "./stored-examples.ts";

/** All stored records in every form that is still read. Version 0.1.0 wrote its own forms. */
const golden = goldenForms("stored-forms.json");

const KINDS = new Map<string, Schema>(Object.entries(SCHEMAS).filter(([, { keys }]) => keys.length > 0));
const EXAMPLES = new Map<string, StoredExample>(Object.entries(STORED_EXAMPLES));

/**
 * The first two kinds are single words, each written by one line in infra. The mark has a test of
 * its own.
 */
const WITHOUT_EXAMPLE = ["appInstallation", "administrator", "schemaMark"];

async function writtenNow(kind: string): Promise<{ [key: string]: string }> {
  const kv = new MemoryKv();
  await EXAMPLES.get(kind)?.write(kv);
  const keys = (KINDS.get(kind)?.keys ?? []).flatMap((prefix) => kv.keys(prefix));
  const entries = await kv.getMany(keys);
  return Object.fromEntries(entries.map((entry) => [entry?.key ?? "", withoutRandom(entry?.value ?? "")]));
}

async function readNow(kind: string, entries: object): Promise<unknown> {
  const kv = new MemoryKv();
  await kv.commit({
    checks: [],
    operations: Object.entries(entries).map(([key, value]) => ({ type: "put", key, value: String(value) }) as const),
  });
  const found = await EXAMPLES.get(kind)?.read?.(kv);
  return found === undefined ? null : JSON.parse(JSON.stringify(found));
}

/** Returns the number in a record, or null for a text that is not a record, such as an id. */
function toldNumber(text: string): unknown {
  if (!/^[{[]/.test(text)) return null;
  // The payload of a command follows after the first line.
  const value: unknown = JSON.parse(text.split("\n", 1)[0] ?? "");
  if (Array.isArray(value)) return value[0];
  return typeof value === "object" && value !== null && "schema" in value ? value.schema : "none";
}

describe("what is stored", () => {
  it("has an example of each kind", () => {
    assert.deepEqual([...KINDS.keys()].sort(), [...EXAMPLES.keys(), ...WITHOUT_EXAMPLE].sort());
  });

  it("lies under keys of which each belongs to one kind", () => {
    const prefixes = [...KINDS.values()].flatMap(({ keys }) => keys);
    for (const one of prefixes)
      for (const other of prefixes) assert.ok(one === other || !other.startsWith(one), `${other} is among the keys of ${one}`);
    assert.deepEqual(
      PASSING.filter((kind) => KINDS.has(kind)),
      [],
    );
  });

  for (const [kind, { writes, reads }] of KINDS) {
    if (WITHOUT_EXAMPLE.includes(kind)) continue;

    it(`${kind}: is written as number ${writes}`, async () => {
      const now = await writtenNow(kind);
      assert.ok(Object.keys(now).length > 0, "the example wrote nothing");
      for (const [key, text] of Object.entries(now)) {
        // A row's text is sent to Kafka, where the message has a number.
        const expected = kind === "outboxRow" ? ["none"] : [null, writes];
        const told = toldNumber(text);
        assert.ok(
          expected.some((one) => one === told),
          `${key} tells the number ${told}`,
        );
      }
      golden.assertWritten(kind, writes, now);
    });

    for (let number = reads[0]; number <= reads[1]; number += 1) {
      it(`${kind}: number ${number} is read`, async () => {
        const entries = golden.written(kind, number);
        assert.ok(typeof entries === "object" && entries !== null, `there is no example of number ${number}, which is said to be read`);
        golden.assertRead(kind, number, await readNow(kind, entries));
      });
    }

    it(`${kind}: a number that is not known is refused`, async () => {
      if (EXAMPLES.get(kind)?.read === undefined) return;
      const now = await writtenNow(kind);
      const later = Object.entries(now).map(([key, text]) => {
        const told = toldNumber(text);
        if (typeof told !== "number") return [key, text];
        return [key, text.startsWith("[") ? text.replace(/^\[\d+/, "[99") : text.replace(/"schema":\d+/, '"schema":99')];
      });
      if (later.every(([key, text]) => now[key ?? ""] === text)) return;
      await assert.rejects(readNow(kind, Object.fromEntries(later)), /schema 99, which this version cannot read/);
    });
  }
});

describe("a golden example", () => {
  it("tells members that were added from those that changed or went", () => {
    assert.ok(addsOnly({ a: 1 }, { b: 2, a: 1 }));
    assert.ok(addsOnly({ key: '{"a":[{"b":1}]}' }, { key: '{"a":[{"b":1,"c":2}]}' }));
    assert.ok(!addsOnly({ a: 1 }, { a: 2 }));
    assert.ok(!addsOnly({ a: 1, b: 1 }, { a: 1 }));
    assert.ok(!addsOnly([1], [1, 2]), "places of a tuple mean something");
    assert.ok(!addsOnly("[2,1]", "[2,1,3]"));
    assert.ok(!addsOnly(undefined, {}));
  });
});
