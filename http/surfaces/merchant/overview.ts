import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { MerchantDay, TransactionSums } from "../../../engine/payments/merchant-transactions.ts";
import { iso } from "../../endpoint/time.ts";
import type { LocalTime } from "../parts/time.ts";
import { DAY, daysAfter } from "../parts/time.ts";
import { ok, okOf } from "./envelope.ts";
import { Overview, type OverviewJson } from "./overview-schemas.ts";
import { tasksJson } from "./overview-tasks.ts";
import { READ_DEADLINE_MS, reads } from "./reads.ts";
import { MERCHANT_BASE, merchantOf, merchantOwnerOf, PORTAL_RATE } from "./surface.ts";
import { methodOf } from "./transaction-item.ts";
import { dayOfQuery } from "./transaction-query.ts";

/**
 * Compared ranges end on whole quarters of a minute, so that all requests within one share a
 * response.
 */
const SHARED_MS = 15_000;
const HOUR_MS = 3_600_000;
const DAYS_BEFORE = 7;

const SUMS_EXAMPLE = { currency: "EUR", volumeMinor: 105000, approved: 42, declined: 3 };

const TASK_EXAMPLE: OverviewJson["tasks"][number] = {
  ...{ kind: "unknown", subject: "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10", at: "2026-11-25T09:58:00.000Z", dueAt: null },
  ...{ amountMinor: 1050, currency: "EUR", category: null, code: null, message: null, terminalId: "SIM00001", about: null },
};

export const merchantOverview = reads.endpoint({
  name: "merchantOverview",
  method: "GET",
  path: `${MERCHANT_BASE}/overview`,
  summary: "Get the overview of a day",
  description:
    "Without `day` the overview covers today until now, compared with the same weekday a week before until the same local time; a past day is compared as a whole. `hour` counts the hours since the day began: there are 23 or 25 of them on days when the clocks change. `tasks` begins with up to ten disputes that need a response within a week (`dispute_due`) and up to ten alerts that need one (`alert_pending`), by `dueAt`, with their ids. Then follow the terminals that went offline while the shop was open, as long as it is open (`terminal_offline`, for a week, with their terminal ids), and, newest first: payments whose outcome is unknown (`unknown`) or whose amount differs (`amount_differs`), at most the newest 20 of the first 50 terminals, with their uuids; of the newest 20 payment links, those that were paid twice (`link_paid_twice`), were paid late (`link_late`, for 30 days unless refunded), or have a refund that the gateway has not confirmed (`link_refund_unknown`), with their ids; and the newest 20 subscriptions that are past due (`subscription_past_due`), with their ids and with the end of their dunning as `dueAt`.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  deadlineMs: READ_DEADLINE_MS,
  query: Type.Object({
    day: Type.Optional(Type.String({ ...DAY, description: "A day that has begun. Default: today." })),
  }),
  refusesUnknown: "rows",
  responses: {
    200: {
      description: "The figures, for each currency separately.",
      body: okOf(Overview),
      example: {
        status: "ok",
        data: {
          day: "2026-11-25",
          asOf: "2026-11-25T10:00:12.000Z",
          complete: false,
          today: [SUMS_EXAMPLE],
          before: [SUMS_EXAMPLE],
          hours: [{ hour: 9, ...SUMS_EXAMPLE }],
          hoursBefore: [{ hour: 9, ...SUMS_EXAMPLE }],
          byMethod: [{ method: "CARD", ...SUMS_EXAMPLE }],
          byTerminal: [{ terminalId: "SIM00001", ...SUMS_EXAMPLE }],
          terminals: { online: 1, total: 1 },
          figuresAvailable: true,
          openingHours: "payments",
          tasks: [TASK_EXAMPLE],
        },
      },
    },
    ...reads.errors(400, 401, 403, 429, 503),
  },
  handle: async (
    { merchantTransactions, merchantTerminals, merchantAttention, offlineTasks, ...operations },
    { caller, query, request: { gone } },
  ) => {
    const { portalLinkTasks, subscriptionTasks, disputeTasks, localTime, clock } = operations;
    const merchantId = merchantOf(caller);
    const nowMs = clock.nowMs();
    const { day, complete, range, before } = rangesOf(query.day, nowMs, localTime);
    const [figures, terminals, offline, payments, links, pastDue, cases] = await Promise.all([
      figuresOf(async () => ({
        sums: await merchantTransactions.sums(merchantId, range, gone),
        sumsBefore: before.fromMs < before.untilMs ? await merchantTransactions.sums(merchantId, before, gone) : NOTHING,
      })),
      merchantTerminals.all(merchantId),
      offlineTasks(merchantId),
      merchantAttention(merchantId),
      portalLinkTasks(merchantOwnerOf(caller)),
      subscriptionTasks(merchantOwnerOf(caller)),
      disputeTasks(merchantOwnerOf(caller)),
    ]);
    const { sums, sumsBefore } = figures ?? { sums: NOTHING, sumsBefore: NOTHING };
    const overview: OverviewJson = {
      day,
      asOf: iso(nowMs),
      complete,
      today: sums.sums.map(sumsOf),
      before: sumsBefore.sums.map(sumsOf),
      hours: hoursOf(sums, range.fromMs),
      hoursBefore: hoursOf(sumsBefore, before.fromMs),
      byMethod: sums.byMethod.map((one) => ({ method: methodOf(one.method), ...sumsOf(one) })),
      byTerminal: sums.byTerminal.map((one) => ({ terminalId: one.terminalId, ...sumsOf(one) })),
      terminals: { online: terminals.filter(({ view }) => view.connected).length, total: merchantTerminals.count(merchantId) },
      figuresAvailable: figures !== null,
      openingHours: offline.source,
      tasks: tasksJson({ cases, offline: offline.tasks, payments, links, pastDue }),
    };
    return { status: 200, body: ok(overview) };
  },
});

