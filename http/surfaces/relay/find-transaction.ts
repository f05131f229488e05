import { Type } from "@sinclair/typebox";
import { type Caller, mayKnow } from "../../../engine/access/caller.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { RequestFacts } from "../../endpoint/endpoint.ts";
import { TerminalId, TerminalParams, UuidParams } from "../parts/schemas.ts";
import { lookupBody, NOT_FOUND, TransactionLookupBody, WAIT_DEADLINE_MS, WaitQuery } from "./schemas.ts";
import { type RelayOperations, relay } from "./surface.ts";

const lookup = {
  method: "GET",
  deadlineMs: WAIT_DEADLINE_MS,
  responses: {
    200: {
      description:
        "The result. While there is none, `data` is null and the message is `no_content`. For an unknown id the status is `error` and the message is `Transaction not found`.",
      body: TransactionLookupBody,
      example: {
        status: "ok",
        data: {
          uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11",
          createdAt: "2026-11-21T11:00:04.120",
          method: "CARD",
          status: "OK",
          amountCents: 1050,
          currency: "EUR",
          terminalId: "SIM00001",
          auth: { authCode: "123456" },
          card: { brand: "VISA", maskedPan: "453201******0366", entry: "NFC" },
        },
        error: null,
      },
    },
    ...relay.errors(400, 401, 503),
  },
} as const;

interface Asking {
  readonly caller: Caller;
  readonly query: { readonly wait?: number };
  readonly request: RequestFacts;
}

/** For how long it waits, and for whom. */
function waitOf({ query: { wait = 0 }, request }: Asking): [waitMs: number, gone?: AbortSignal] {
  return wait === 0 ? [0] : [wait * 1_000, request.gone];
}

async function byUuid({ findTransaction, useLink, localTime }: RelayOperations, asking: Asking, uuid: string) {
  const { caller } = asking;
  const found = await findTransaction.byUuid(caller, uuid, ...waitOf(asking));
  if (found.type === "found") return { status: 200 as const, body: lookupBody(found.transaction, localTime) };
  // A link's id is one of the relay's own, so it is asked for last: a command's uuid may be anything.
  const link = await useLink.transactionOf(caller, uuid);
  return { status: 200 as const, body: link.type === "unknown" ? NOT_FOUND : lookupBody(link.transaction, localTime) };
}

async function latest({ findTransaction, terminals, localTime }: RelayOperations, asking: Asking, terminalId: string) {
  const { caller } = asking;
  const found = await findTransaction.latest(caller, terminalId, ...waitOf(asking));
  if (found.type === "found") return { status: 200 as const, body: lookupBody(found.transaction, localTime) };
  if (!mayKnow(caller, terminalId)) return { status: 200 as const, body: NOT_FOUND };
  const { connectionStatus } = await terminals.view(terminalId);
  return { status: 200 as const, body: connectionStatus === "NEVER_CONNECTED" ? NOT_FOUND : lookupBody(null, localTime) };
}

export const findByUuid = relay.endpoint({
  ...lookup,
  name: "findByUuid",
  path: "/api/v1/{uuid}/uuid",
  summary: "Get the result of a command",
  description:
    "If the caller can see no command with this uuid, the oldest unsolicited result with the uuid that the caller may see is returned. A partner that sees only its own commands sees no unsolicited results. The txId of a payment link is found too, with the method PAYBYLINK: `data` is null until the link has ended, and `wait` does not wait for it.",
  auth: "basicOrApiKey",
  needs: "see",
  params: UuidParams,
  query: WaitQuery,
  handle: (operations, input) => byUuid(operations, input, input.params.uuid),
});

export const findByUuidLegacy = relay.endpoint({
  ...lookup,
  name: "findByUuidLegacy",
  path: "/uuid/{uuid}",
  summary: "Get the result of a command (deprecated path)",
  auth: "basicOrApiKey",
  needs: "see",
  deprecated: { successor: "/api/v1/{uuid}/uuid" },
  params: UuidParams,
  query: WaitQuery,
  handle: (operations, input) => byUuid(operations, input, input.params.uuid),
});

export const findLatest = relay.endpoint({
  ...lookup,
  name: "findLatest",
  path: "/api/v1/{terminalId}/status",
  summary: "Get the result of a terminal's latest command",
  description:
    "Refers to the latest pay, scan or print command: `data` is null from its acceptance until its result, and stays null if it expired or was cancelled. If there is no newer command, the last transaction is returned. A partner sees its own commands; it sees everything only if its rule names the terminal.",
  auth: "basicOrApiKey",
  needs: "see",
  params: TerminalParams,
  query: WaitQuery,
  handle: (operations, input) => latest(operations, input, input.params.terminalId),
});

export const findLatestLegacy = relay.endpoint({
  ...lookup,
  name: "findLatestLegacy",
  path: "/status",
  summary: "Get a terminal's latest result (deprecated path)",
  description: "The terminal is the one in the query, or else the authenticated one.",
  auth: "basicOrApiKey",
  needs: "see",
  deprecated: { successor: "/api/v1/{terminalId}/status" },
  query: Type.Object({ ...WaitQuery.properties, terminalId: Type.Optional(TerminalId) }),
  handle: (operations, input) => {
    const { query, caller } = input;
    const terminalId = query.terminalId ?? (caller.type === "terminal" ? caller.terminalId : undefined);
    if (terminalId === undefined) throw new RelayError("invalid_request", "terminalId: is required");
    return latest(operations, input, terminalId);
  },
});
