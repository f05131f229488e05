import type { TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";

/**
 * Returns the check of a schema, which is compiled at its first use. Compiling all of them would
 * take a tenth of the start of a shard.
 */
export function checkOf<Schema extends TSchema>(schema: Schema): () => TypeCheck<Schema> {
  let check: TypeCheck<Schema> | null = null;
  return () => {
    check ??= TypeCompiler.Compile(schema);
    return check;
  };
}
