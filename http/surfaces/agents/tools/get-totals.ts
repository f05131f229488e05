import { type Static, Type } from "@sinclair/typebox";
import { currencyDecimals } from "../../../../engine/kernel/money.ts";
import type { TransactionSums } from "../../../../engine/payments/merchant-transactions.ts";
import { iso } from "../../../endpoint/time.ts";
import { dayOfQuery, daysAfter } from "../../parts/time.ts";
import { agentTool, refused } from "../tool.ts";
import { amountText, FromDay, ToDay, time, writtenText } from "./schema-parts.ts";
import { MethodWord, methodWord } from "./transaction-json.ts";

/** A year and a month, as reports have it. */
const DAYS_MAX = 400;

const Sums = {
  currency: Type.String({
    maxLength: 255,
    description: "ISO 4217 code. A code that is not a known one is returned as the terminal sent it.",
  }),
  volumeMinor: Type.Integer({
    description: "Approved payments, in minor units. Refunds are not subtracted.",
  }),
  approved: Type.Integer({ description: "Their number." }),
  declined: Type.Integer({ description: "The number of declined payments, without expired payment links." }),
};

const Totals = Type.Object({
  from: Type.String(),
  to: Type.String(),
  timeZone: Type.String({ description: "The time zone of the days (IANA)." }),
  asOf: time("when the sums were computed; they are up to 15 seconds old."),
  totals: Type.Array(Type.Object(Sums), { description: "Sums for each currency." }),
  byMethod: Type.Array(Type.Object({ method: MethodWord, ...Sums })),
});

export const getTotalsTool = agentTool({
  name: "get_totals",
  title: "Get totals",
  description: `Returns sums of the merchant's payments in a range of at most ${DAYS_MAX} days, for each currency separately. Without days it returns those of today.`,
  scope: "analytics:read",
  effects: { readOnly: true, destructive: false },
  input: Type.Object({ from: FromDay, to: ToDay }, { additionalProperties: false }),
  output: Totals,
  run: async ({ merchantTransactions, localTime, clock }, { agent, args, gone }) => {
    const nowMs = clock.nowMs();
    const to = args.to ?? localTime.dayOf(nowMs);
    const from = args.from ?? to;
    if (from > to) return refused("from: is after to");
    const range = { fromMs: dayOfQuery("from", from, localTime).fromMs, untilMs: dayOfQuery("to", to, localTime).untilMs };
    // By the calendar: clocks may have made them an hour longer.
    if (daysAfter(from, DAYS_MAX) <= to) return refused(`from: the range may have at most ${DAYS_MAX} days`);
    const { sums, byMethod } = await merchantTransactions.sums(agent.merchantId, range, gone);
    const totals: Static<typeof Totals> = {
      ...{ from, to, timeZone: localTime.zone, asOf: iso(nowMs) },
      totals: sums.map(sumsOf),
      byMethod: byMethod.map((one) => ({ method: methodWord(one.method), ...sumsOf(one) })),
    };
    return { type: "done", structured: totals, text: textOf(totals) };
  },
});

function sumsOf({ currency, volumeMinor, approved, declined }: TransactionSums) {
  return { currency: writtenText(currency) ?? "", volumeMinor, approved, declined };
}

function textOf({ from, to, totals }: Static<typeof Totals>): string {
  const days = from === to ? from : `${from} to ${to}`;
  if (totals.length === 0) return `There were no payments on ${days}.`;
  const lines = totals.map(({ currency, volumeMinor, approved, declined }) => {
    const name = currencyDecimals(currency) === null ? "another currency" : currency;
    return `${name}: ${amountText(volumeMinor, currency)} in ${approved} approved payments; ${declined} declined`;
  });
  return [`Payments of ${days}.`, ...lines].join("\n");
}
