import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../engine/access/caller.ts";
import { QUEUED_COMMANDS_MAX, QUEUED_OF_SENDER_MAX, SENT_OF_SENDER_MAX } from "../../../engine/kernel/limits.ts";
import type { CommandState } from "../../../engine/payments/command.ts";
import type { CommandLifeOperations } from "../../../engine/terminals/find-transaction.ts";
import { QueueFullBody } from "./relay-envelope.ts";

const DuplicateBody = Type.Object(
  {
    status: Type.Literal("error"),
    error: Type.String({ description: "The reason; for a repeated uuid `Duplicate payment request - UUID already processed`." }),
    message: Type.Optional(Type.String()),
  },
  { title: "CommandRefused" },
);

const DUPLICATE_HEADERS = {
  "Relay-Command-State": {
    description:
      "For a repeated uuid: the state of the first command (queued, sent, done, unknown, expired, cancelled). Absent if the caller may not see that command.",
  },
  Location: { description: "For a repeated uuid: the address of the first command's life." },
};

/** The 400 of every endpoint that sends a command. */
export const refusedResponse = {
  sharedName: "CommandRefused",
  description: "The request is not valid, or the uuid was already processed: that command was accepted before and is not executed again.",
  body: DuplicateBody,
  headers: DUPLICATE_HEADERS,
  example: { status: "error", error: "Duplicate payment request - UUID already processed" },
};

/** The 429 of every endpoint that puts a command into a terminal's queue. */
export const queueFullResponse = {
  sharedName: "CommandQueueFull",
  description: `Either too many requests (with the \`RateLimit-*\` headers where the endpoint has a rate limit), or no more commands may wait for the terminal: then \`code\` is \`terminal_queue_full\`, there are no \`RateLimit-*\` headers, and nothing was stored. ${QUEUED_COMMANDS_MAX} commands may wait for a terminal, ${QUEUED_OF_SENDER_MAX} of them from one sender, and ${QUEUED_OF_SENDER_MAX} from all partners with rule ANY together; the message says which limit it is. At most ${SENT_OF_SENDER_MAX} that were sent may await their results from one sender, and the same from all partners with rule ANY: further ones wait. \`Retry-After\` says when to try again; for a full queue, when a place is expected at the latest.`,
  body: QueueFullBody,
};

/**
 * The response for a uuid that was already processed. It also tells a caller whose first response was lost that the command was accepted.
 * `state` is null for a command that the caller may not see.
 */
export function duplicateReply(uuid: string, state: CommandState | null) {
  return {
    status: 400 as const,
    body: { status: "error" as const, error: "Duplicate payment request - UUID already processed" },
    headers: state === null ? {} : { "Relay-Command-State": state, Location: `/api/v1/commands/${uuid}` },
  };
}

/** Behind the message of a command that waits: an id that was mistyped looks like this until the command expires. */
export function neverSeenText({ neverSeen = false }: { readonly neverSeen?: boolean }): string {
  return neverSeen ? ", which has never connected" : "";
}

/** The same for a caller who may not see every command. */
export async function repeatedReply(commandLife: CommandLifeOperations, caller: Caller, uuid: string) {
  const view = await commandLife.find(caller, uuid);
  return view === null ? duplicateReply(uuid, null) : duplicateReply(view.uuid, view.state);
}
