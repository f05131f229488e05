import { checkAmount, invalid } from "../disputes/check-dispute.ts";
import type { DisputeCategory } from "../disputes/dispute.ts";
import { DISPUTE_CATEGORIES } from "../disputes/words.ts";
import { AMOUNT_MINOR_MAX } from "../kernel/limits.ts";
import { maskPans } from "../kernel/mask.ts";
import type { AlertActor, AlertRecord, AlertSource } from "./alert.ts";
import { ALERT_RULE_DAILY_COUNT_MAX, ALERT_RULE_SOURCES, ALERT_RULES_MAX } from "./words.ts";

/** All conditions must hold; null: any. */
export interface AlertRule {
  /** Unique among the rules of the merchant. */
  readonly id: string;
  readonly amountMaxMinor: number;
  /** Never `RDR`, because the network moves the money there. */
  readonly sources: readonly AlertSource[] | null;
  readonly categories: readonly DisputeCategory[] | null;
  /** CARD, PAYBYLINK, ... */
  readonly methods: readonly string[] | null;
}

export interface AlertRuleSet {
  readonly enabled: boolean;
  /** ISO 4217, for all amounts here. Alerts of other currencies match no rule. */
  readonly currency: string;
  readonly rules: readonly AlertRule[];
  /** Limits for one day of the installation's zone. Decisions count whatever their outcome. */
  readonly dailyCountMax: number;
  readonly dailyAmountMaxMinor: number;
}

/** The rules of a merchant, one record for each environment. */
export interface AlertRules extends AlertRuleSet {
  readonly schema: 1;
  readonly merchantId: string;
  readonly livemode: boolean;
  readonly updatedAtMs: number;
  readonly updatedBy: AlertActor | null;
}

export interface AlertDay {
  readonly schema: 1;
  readonly count: number;
  readonly amountMinor: number;
}

export function noRules({ merchantId, livemode }: { merchantId: string; livemode: boolean }): AlertRules {
  return {
    ...{ schema: 1, merchantId, livemode, enabled: false, currency: "EUR", rules: [] },
    ...{ dailyCountMax: 10, dailyAmountMaxMinor: 50_000, updatedAtMs: 0, updatedBy: null },
  };
}

type Judged = Pick<AlertRecord, "source" | "category" | "method" | "amountMinor" | "currency">;

/** Returns the first matching rule, or null if there is none or rules are off. */
export function matchingRule({ enabled, currency, rules }: AlertRuleSet, alert: Judged): AlertRule | null {
  if (!enabled || alert.currency !== currency || alert.source === "RDR") return null;
  return rules.find((rule) => matches(rule, alert)) ?? null;
}

function matches({ amountMaxMinor, sources, categories, methods }: AlertRule, { source, category, method, amountMinor }: Judged): boolean {
  if (amountMinor > amountMaxMinor || (sources !== null && !sources.includes(source))) return false;
  if (categories !== null && !categories.includes(category)) return false;
  return methods === null || (method !== null && methods.includes(method));
}

export function hasRoomToday(rules: AlertRuleSet, { count, amountMinor }: AlertDay, alert: Pick<AlertRecord, "amountMinor">): boolean {
  return count < rules.dailyCountMax && amountMinor + alert.amountMinor <= rules.dailyAmountMaxMinor;
}

const RULE_ID = /^[A-Za-z0-9_-]{1,32}$/;
const METHOD = /^[A-Z][A-Z0-9_]{0,31}$/;
const METHODS_MAX = 16;

/** Throws RelayError `invalid_request` naming the member. */
export function checkedRules(given: AlertRuleSet): AlertRuleSet {
  const { enabled, currency, rules, dailyCountMax, dailyAmountMaxMinor } = given;
  if (rules.length > ALERT_RULES_MAX) throw invalid("rules", `may have at most ${ALERT_RULES_MAX} items`);
  if (enabled && rules.length === 0) throw invalid("rules", "may not be empty while they are on");
  if (new Set(rules.map(({ id }) => id)).size < rules.length) throw invalid("rules", "must have different ids");
  for (const rule of rules) checkRule(rule, currency);
  if (!Number.isSafeInteger(dailyCountMax) || dailyCountMax < 1 || dailyCountMax > ALERT_RULE_DAILY_COUNT_MAX) {
    throw invalid("dailyCountMax", `must be a whole number from 1 to ${ALERT_RULE_DAILY_COUNT_MAX}`);
  }
  if (!Number.isSafeInteger(dailyAmountMaxMinor) || dailyAmountMaxMinor < 1 || dailyAmountMaxMinor > AMOUNT_MINOR_MAX) {
    throw invalid("dailyAmountMaxMinor", `must be a whole number of minor units from 1 to ${AMOUNT_MINOR_MAX}`);
  }
  const checked = rules.map(({ id, amountMaxMinor, sources, categories, methods }) => ({
    id,
    amountMaxMinor,
    sources,
    categories,
    methods,
  }));
  return { enabled, currency, rules: checked, dailyCountMax, dailyAmountMaxMinor };
}

function checkRule({ id, amountMaxMinor, sources, categories, methods }: AlertRule, currency: string): void {
  if (!RULE_ID.test(id) || maskPans(id) !== id) throw invalid("rules.id", "must have 1 to 32 letters, digits, _ or -, and no card number");
  checkAmount(amountMaxMinor, currency);
  if (sources !== null && !isSome(sources, (source) => ALERT_RULE_SOURCES.some((known) => known === source))) {
    throw invalid("rules.sources", `must be some of ${ALERT_RULE_SOURCES.join(", ")}`);
  }
  if (categories !== null && !isSome(categories, (category) => DISPUTE_CATEGORIES.includes(category))) {
    throw invalid("rules.categories", `must be some of ${DISPUTE_CATEGORIES.join(", ")}`);
  }
  if (methods !== null && !(methods.length <= METHODS_MAX && isSome(methods, (method) => METHOD.test(method)))) {
    throw invalid("rules.methods", "must be names of methods such as CARD");
  }
}

function isSome<T>(values: readonly T[], isRight: (value: T) => boolean): boolean {
  return values.length > 0 && values.every(isRight) && new Set(values).size === values.length;
}
