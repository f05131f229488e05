import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";

/** The texts of records and messages, by kind and number. */
interface Written {
  [kind: string]: { [number: string]: unknown };
}

interface Golden {
  /**
   * The newest numbers that a release has written. Other versions and users' stores have these
   * forms, so they never change.
   */
  released: { readonly [kind: string]: number };
  written: Written;
  /** The values that this version reads from the texts. */
  read: Written;
}

export interface GoldenForms {
  released(kind: string): number;
  written(kind: string, number: number): unknown;
  /**
   * Asserts that a kind is written like its golden example of that number. With UPDATE_GOLDEN=1 it
   * stores additions instead: a number that no release has written, or added members of a released
   * number.
   */
  assertWritten(kind: string, number: number, now: unknown): void;
  /**
   * Asserts that this version reads the same from an example as before. With UPDATE_GOLDEN=1 it
   * stores the new value.
   */
  assertRead(kind: string, number: number, found: unknown): void;
}

/**
 * Returns the golden examples in a file beside this one. Together with a release, the numbers that
 * it writes become `released`.
 */
export function goldenForms(name: string): GoldenForms {
  const file = new URL(name, import.meta.url);
  const golden: Golden = JSON.parse(readFileSync(file, "utf8"));
  const updates = process.env["UPDATE_GOLDEN"] === "1";

  function take(into: Written, kind: string, number: number, value: unknown): void {
    into[kind] = { ...into[kind], [number]: value };
    writeFileSync(file, `${JSON.stringify(golden, null, 2)}\n`);
  }

  const released = (kind: string) => golden.released[kind] ?? 0;
  return {
    released,
    written: (kind, number) => golden.written[kind]?.[number],
    assertWritten: (kind, number, now) => {
      const before = golden.written[kind]?.[number];
      const wasReleased = number <= released(kind);
      const mayTake = !wasReleased || before === undefined || addsOnly(before, now);
      if (updates && mayTake) take(golden.written, kind, number, now);
      else assert.deepEqual(now, before, `${kind} is written in another form than before. ${whatToDo(number, wasReleased, mayTake)}`);
    },
    assertRead: (kind, number, found) => {
      if (updates) take(golden.read, kind, number, found);
      else assert.deepEqual(found, golden.read[kind]?.[number]);
    },
  };
}

function whatToDo(number: number, wasReleased: boolean, mayTake: boolean): string {
  if (!wasReleased) return "No release has written this number yet, so UPDATE_GOLDEN=1 takes the new form.";
  const next = `A release has written number ${number}, so the new form needs number ${number + 1}: storage/schemas/schemas.ts says how.`;
  return mayTake ? `${next} Or, where versions that leave the added members unread do no harm, UPDATE_GOLDEN=1 takes them.` : next;
}

/**
 * Returns true if `now` has all that `before` has, unchanged. Texts with JSON are compared by their
 * members.
 */
export function addsOnly(before: unknown, now: unknown): boolean {
  const [one, other] = [parsed(before), parsed(now)];
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, index) => addsOnly(item, other[index]));
  }
  if (typeof one !== "object" || one === null) return one === other;
  if (typeof other !== "object" || other === null || Array.isArray(other)) return false;
  const members = new Map<string, unknown>(Object.entries(other));
  return Object.entries(one).every(([name, value]) => members.has(name) && addsOnly(value, members.get(name)));
}

function parsed(value: unknown): unknown {
  return typeof value === "string" && value.startsWith("{") && value.endsWith("}") ? JSON.parse(value) : value;
}
