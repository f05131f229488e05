import type { Caller } from "../../../../engine/access/caller.ts";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { ExportActor, ExportRecord } from "../../../../engine/exports/export.ts";
import type { Exports, ExportsSeen } from "../../../../engine/exports/exports.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { LocalTime } from "../../parts/time.ts";
import { actorContext } from "../actor-names.ts";
import { oneOf } from "../resource-endpoints.ts";
import { merchantSurface, userOf } from "../surface.ts";
import { type ExportContext, exportItem } from "./schemas.ts";

/** The collaborators of the export endpoints. */
export interface ExportOperations {
  exports: Exports;
  /** Names the people who requested exports. */
  users: Pick<Users, "list">;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export const exportSurface = merchantSurface<ExportOperations>();

export async function exportContext(
  operations: ExportOperations,
  caller: Caller,
  records: readonly ExportRecord[],
): Promise<ExportContext> {
  const creators = records.map(({ createdBy }) => createdBy);
  return { ...(await actorContext(operations, caller, creators)), localTime: operations.localTime };
}

export const oneExport = oneOf(exportSurface, {
  noun: "export",
  missing: "There is no such export, or its 24 hours are over",
  path: "/exports",
  idParameter: { parameterName: "ExportId", description: "`exp_...`" },
  resource: exportItem,
  find: ({ exports }, owner, id, caller) => exports.find(owner, seenBy(caller), id),
  context: exportContext,
});

export function exportActorOf(caller: Caller): ExportActor {
  return caller.type === "merchantKey" ? { type: "key" } : { type: "user", userId: userOf(caller).userId };
}

/**
 * A person sees the exports that they requested, or all of them if they administer the merchant's
 * users. A key sees the exports that keys requested.
 */
export function seenBy(caller: Caller): ExportsSeen {
  const isOfAll = caller.type === "merchantUser" && (caller.user.role === "OWNER" || caller.user.role === "ADMIN");
  return isOfAll ? "all" : exportActorOf(caller);
}

/**
 * Throws RelayError `forbidden` (`step_up_required`) for a person who has proved no second factor
 * in the last ten minutes.
 */
export function requireFreshFactor(caller: Caller, nowMs: number): void {
  if (caller.type !== "merchantUser" || caller.user.steppedUpUntilMs > nowMs) return;
  throw new RelayError("forbidden", "Show your second factor again: personal data needs one shown in the last ten minutes", {
    detail: "step_up_required",
  });
}
