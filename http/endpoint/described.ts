import type { TSchema } from "@sinclair/typebox";

/**
 * Returns the schema with its meaning at this place. The document shows it beside the reference to
 * a schema with a title.
 */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, descriptionHere: description };
}
