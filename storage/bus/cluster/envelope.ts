import { decode, encode } from "@msgpack/msgpack";
import { SCHEMAS } from "../../../engine/kernel/schemas.ts";
import type { Failure } from "../thread-protocol.ts";

/**
 * The schema of an entry and of each kind of message in it. A node that finds an unknown number drops the entry: one-way messages are lost
 * and requests end at their deadlines. But nodes that cannot read each other do not run together (membership.ts).
 */
const VERSION = SCHEMAS.streamMessage.writes;

/**
 * A message between shards of different nodes. Addresses are those of the cluster: `<incarnation>/shard-0`. The words are those of the
 * streams, which do not change: `ask` is a request, `answer` its response, `tell` a one-way message.
 */
export type ClusterMessage =
  /** `askedAtMs`: on Redis's clock; the entry itself may have been written much later. */
  | { type: "ask"; from: string; to: string; id: number; kind: string; body: unknown; askedAtMs: number; timeoutMs: number }
  | { type: "tell"; from: string; to: string; kind: string; body: unknown }
  | { type: "answer"; from: string; to: string; id: number; body: unknown }
  | { type: "failure"; from: string; to: string; id: number; failure: Failure };

/** Encodes the messages to one shard in one turn. */
export function encodeMessages(messages: readonly ClusterMessage[]): Uint8Array {
  return encode([VERSION, messages], { ignoreUndefined: true });
}

/**
 * Null for a version that this program does not know, or for bytes that are not messages. Only nodes of this program write to the streams.
 */
export function decodeMessages(bytes: Uint8Array): ClusterMessage[] | null {
  const value = decode(bytes);
  const [oldest, newest] = SCHEMAS.streamMessage.reads;
  if (!Array.isArray(value) || !(value[0] >= oldest && value[0] <= newest) || !Array.isArray(value[1])) return null;
  return value[1];
}
