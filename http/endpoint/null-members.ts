import { Kind, OptionalKind, type TSchema, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

/**
 * Removes members that are null if null means the same as leaving them out, which holds if they are
 * optional and their schema does not accept null. Many clients send null for members that are not
 * set. If null has a meaning of its own, such as to remove something, the schema accepts it. A
 * required member stays, so that its null is rejected.
 */
export function withoutNulls(schema: TSchema, value: unknown): unknown {
  switch (schema[Kind]) {
    case "Object":
      return withoutNullMembers(value, (name) => (Object.hasOwn(schema["properties"], name) ? schema["properties"][name] : null));
    case "Record":
      return withoutNullMembers(value, () => Type.Optional(Object.values<TSchema>(schema["patternProperties"])[0] ?? Type.Unknown()));
    case "Array":
      return Array.isArray(value) ? value.map((item) => withoutNulls(schema["items"], item)) : value;
    case "Union":
      return withoutNullsOfOne(schema["anyOf"], value);
    default:
      return value;
  }
}

function withoutNullMembers(value: unknown, schemaOf: (name: string) => TSchema | null): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const schema = schemaOf(name);
    if (schema === null) return [[name, member]];
    if (member === null && schema[OptionalKind] !== undefined && !Value.Check(schema, null)) return [];
    return [[name, withoutNulls(schema, member)]];
  });
  return Object.fromEntries(members);
}

/** Uses the first alternative that accepts the rest. */
function withoutNullsOfOne(alternatives: readonly TSchema[], value: unknown): unknown {
  for (const schema of alternatives) {
    const left = withoutNulls(schema, value);
    if (Value.Check(schema, left)) return left;
  }
  return value;
}
