import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";

/** The check of a schema, compiled at its first use: compiling those of all endpoints would be a tenth of the start of a shard. */
export function checkOf<Schema extends TSchema>(schema: Schema): () => TypeCheck<Schema> {
  let check: TypeCheck<Schema> | null = null;
  return () => {
    check ??= TypeCompiler.Compile(schema);
    return check;
  };
}
