import { type ClickHouseAddress, connectClickHouse } from "./client.ts";

/** A ClickHouse that takes longer to say that it is there counts as away. */
const ANSWER_MS = 2_000;

/** Asks ClickHouse whether it is there, on a connection of its own that waits for no query. False where it does not answer within two seconds. */
export function createAvailability(address: ClickHouseAddress): () => Promise<boolean> {
  const client = connectClickHouse(address);
  return async () => {
    const { success } = await client.ping({ select: false, abort_signal: AbortSignal.timeout(ANSWER_MS) });
    return success;
  };
}
