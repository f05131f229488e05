import { Type } from "@sinclair/typebox";
import type { Caller } from "../../engine/access/caller.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { CommandState } from "../../engine/payments/command.ts";
import type { CommandLifeOperations } from "../../engine/terminals/find-transaction.ts";

const DuplicateBody = Type.Object({
  status: Type.Literal("error"),
  error: Type.String({ description: "The reason; for a repeated uuid `Duplicate payment request - UUID already processed`." }),
  message: Type.Optional(Type.String()),
});

const DUPLICATE_HEADERS = {
  "Relay-Command-State": {
    description:
      "For a repeated uuid: the state of the first command (queued, sent, done, unknown, expired, cancelled). Absent if the caller may not see that command.",
  },
  Location: { description: "For a repeated uuid: the address of the first command's life." },
};

/** The 400 of every endpoint that sends a command. */
export const refusedResponse = {
  description: "The request is not valid, or the uuid was already processed: that command was accepted before and is not executed again.",
  body: DuplicateBody,
  headers: DUPLICATE_HEADERS,
  example: { status: "error", error: "Duplicate payment request - UUID already processed" },
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

/** The same for a caller who may not see every command. */
export async function repeatedReply(commandLife: CommandLifeOperations, caller: Caller, uuid: string) {
  const view = await commandLife.find(caller, uuid);
  return view === null ? duplicateReply(uuid, null) : duplicateReply(view.uuid, view.state);
}

/** The 429 for a terminal with a full queue. */
export function queueFull(): RelayError {
  return new RelayError("queue_full", "Too many commands wait for this terminal", { retryAfterSeconds: 1 });
}
