import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { currencyUnknown } from "../../../engine/payments/result.ts";
import type { CommandLifeView } from "../../../engine/terminals/find-transaction.ts";
import { iso } from "../../endpoint/time.ts";
import { queueFullResponse } from "../parts/command-refusals.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { ResultStatus, UuidParams } from "../parts/schemas.ts";
import { relay } from "./surface.ts";

const State = Type.Union(
  ["queued", "sent", "done", "unknown", "expired", "cancelled"].map((word) => Type.Literal(word)),
  {
    title: "CommandState",
    description:
      "queued → sent → done or unknown; queued → expired or cancelled. It is safe to charge again after expired or cancelled, but not after unknown.",
  },
);

const CommandLife = Type.Object(
  {
    uuid: Type.String(),
    terminalId: Type.String(),
    service: Type.Union([Type.String(), Type.Null()], { description: "Null for a result without a command." }),
    state: State,
    acceptedAt: Type.Optional(Type.String({ description: "ISO 8601 UTC, like all times here." })),
    expiresAt: Type.Optional(Type.String()),
    sentAt: Type.Optional(Type.String()),
    finishedAt: Type.Optional(Type.String()),
    channel: Type.Optional(Type.Union([Type.Literal("websocket"), Type.Literal("poll")])),
    attempt: Type.Integer({ description: "The number of times it was sent." }),
    cancelRequested: Type.Boolean({
      description:
        "True if the terminal was asked to cancel the command. Stays true if the terminal refused or did not answer, and the command continues.",
    }),
    result: Type.Union([ResultStatus, Type.Null()]),
    unreadableAnswerAt: Type.Optional(
      Type.String({
        description:
          "Present only while there is no result: when the terminal posted something that could not be read as a result and that names this command or could belong to it. `/admin/attention` shows what was posted.",
      }),
    ),
    amountDiffers: Type.Optional(Type.Boolean({ description: "True if the result's amount or currency differs from the command's." })),
    currencyUnknown: Type.Optional(
      Type.Boolean({ description: "True if the result's currency is not a known one; it is kept as received." }),
    ),
  },
  { title: "Command" },
);

function toLife(view: CommandLifeView): Static<typeof CommandLife> {
  const { uuid, terminalId, command, state, sentAtMs, finishedAtMs, channel, attempts, cancelRequested, transaction, amountDiffers } = view;
  const life: Static<typeof CommandLife> = {
    uuid,
    terminalId,
    service: command?.service ?? null,
    state,
    attempt: attempts,
    cancelRequested,
    result: transaction?.status ?? null,
  };
  if (command !== null) {
    life.acceptedAt = iso(command.acceptedAtMs);
    life.expiresAt = iso(command.expiresAtMs);
  }
  if (sentAtMs !== null) life.sentAt = iso(sentAtMs);
  if (finishedAtMs !== null) life.finishedAt = iso(finishedAtMs);
  if (channel !== null) life.channel = channel;
  if (amountDiffers) life.amountDiffers = true;
  if (view.unreadableAnswerAtMs !== null) life.unreadableAnswerAt = iso(view.unreadableAnswerAtMs);
  if (transaction !== null && currencyUnknown(transaction)) life.currencyUnknown = true;
  return life;
}

export const findCommand = relay.endpoint({
  name: "findCommand",
  method: "GET",
  path: "/api/v1/commands/{uuid}",
  summary: "Get a command",
  auth: "basicOrApiKey",
  needs: "see",
  params: UuidParams,
  responses: {
    200: { description: "The command's life so far.", body: okBody(CommandLife) },
    ...relay.errors(400, 401, 404, 503),
  },
  handle: async ({ commandLife }, { params, caller }) => {
    const view = await commandLife.find(caller, params.uuid);
    if (view === null) throw new RelayError("not_found", "Command not found");
    return { status: 200, body: { status: "ok", data: toLife(view) } };
  },
});

export const cancelCommand = relay.endpoint({
  name: "cancelCommand",
  method: "POST",
  path: "/api/v1/commands/{uuid}/cancel",
  summary: "Cancel a command",
  description:
    "A waiting command is cancelled at once (200). If it was sent, even if it was returned to the queue since, a CANCEL command is sent to the terminal (202): the command is cancelled only when the terminal confirms it, and a result that arrives takes precedence. 409 if the command has ended. The CANCEL takes a place of the command's sender: 429 with the code `terminal_queue_full` if there is none.",
  auth: "basicOrApiKey",
  needs: "see and send",
  params: UuidParams,
  body: Type.Optional(Type.Object({})),
  responses: {
    200: {
      description: "Cancelled before it was sent: it is safe to charge again.",
      body: okBody(Type.Object({ uuid: Type.String(), state: Type.Literal("cancelled") })),
    },
    202: {
      description: "The terminal was asked to cancel. Read the command's life to see the outcome.",
      body: okBody(Type.Object({ uuid: Type.String(), state: Type.Literal("sent"), cancelUuid: Type.String() })),
    },
    429: queueFullResponse,
    ...relay.errors(400, 401, 403, 404, 409, 503),
  },
  handle: async ({ commandLife }, { params, caller }) => {
    const { uuid, outcome } = await commandLife.cancel(caller, params.uuid);
    switch (outcome.type) {
      case "cancelled":
        return { status: 200, body: { status: "ok", data: { uuid, state: "cancelled" } } };
      case "requested":
        return { status: 202, body: { status: "ok", data: { uuid, state: "sent", cancelUuid: outcome.cancelUuid } } };
      case "too_late":
        throw new RelayError("conflict", `The command is ${outcome.state} and cannot be cancelled`);
      case "not_found":
        throw new RelayError("not_found", "Command not found");
    }
  },
});
