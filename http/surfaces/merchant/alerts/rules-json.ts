import type { Static } from "@sinclair/typebox";
import type { Caller } from "../../../../engine/access/caller.ts";
import type { AlertRules, AlertRuleSet as RuleSet } from "../../../../engine/alerts/alert-rules.ts";
import { ALERT_RULE_SOURCES } from "../../../../engine/alerts/words.ts";
import { iso } from "../../../endpoint/time.ts";
import { actorNames } from "../actor-names.ts";
import type { AlertRuleJson, AlertRuleSet, AlertRulesJson } from "./schemas.ts";
import type { AlertOperations } from "./surface.ts";

export async function rulesJson(
  { users }: Pick<AlertOperations, "users">,
  caller: Caller,
  { rules: record, version }: { rules: AlertRules; version: number },
): Promise<AlertRulesJson> {
  const { enabled, currency, rules, dailyCountMax, dailyAmountMaxMinor, updatedAtMs, updatedBy } = record;
  const names = await actorNames(users, caller, updatedBy === null ? [] : [updatedBy]);
  return {
    ...{ enabled, currency, rules: rules.map(ruleJson), dailyCountMax, dailyAmountMaxMinor, version },
    updatedAt: updatedBy === null ? null : iso(updatedAtMs),
    updatedBy: updatedBy === null ? null : names(updatedBy).by,
  };
}

function ruleJson({ id, amountMaxMinor, sources, categories, methods }: RuleSet["rules"][number]): AlertRuleJson {
  return {
    ...{ id, amountMaxMinor },
    sources: sources === null ? null : ALERT_RULE_SOURCES.filter((source) => sources.includes(source)),
    categories: categories === null ? null : [...categories],
    methods: methods === null ? null : [...methods],
  };
}

export function ruleSetOf({ enabled, currency, rules, dailyCountMax, dailyAmountMaxMinor }: Static<typeof AlertRuleSet>): RuleSet {
  return { enabled, currency, rules, dailyCountMax, dailyAmountMaxMinor };
}

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
