import type { Caller } from "../../../../engine/access/caller.ts";
import { type AlertRecord, isRefunding } from "../../../../engine/alerts/alert.ts";
import type { DisputeActor } from "../../../../engine/disputes/dispute.ts";
import { maySeePersonalData } from "../../../endpoint/personal-data.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import { type ActorNames, actorNames } from "../actor-names.ts";
import type { AlertJson, AlertRulesJson } from "./schemas.ts";
import type { AlertOperations } from "./surface.ts";

type Seen = Pick<AlertOperations, "users" | "clock">;

export async function alertJson(operations: Seen, caller: Caller, alert: AlertRecord): Promise<AlertJson> {
  const [json] = await alertList(operations, caller, [alert]);
  if (json === undefined) throw new Error(`the alert ${alert.id} is not shown`);
  return json;
}

/** The team is looked up once for all of them. */
export async function alertList({ users, clock }: Seen, caller: Caller, alerts: readonly AlertRecord[]): Promise<AlertJson[]> {
  const actors = alerts.flatMap(({ refund }) => (refund === null || refund.by.type === "rule" ? [] : [refund.by]));
  const names = await actorNames(users, caller, actors);
  const maySee = maySeePersonalData(caller);
  return alerts.map((alert) => jsonOf(alert, { names, maySee, atMs: clock.nowMs() }));
}

function jsonOf(
  alert: AlertRecord,
  { names, maySee, atMs }: { names: ActorNames<DisputeActor>; maySee: boolean; atMs: number },
): AlertJson {
  const { id, source, networkRef, state, uuid, terminalId, method, category, amountMinor, currency, respondByMs } = alert;
  const { rule, ruleHeld, end, createdAtMs, updatedAtMs } = alert;
  return {
    ...{ id, source, networkRef, state, uuid, terminalId, method, category, amountMinor, currency },
    respondBy: iso(respondByMs),
    answerable: state === "PENDING" && !isRefunding(alert) && atMs < respondByMs,
    ...{ rule, ruleHeld, refund: refundJson(alert, names) },
    end: end === null ? null : { by: end.by, at: iso(end.atMs), reason: maySee ? end.reason : null },
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
  };
}

function refundJson({ refund }: AlertRecord, names: ActorNames<DisputeActor>): AlertJson["refund"] {
  if (refund === null) return null;
  const { state, by, requestedAtMs, endedAtMs, moved, detail } = refund;
  const who = by.type === "rule" ? ({ by: by.ruleId, byType: "rule" } as const) : names(by);
  return { state, ...who, requestedAt: iso(requestedAtMs), endedAt: isoOrNull(endedAtMs), moved, detail };
}

export const ALERT_EXAMPLE: AlertJson = {
  id: "al_9x7q1c8v5b3n6z0a2s4f0k2m",
  source: "ETHOCA",
  networkRef: "ETH-20261125-0042",
  state: "PENDING",
  uuid: "pl_4f0k2m9x7q1c8v5b3n6z0a2s.1",
  terminalId: "SIM00001",
  method: "PAYBYLINK",
  category: "FRAUD",
  amountMinor: 1050,
  currency: "EUR",
  respondBy: "2026-11-26T10:00:00.000Z",
  answerable: true,
  rule: null,
  ruleHeld: null,
  refund: null,
  end: null,
  createdAt: "2026-11-25T10:00:00.000Z",
  updatedAt: "2026-11-25T10:00:00.000Z",
};

export const RULES_EXAMPLE: AlertRulesJson = {
  enabled: true,
  currency: "EUR",
  rules: [{ id: "small", amountMaxMinor: 2000, sources: ["ETHOCA", "CDRN"], categories: null, methods: ["PAYBYLINK"] }],
  dailyCountMax: 10,
  dailyAmountMaxMinor: 10000,
  version: 7,
  updatedAt: "2026-11-25T10:00:00.000Z",
  updatedBy: "anna@example.com",
};
