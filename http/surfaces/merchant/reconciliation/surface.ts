import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { MerchantParty } from "../../../../engine/kernel/merchant-scope.ts";
import type { ReconciledDay, Reconciliation } from "../../../../engine/reconciliation/reconciliation.ts";
import type { LocalTime } from "../../parts/time.ts";
import { DAY } from "../../parts/time.ts";
import { refusal } from "../envelope.ts";
import { merchantSurface } from "../surface.ts";
import { dayOfQuery } from "../transaction-query.ts";

/** The collaborators of the reconciliation endpoints. */
export interface ReconciliationOperations {
  reconciliation: Pick<Reconciliation, "day" | "days">;
  localTime: LocalTime;
}

export const reconciliation = merchantSurface<ReconciliationOperations>();

export const DayParams = Type.Object({
  day: Type.String({ ...DAY, parameterName: "ReconciliationDayParam", description: "YYYY-MM-DD, in the installation's time zone." }),
});

export const NOT_CLOSED = "The day is not closed yet (not_closed): the relay closes it at 03:00 local time on the day after next";

/**
 * Returns the day, or the reply that replaces it. Throws RelayError `not_found` if the merchant had
 * nothing on that day.
 */
export async function closedDay(
  { reconciliation: days, localTime }: ReconciliationOperations,
  owner: MerchantParty,
  day: string,
): Promise<{ found: ReconciledDay } | { refused: ReturnType<typeof refusal<409>> }> {
  dayOfQuery("day", day, localTime);
  const found = await days.day(owner, day);
  if (found === null) throw new RelayError("not_found", "The merchant had no activity on this day");
  if (!("type" in found)) return { found };
  const at = localTime.format(found.closesAtMs).slice(0, "YYYY-MM-DDTHH:MM".length).replace("T", " ");
  return {
    refused: refusal(409, "not_closed", `The relay closes the day at ${at} (${localTime.zone}) or, while rows of it are missing, later`),
  };
}
