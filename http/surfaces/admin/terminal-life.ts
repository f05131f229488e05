import type { Static } from "@sinclair/typebox";
import type { Caller } from "../../../engine/access/caller.ts";
import { cutText } from "../../../engine/kernel/cut-text.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { TerminalParams } from "../parts/schemas.ts";
import { type AdminOperations, admin } from "./surface.ts";
import { TerminalLife } from "./terminal-life-schemas.ts";

/** As many as a person looks at; the lists for programs have the others. */
const RESULTS = 10;
const LOGS = 20;
const LOG_CHARS_MAX = 4_096;

const METHODS = ["CARD", "SATISPAY", "VOUCHER", "RECEIPT", "UNKNOWN", "SCAN", "PRINT"] as const;

export const showTerminalLife = admin.endpoint({
  name: "showTerminalLife",
  method: "GET",
  path: "/admin/terminals/{terminalId}/life",
  summary: "Get the latest activity of a terminal",
  description: `The latest command, ${RESULTS} results and ${LOGS} logs, for a person who looks at one terminal.`,
  auth: "admin",
  role: "read-only",
  params: TerminalParams,
  responses: {
    200: { description: "What is known; empty for a terminal that was never seen.", body: okBody(TerminalLife) },
    ...admin.errors(400, 401, 503),
  },
  handle: async (operations, { params: { terminalId }, caller }) => {
    const [command, results, logs] = await Promise.all([
      commandOf(operations, terminalId),
      resultsOf(operations, caller, terminalId),
      operations.logs.page(terminalId, LOGS),
    ]);
    const data = {
      command,
      ...results,
      logs: logs.map(({ id, receivedAtMs, body }) => ({ id, at: iso(receivedAtMs), text: cutText(body, LOG_CHARS_MAX) })),
    };
    return { status: 200, body: { status: "ok", data } };
  },
});

async function commandOf({ terminals }: AdminOperations, terminalId: string): Promise<Static<typeof TerminalLife>["command"]> {
  const latest = await terminals.latest(terminalId, null, 0);
  if (latest === null) return null;
  const { uuid, command, state, sentAtMs, finishedAtMs, attempts, transaction } = latest;
  return {
    uuid,
    service: command?.service ?? null,
    state,
    amountMinor: command?.amountCents ?? transaction?.amountCents ?? 0,
    acceptedAt: isoOrNull(command?.acceptedAtMs ?? null),
    sentAt: isoOrNull(sentAtMs),
    finishedAt: isoOrNull(finishedAtMs),
    attempts,
  };
}

/** Results come from another store than the rest: where that does not answer, the rest is shown all the same. */
async function resultsOf({ findTransaction }: AdminOperations, caller: Caller, terminalId: string) {
  const page = (status: "OK" | "KO") => findTransaction.page(caller, { terminalId, methods: METHODS, status, limit: RESULTS, offset: 0 });
  try {
    const [approved, declined] = await Promise.all([page("OK"), page("KO")]);
    const latest = [...approved, ...declined].sort((one, other) => other.createdAtMs - one.createdAtMs).slice(0, RESULTS);
    return { results: latest.map(resultJson), resultsAway: false };
  } catch (error) {
    if (error instanceof RelayError && error.code === "unavailable") return { results: [], resultsAway: true };
    throw error;
  }
}

function resultJson({ uuid, createdAtMs, method, status, amountCents, currency }: Transaction) {
  return { uuid, at: iso(createdAtMs), method, status, amountMinor: amountCents, currency };
}
