import type { AgentLinkOutcome } from "../../../../engine/agents/agent-credentials.ts";
import { iso } from "../../../endpoint/time.ts";
import { amountText } from "./schema-parts.ts";

type LimitRefusal = Extract<AgentLinkOutcome, { type: "refused" }>;

/** Why a limit refuses a link, by the limit's name, with what is left of it and when there is more. */
export function limitText(refusal: LimitRefusal): string {
  return [`The limit ${refusal.limit} of this credential rejects this: ${demandOf(refusal)}.`, leftOf(refusal), retryOf(refusal)]
    .filter((part) => part !== "")
    .join(" ");
}

function demandOf({ limit, limits }: LimitRefusal): string {
  const { currency, perLinkMaxMinor, perDayMinor, totalMinor, linksPerHour } = limits;
  switch (limit) {
    case "currency":
      return `its links must be in ${currency}`;
    case "perLinkMax":
      return `one link may be at most ${amountText(perLinkMaxMinor, currency)} (${perLinkMaxMinor} in minor units)`;
    case "perDay":
      return `the links of one day may be at most ${amountText(perDayMinor, currency)} together`;
    case "total":
      return `its links may be at most ${amountText(totalMinor, currency)} together`;
    case "linksPerHour":
      return `it may create ${linksPerHour} links in an hour`;
  }
}

function leftOf({ limit, limits, roomMinor }: LimitRefusal): string {
  if (roomMinor === null || limit === "perLinkMax" || limit === "currency") return "";
  return `${amountText(roomMinor, limits.currency)} (${roomMinor} in minor units) remain.`;
}

function retryOf({ limit, retryAtMs }: LimitRefusal): string {
  if (retryAtMs !== null) return `More is available from ${iso(retryAtMs)} on.`;
  return limit === "total" ? "More is available only after some of its links end unpaid, or with a new credential." : "";
}
