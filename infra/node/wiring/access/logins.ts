import { createHmac } from "node:crypto";
import type { Address, Bus } from "../../../../engine/kernel/bus.ts";
import { createClusterLoginCounts, createLoginCounts, type LoginCounts } from "../../../../http/auth/login-counts.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { STORE_OWNER } from "../../boot/shard-boot.ts";

/** Another thread of this node responds immediately unless it is busy. */
const ANSWER_MS = 1_000;

export interface LoginCountsParts {
  address: Address;
  bus: Pick<Bus<NodeProtocol>, "handle" | "request" | "send">;
  monotonicMs(): number;
  /** The counts of all nodes; null for a single node. */
  shared: LoginCounts | null;
}

/**
 * Counts wrong passwords. One thread counts for all threads of a node, and the store for all nodes
 * of a cluster.
 */
export function composeLoginCounts({ address, bus, monotonicMs, shared }: LoginCountsParts): LoginCounts {
  const own = createLoginCounts(monotonicMs);
  const ofNode: LoginCounts =
    address === STORE_OWNER
      ? own
      : {
          // Without a response this thread counts alone. A thread that does not respond serves no
          // requests either.
          attempt: (attempt) => bus.request(STORE_OWNER, "shard.countLogin", attempt, ANSWER_MS).catch(() => own.attempt(attempt)),
          takeBack: async (attempt) => {
            await own.takeBack(attempt);
            bus.send(STORE_OWNER, "shard.takeLoginBack", attempt);
          },
        };
  if (address === STORE_OWNER) {
    bus.handle("shard.countLogin", own.attempt);
    bus.handle("shard.takeLoginBack", async (attempt) => {
      await own.takeBack(attempt);
      return undefined;
    });
  }
  return shared === null ? ofNode : createClusterLoginCounts(ofNode, shared);
}

/**
 * Returns the key of the digests of accounts, addresses and passwords that threads and nodes share.
 */
export function loginDigestKey(terminalSecret: string): Buffer {
  return createHmac("sha256", terminalSecret).update("wrong passwords", "utf8").digest();
}
