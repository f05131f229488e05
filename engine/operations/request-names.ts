import type { Ids } from "../ports/ids.ts";

/** Names for `Command.request`: a random part for all of this process, and a number. A random uuid for each costs a payment two microseconds. */
export function createRequestNames(ids: Ids): () => string {
  const prefix = `${ids.uuid().replaceAll("-", "")}-`;
  let count = 0;
  return () => {
    count += 1;
    return prefix + count.toString(36);
  };
}
