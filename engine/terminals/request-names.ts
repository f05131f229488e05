import type { Ids } from "../kernel/ids.ts";

/** Hex digits: their 62 random bits tell apart all processes that ever are, and stand in the record of each command. */
const PREFIX_DIGITS = 16;

/** Names for `Command.request`: a random part for all of this process, and a number. A random uuid for each costs a payment two microseconds. */
export function createRequestNames(ids: Ids): () => string {
  const prefix = `${ids.uuid().replaceAll("-", "").slice(-PREFIX_DIGITS)}-`;
  let count = 0;
  return () => {
    count += 1;
    return prefix + count.toString(36);
  };
}
