import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../engine/access/caller.ts";
import { QUEUED_COMMANDS_MAX, QUEUED_OF_SENDER_MAX, SENT_OF_SENDER_MAX } from "../../../engine/kernel/limits.ts";
import type { CommandState } from "../../../engine/payments/command.ts";
import type { CommandLifeOperations } from "../../../engine/terminals/find-transaction.ts";
import { QueueFullBody } from "./relay-envelope.ts";

const DuplicateBody = Type.Object(
  {
    status: Type.Literal("error"),
    error: Type.String({ description: "What was wrong; for a repeated uuid `Duplicate payment request - UUID already processed`." }),
    message: Type.Optional(Type.String()),
  },
  { title: "CommandRefused" },
);

const DUPLICATE_HEADERS = {
  "Relay-Command-State": {
    description:
      "For a repeated uuid: the state of the first command (queued, sent, done, unknown, expired, cancelled). Absent if the caller may not see that command.",
  },
  Location: {
    description: "For a repeated uuid: the address of the first command's record. Absent if the caller may not see that command.",
  },
};

/** The 400 of every endpoint that sends a command. */
export const refusedResponse = {
  sharedName: "CommandRefused",
  description:
    "The request is not valid, or the uuid was already processed: the relay accepted that command before and does not execute it again.",
  body: DuplicateBody,
  headers: DUPLICATE_HEADERS,
  example: { status: "error", error: "Duplicate payment request - UUID already processed" },
};

/** The 429 of every endpoint that puts a command into a terminal's queue. */
export const queueFullResponse = {
  sharedName: "CommandQueueFull",
  description: `Either too many requests were sent (with the \`RateLimit-*\` headers if the endpoint has a rate limit), or no more commands may wait for the terminal. In the second case \`code\` is \`terminal_queue_full\`, there are no \`RateLimit-*\` headers, and nothing was stored. ${QUEUED_COMMANDS_MAX} commands may wait for a terminal, ${QUEUED_OF_SENDER_MAX} of them from one sender, and ${QUEUED_OF_SENDER_MAX} from all partners with rule ANY together; the message says which limit was reached. At most ${SENT_OF_SENDER_MAX} sent commands of one sender may await their results, and the same number of all partners with rule ANY together; further commands wait. \`Retry-After\` says when to retry; if the queue is full, it is the latest time at which a place is expected.`,
  body: QueueFullBody,
};

/**
 * The response for a uuid that was already processed. It also tells a caller whose first response
 * was lost that the command was accepted. `state` is null if the caller may not see the command.
 */
export function duplicateReply(uuid: string, state: CommandState | null) {
  return {
    status: 400 as const,
    body: { status: "error" as const, error: "Duplicate payment request - UUID already processed" },
    headers: state === null ? {} : { "Relay-Command-State": state, Location: `/api/v1/commands/${uuid}` },
  };
}

/**
 * Follows the message about a waiting command. A mistyped id looks like this until the command
 * expires.
 */
export function neverSeenText({ neverSeen = false }: { readonly neverSeen?: boolean }): string {
  return neverSeen ? ", which has never connected" : "";
}

/**
 * Returns the reply for a repeated uuid. A caller who may not see the command does not learn its
 * state.
 */
export async function repeatedReply(commandLife: CommandLifeOperations, caller: Caller, uuid: string) {
  const view = await commandLife.find(caller, uuid);
  return view === null ? duplicateReply(uuid, null) : duplicateReply(view.uuid, view.state);
}
