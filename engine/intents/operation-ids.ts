import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { Operation } from "./intents.ts";

/** Returns the id of the refund that an operation starts. */
export function refundIdOf({ id }: Pick<Operation, "id">, digest: Digest): string {
  return prefixedId("re_", digest(`refund ${id}`));
}

/** Returns the id of the reversal with which an operation releases an authorized payment. */
export function releaseIdOf({ id }: Pick<Operation, "id">, digest: Digest): string {
  return prefixedId("rv_", digest(`reversal ${id}`));
}
