import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import type { Operation } from "./intents.ts";

/** Of the refund that an operation begins. */
export function refundIdOf({ id }: Pick<Operation, "id">, digest: Digest): string {
  return prefixedId("re_", digest(`refund ${id}`));
}

/** Of the reversal by which an operation gives an authorized payment back. */
export function releaseIdOf({ id }: Pick<Operation, "id">, digest: Digest): string {
  return prefixedId("rv_", digest(`reversal ${id}`));
}
