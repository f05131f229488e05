import { Type } from "@sinclair/typebox";
import { type Caller, mayKnow } from "../../../engine/access/caller.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { TRANSACTIONS_LIMIT_DEFAULT, TRANSACTIONS_LIMIT_MAX, TRANSACTIONS_OFFSET_MAX } from "../../../engine/kernel/limits.ts";
import type { TransactionMethod } from "../../../engine/payments/transaction.ts";
import { TerminalParams, words } from "../parts/schemas.ts";
import type { LocalTime } from "../parts/time.ts";
import { LookupStatus, TransactionItem, toItem } from "./schemas.ts";
import { type RelayOperations, relay } from "./surface.ts";

const day = (description: string) =>
  Type.Optional(
    Type.String({ pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description: `${description}, YYYY-MM-DD, in the installation's time zone.` }),
  );

/** ALL means payments: of terminals and links, without SCAN and PRINT. */
const PAYMENT_METHODS = ["CARD", "SATISPAY", "VOUCHER", "RECEIPT", "UNKNOWN", "PAYBYLINK"] as const;

const METHODS: Record<"ALL" | "CARD" | "SATISPAY" | "VOUCHER" | "RECEIPT" | "PAYBYLINK", readonly TransactionMethod[]> = {
  ALL: PAYMENT_METHODS,
  CARD: ["CARD"],
  SATISPAY: ["SATISPAY"],
  VOUCHER: ["VOUCHER"],
  RECEIPT: ["RECEIPT"],
  PAYBYLINK: ["PAYBYLINK"],
};

export const listTransactions = relay.endpoint({
  name: "listTransactions",
  method: "GET",
  path: "/api/v1/{terminalId}/transactions",
  summary: "List transactions of a terminal",
  description:
    "A result is listed as soon as it is stored. With `status` ALL, or without `status`, KO results are left out; use KO to list the declined ones.",
  auth: "basicOrApiKey",
  needs: "see",
  params: TerminalParams,
  query: Type.Object({
    date: day("Single day"),
    from: day("First day"),
    to: day("Last day"),
    type: Type.Optional(words(["ALL", "CARD", "SATISPAY", "VOUCHER", "RECEIPT", "PAYBYLINK"])),
    status: Type.Optional(words(["ALL", "OK", "KO"])),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: TRANSACTIONS_LIMIT_MAX, default: TRANSACTIONS_LIMIT_DEFAULT })),
    offset: Type.Optional(Type.Integer({ minimum: 0, maximum: TRANSACTIONS_OFFSET_MAX, default: 0 })),
  }),
  responses: {
    200: {
      description: "A page. For a terminal that was never seen and has no payment by link, `data` is null and the status is `error`.",
      body: Type.Object({
        status: LookupStatus,
        data: Type.Union([Type.Array(TransactionItem), Type.Null()]),
        error: Type.Union([Type.String(), Type.Null()]),
        message: Type.Optional(Type.String()),
      }),
    },
    ...relay.errors(400, 401, 503),
  },
  handle: async ({ findTransaction, useLink, terminals, localTime }, { params, query, caller, request }) => {
    const { terminalId } = params;
    const transactions = await findTransaction.page(
      caller,
      {
        terminalId,
        ...range(query, localTime),
        methods: METHODS[query.type ?? "ALL"],
        status: query.status === "KO" ? "KO" : "OK",
        limit: query.limit ?? TRANSACTIONS_LIMIT_DEFAULT,
        offset: query.offset ?? 0,
      },
      request.gone,
    );
    const data = transactions.map((transaction) => toItem(transaction, localTime));
    if (data.length > 0) return { status: 200, body: { status: "ok", data, error: null } };
    if (
      useLink.isDefaultTerminal(caller, terminalId) ||
      (await isKnown(terminals, caller, terminalId)) ||
      (await hasAny(findTransaction, caller, terminalId))
    )
      return { status: 200, body: { status: "ok", data, error: null, message: "no_content" } };
    return { status: 200, body: { status: "error", data: null, error: "Transaction not found", message: "Transaction not found" } };
  },
});

async function isKnown(terminals: RelayOperations["terminals"], caller: Caller, terminalId: string): Promise<boolean> {
  if (!mayKnow(caller, terminalId)) return false;
  const [seen, latest] = await Promise.all([terminals.view(terminalId), terminals.latest(terminalId, null, 0)]);
  return seen.connectionStatus !== "NEVER_CONNECTED" || latest !== null;
}

/** Payments by link are of terminals that never connect. */
async function hasAny({ page }: RelayOperations["findTransaction"], caller: Caller, terminalId: string): Promise<boolean> {
  for (const status of ["OK", "KO"] as const) {
    if ((await page(caller, { terminalId, methods: PAYMENT_METHODS, status, limit: 1, offset: 0 })).length > 0) return true;
  }
  return false;
}

function range(query: { date?: string; from?: string; to?: string }, localTime: LocalTime): { fromMs?: number; untilMs?: number } {
  const { date, from, to } = query;
  if (date !== undefined && (from !== undefined || to !== undefined)) {
    throw new RelayError("invalid_request", "date: cannot be combined with from or to");
  }
  if (date !== undefined) return dayRange("date", date, localTime);
  const bounds: { fromMs?: number; untilMs?: number } = {};
  if (from !== undefined) bounds.fromMs = dayRange("from", from, localTime).fromMs;
  if (to !== undefined) bounds.untilMs = dayRange("to", to, localTime).untilMs;
  if (bounds.fromMs !== undefined && bounds.untilMs !== undefined && bounds.fromMs >= bounds.untilMs) {
    throw new RelayError("invalid_request", "from: is after to");
  }
  return bounds;
}

function dayRange(member: string, day: string, localTime: LocalTime): { fromMs: number; untilMs: number } {
  const range = localTime.dayRange(day);
  if (range === null) throw new RelayError("invalid_request", `${member}: is not a day of the calendar`);
  return range;
}
