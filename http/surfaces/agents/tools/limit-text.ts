import type { AgentLinkOutcome } from "../../../../engine/agents/agent-credentials.ts";
import { iso } from "../../../endpoint/time.ts";
import { amountText } from "./schema-parts.ts";

type LimitRefusal = Extract<AgentLinkOutcome, { type: "refused" }>;

/** Why a limit refuses a link, by the limit's name, with what is left of it and when there is more. */
export function limitText(refusal: LimitRefusal): string {
  return [`Refused by the limit ${refusal.limit} of this credential: ${demandOf(refusal)}.`, leftOf(refusal), retryOf(refusal)]
    .filter((part) => part !== "")
    .join(" ");
}

function demandOf({ limit, limits }: LimitRefusal): string {
  const { currency, perLinkMaxMinor, perDayMinor, totalMinor, linksPerHour } = limits;
  switch (limit) {
    case "currency":
      return `its links are in ${currency} only`;
    case "perLinkMax":
      return `one link may come to ${amountText(perLinkMaxMinor, currency)} (${perLinkMaxMinor} in minor units)`;
    case "perDay":
      return `the links of a day may come to ${amountText(perDayMinor, currency)}`;
    case "total":
      return `its links may come to ${amountText(totalMinor, currency)} in all`;
    case "linksPerHour":
      return `it may make ${linksPerHour} links in an hour`;
  }
}

function leftOf({ limit, limits, roomMinor }: LimitRefusal): string {
  if (roomMinor === null || limit === "perLinkMax" || limit === "currency") return "";
  return `${amountText(roomMinor, limits.currency)} (${roomMinor} in minor units) are left.`;
}

function retryOf({ limit, retryAtMs }: LimitRefusal): string {
  if (retryAtMs !== null) return `There is more from ${iso(retryAtMs)} on.`;
  return limit === "total" ? "There is more only where links of it end unpaid, or by a new credential." : "";
}
