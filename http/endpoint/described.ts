import type { TSchema } from "@sinclair/typebox";

/** The same schema with what it means at this place, which the document says beside the reference to a schema with a title. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, descriptionHere: description };
}
