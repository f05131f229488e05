/** Reading results of any day: what is missing is null, and is left out of plots. */

export type Key = string | number;

export function memberOf(json: unknown, ...path: readonly Key[]): unknown {
  let found = json;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return null;
    found = Reflect.get(found, key);
  }
  return found ?? null;
}

/** A number that is finite; JSON has null in the place of others. */
export function numberOf(json: unknown, ...path: readonly Key[]): number | null {
  const found = memberOf(json, ...path);
  return typeof found === "number" && Number.isFinite(found) ? found : null;
}

export function textOf(json: unknown, ...path: readonly Key[]): string | null {
  const found = memberOf(json, ...path);
  return typeof found === "string" ? found : null;
}

export function listOf(json: unknown, ...path: readonly Key[]): readonly unknown[] {
  const found = memberOf(json, ...path);
  return Array.isArray(found) ? found : [];
}

/** Names and values of an object. */
export function entriesOf(json: unknown, ...path: readonly Key[]): [name: string, value: unknown][] {
  const found = memberOf(json, ...path);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? Object.entries(found) : [];
}
