import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";

/** The check of a schema, compiled at its first use: compiling those of all endpoints would be a tenth of the start of a shard. */
export function checkOf(schema: TSchema): () => TypeCheck<TSchema> {
  let check: TypeCheck<TSchema> | null = null;
  return () => {
    check ??= TypeCompiler.Compile(schema);
    return check;
  };
}