/** Returns null if ClickHouse does not respond. Tasks come from the store. */
async function figuresOf<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RelayError && (error.code === "unavailable" || error.code === "too_busy")) return null;
    throw error;
  }
}

const NOTHING: MerchantDay = { sums: [], hours: [], byMethod: [], byTerminal: [] };

interface Range {
  fromMs: number;
  untilMs: number;
}

/**
 * Returns the requested day and the one that it is compared with. Today's range reaches to the end
 * of the day, which has no payments yet, so that the response can be shared.
 */
function rangesOf(
  asked: string | undefined,
  nowMs: number,
  localTime: LocalTime,
): { day: string; complete: boolean; range: Range; before: Range } {
  const day = asked ?? localTime.dayOf(nowMs);
  const range = dayOfQuery("day", day, localTime);
  if (range.fromMs > nowMs) throw new RelayError("invalid_request", "day: has not begun yet");
  const complete = range.untilMs <= nowMs;
  const dayBefore = daysAfter(day, -DAYS_BEFORE);
  const before = localTime.dayRange(dayBefore);
  const untilMs = complete ? before?.untilMs : localTime.sameTimeOn(dayBefore, nowMs - (nowMs % SHARED_MS));
  if (before === null || untilMs === undefined || untilMs === null)
    throw new RelayError("invalid_request", "day: has no day a week before it to compare with");
  return { day, complete, range, before: { fromMs: before.fromMs, untilMs } };
}

function sumsOf({ currency, volumeMinor, approved, declined }: TransactionSums): TransactionSums {
  return { currency, volumeMinor, approved, declined };
}

function hoursOf({ hours }: MerchantDay, fromMs: number): OverviewJson["hours"] {
  return hours.map(({ startMs, ...sums }) => ({ hour: Math.floor((startMs - fromMs) / HOUR_MS), ...sumsOf(sums) }));
}
