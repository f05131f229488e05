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
  currency: Type.String({ maxLength: 255, description: "ISO 4217, as far as terminals have named one." }),
  volumeMinor: Type.Integer({
    description: "Approved payments, in minor units. Refunds are not taken off.",
  }),
  approved: Type.Integer({ description: "Their number." }),
  declined: Type.Integer({ description: "The number of those that were declined, without payment links that expired." }),
};

const Totals = Type.Object({
  from: Type.String(),
  to: Type.String(),
  timeZone: Type.String({ description: "In which the days are (IANA)." }),
  asOf: time("when the sums were asked for; they are up to 15 seconds old."),
  totals: Type.Array(Type.Object(Sums), { description: "Of each currency." }),
  byMethod: Type.Array(Type.Object({ method: MethodWord, ...Sums })),
});

export const getTotalsTool = agentTool({
  name: "get_totals",
  title: "Get totals",
  description: `Sums of the merchant's payments from one day to another, of each currency apart, at most ${DAYS_MAX} days. Without days those of today.`,
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
    if (daysAfter(from, DAYS_MAX) <= to) return refused(`from: sums are of ${DAYS_MAX} days at most`);
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
