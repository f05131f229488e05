import { ALERT_RULE_DAILY_COUNT_MAX, ALERT_RULE_SOURCES } from "../../../../../engine/alerts/words.ts";
import { DISPUTE_CATEGORIES } from "../../../../../engine/disputes/words.ts";
import type { AlertRuleJson, AlertRuleSetJson, AlertRulesJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { amountProblem, minorOf, typedAmount } from "../../i18n/amounts.ts";
import { text } from "../../i18n/texts.ts";

const EXAMPLE_MINOR = 2_500;

const NAME = /^[A-Za-z0-9_-]{1,32}$/;

/** Some of the words on offer, or all of them. */
export interface Choice {
  all: boolean;
  some: readonly string[];
}

export interface WrittenRule {
  /** Identifies the rule in the rendered list. It is not stored. */
  key: number;
  id: string;
  amountMax: string;
  sources: Choice;
  categories: Choice;
  methods: Choice;
}

/** The contents of the form. */
export interface Written {
  enabled: boolean;
  currency: string;
  dailyCount: string;
  dailyAmount: string;
  rules: readonly WrittenRule[];
}

export function writtenOf({ enabled, currency, dailyCountMax, dailyAmountMaxMinor, rules }: AlertRulesJson): Written {
  return {
    ...{ enabled, currency, dailyCount: String(dailyCountMax), dailyAmount: typedAmount(dailyAmountMaxMinor, currency) },
    rules: rules.map((rule, key) => ({
      ...{ key, id: rule.id, amountMax: typedAmount(rule.amountMaxMinor, currency) },
      ...{ sources: choiceOf(rule.sources), categories: choiceOf(rule.categories), methods: choiceOf(rule.methods) },
    })),
  };
}

function choiceOf(some: readonly string[] | null): Choice {
  return { all: some === null, some: some ?? [] };
}

export function newRule(key: number): WrittenRule {
  const anything = { all: true, some: [] };
  return { key, id: "", amountMax: "", sources: anything, categories: anything, methods: anything };
}

export interface RuleProblems {
  id: string | null;
  amountMax: string | null;
  sources: string | null;
  categories: string | null;
  methods: string | null;
}

export interface Problems {
  dailyCount: string | null;
  dailyAmount: string | null;
  /** A problem of the set of rules as a whole. */
  rules: string | null;
  each: readonly RuleProblems[];
}

export function problemsOf(written: Written): Problems {
  const { rules: words } = text().alerts;
  const { enabled, currency, dailyCount, dailyAmount, rules } = written;
  const choiceProblem = ({ all, some }: Choice) => (all || some.length > 0 ? null : words.chooseSome);
  return {
    dailyCount: countOf(dailyCount) === null ? words.countForm(ALERT_RULE_DAILY_COUNT_MAX) : null,
    dailyAmount: amountProblem(dailyAmount, currency, EXAMPLE_MINOR),
    rules: enabled && rules.length === 0 ? words.needsRule : null,
    each: rules.map((rule) => ({
      id: !NAME.test(rule.id.trim())
        ? words.nameForm
        : rules.some((other) => other.key !== rule.key && other.id.trim() === rule.id.trim())
          ? words.nameTwice
          : null,
      amountMax: amountProblem(rule.amountMax, currency, EXAMPLE_MINOR),
      ...{ sources: choiceProblem(rule.sources), categories: choiceProblem(rule.categories), methods: choiceProblem(rule.methods) },
    })),
  };
}

export function isWhole({ each, ...all }: Problems): boolean {
  return [...Object.values(all), ...each.flatMap((rule) => Object.values(rule))].every((problem) => problem === null);
}

function countOf(typed: string): number | null {
  const count = /^\d{1,4}$/.test(typed.trim()) ? Number(typed.trim()) : 0;
  return count >= 1 && count <= ALERT_RULE_DAILY_COUNT_MAX ? count : null;
}

/** Returns the request body for a form without problems. */
export function ruleSetOf({ enabled, currency, dailyCount, dailyAmount, rules }: Written): AlertRuleSetJson {
  return {
    ...{ enabled, currency, dailyCountMax: countOf(dailyCount) ?? 0, dailyAmountMaxMinor: minorOf(dailyAmount, currency) ?? 0 },
    rules: rules.map(
      (rule): AlertRuleJson => ({
        ...{ id: rule.id.trim(), amountMaxMinor: minorOf(rule.amountMax, currency) ?? 0 },
        sources: chosen(rule.sources, ALERT_RULE_SOURCES),
        categories: chosen(rule.categories, DISPUTE_CATEGORIES),
        methods: rule.methods.all ? null : [...rule.methods.some],
      }),
    ),
  };
}

/** Returns the chosen words that are on offer; null for all. */
function chosen<Word extends string>({ all, some }: Choice, words: readonly Word[]): Word[] | null {
  return all ? null : words.filter((word) => some.includes(word));
}
