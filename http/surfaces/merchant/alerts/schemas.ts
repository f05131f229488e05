import { type Static, type TSchema, Type } from "@sinclair/typebox";
import {
  ALERT_REASON_LENGTH_MAX,
  ALERT_RULE_DAILY_COUNT_MAX,
  ALERT_RULE_SOURCES,
  ALERT_RULES_MAX,
  ALERT_SOURCES,
} from "../../../../engine/alerts/words.ts";
import { NO_CONTROL_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import { words } from "../../parts/schemas.ts";
import { DAY } from "../../parts/time.ts";
import { AlertStateWord, DisputeCategory } from "../disputes/schemas.ts";
import { Currency, nullable, ToDay, time } from "../schema-parts.ts";

/** The JSON of pre-dispute alerts: endpoints declare it, pages take their types from it. */

const AMOUNT = { minimum: 1, maximum: 999_999_999_999, description: "Minor units." };

export const AlertSourceWord = words(ALERT_SOURCES, { title: "AlertSource", description: "RDR: the network itself moves the money." });

/** Filters of GET /alerts, beside PAGE_QUERY. */
export const ALERT_FILTERS = {
  state: Type.Optional(AlertStateWord),
  source: Type.Optional(AlertSourceWord),
  currency: Type.Optional(Currency),
  from: Type.Optional(Type.String({ ...DAY, description: "Received on this day or later, in the installation's time zone." })),
  to: Type.Optional(ToDay),
  order: Type.Optional(words(["newest", "due"], { description: "`due`: those that are PENDING, the most urgent first. Default: newest." })),
};

/** GET /alerts, GET /alerts/{id}, and the answer of every change. */
export const Alert = Type.Object(
  {
    id: Type.String(),
    source: AlertSourceWord,
    networkRef: Type.String({ description: "The source's reference." }),
    state: AlertStateWord,
    uuid: nullable(Type.String({ description: "The payment; null where it is not known." })),
    terminalId: nullable(Type.String()),
    method: nullable(Type.String({ description: "How it was paid; null where it is not known." })),
    category: DisputeCategory,
    amountMinor: Type.Integer(),
    currency: Type.String(),
    respondBy: time("until when it may be answered."),
    answerable: Type.Boolean({ description: "Whether it may be refunded or declined now." }),
    rule: nullable(Type.String({ description: "The rule that has decided." })),
    ruleHeld: nullable(
      words(["daily_cap", "under_dispute"], {
        title: "AlertRuleHeld",
        description: "Why a rule that matched has not refunded it: the day's limit was reached, or its payment is under dispute.",
      }),
    ),
    refund: nullable(
      Type.Object(
        {
          state: words(["requested", "done", "refused"], {
            title: "AlertRefundState",
            description: "requested: the gateway was asked, and what came of it is not known yet.",
          }),
          by: Type.String({
            description:
              "An e-mail address (masked for roles that do not see personal data), `API key`, `Former user`, or the id of a rule.",
          }),
          byType: words(["rule", "user", "former_user", "key"], { title: "AlertRefundBy" }),
          requestedAt: time("when it was asked for."),
          endedAt: nullable(time("when it was known what became of it.")),
          moved: Type.Boolean({ description: "false: it had been given back before, or was not." }),
          detail: nullable(Type.String({ description: "Why it was refused." })),
        },
        { title: "AlertRefund" },
      ),
    ),
    end: nullable(
      Type.Object(
        {
          by: words(["merchant", "deadline", "network", "invalid"], {
            title: "AlertEndBy",
            description: "merchant: declined. deadline: nobody answered in time. network: it has resolved it. invalid: it was none.",
          }),
          at: time("when."),
          reason: nullable(Type.String({ description: "The merchant's words; null for roles that do not see personal data." })),
        },
        { title: "AlertEnd" },
      ),
    ),
    createdAt: time("when it was received."),
    updatedAt: time("when it last changed."),
  },
  { title: "Alert" },
);

/** POST /alerts/{id}/decline. */
export const DeclineAlert = Type.Object(
  { reason: Type.Optional(Type.String({ ...NO_CONTROL_CHARACTERS, maxLength: ALERT_REASON_LENGTH_MAX, description: "For yourself." })) },
  { title: "AlertDecline" },
);

const some = <T extends TSchema>(item: T, maxItems: number, description: string) =>
  nullable(Type.Array(item, { minItems: 1, maxItems, uniqueItems: true, description }));

export const AlertRule = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,32}$", description: "Your own, unique among the rules." }),
    amountMaxMinor: Type.Integer({ ...AMOUNT, description: "Alerts up to this amount; minor units." }),
    sources: some(words(ALERT_RULE_SOURCES, { title: "AlertRuleSource" }), ALERT_RULE_SOURCES.length, "Null: any."),
    categories: some(DisputeCategory, 6, "Null: any."),
    methods: some(Type.String({ pattern: "^[A-Z][A-Z0-9_]{0,31}$" }), 16, "CARD, PAYBYLINK, ...; null: any."),
  },
  { title: "AlertRule", additionalProperties: false },
);

const ruleSet = {
  enabled: Type.Boolean({ description: "Off until somebody switches it on." }),
  currency: Type.String({ pattern: "^[A-Z]{3}$", description: "Of the amounts here; alerts of other currencies match no rule." }),
  rules: Type.Array(AlertRule, { maxItems: ALERT_RULES_MAX }),
  dailyCountMax: Type.Integer({
    minimum: 1,
    maximum: ALERT_RULE_DAILY_COUNT_MAX,
    description: "What rules may refund on one day of the installation's time zone.",
  }),
  dailyAmountMaxMinor: Type.Integer({ ...AMOUNT, description: "The same as an amount; minor units." }),
};

/** POST /alert-rules/dry-run. */
export const AlertRuleSet = Type.Object(ruleSet, { title: "AlertRuleSet" });
/** PUT /alert-rules. */
export const SaveAlertRules = Type.Object(
  {
    ...ruleSet,
    seen: Type.Integer({
      minimum: 0,
      description: "The `version` that was looked at: 409 (`conflict`) where somebody has changed them since.",
    }),
  },
  { title: "AlertRulesChange" },
);
/** GET and PUT /alert-rules. */
export const AlertRules = Type.Object(
  {
    ...ruleSet,
    version: Type.Integer({ description: "Goes back as `seen`." }),
    updatedAt: nullable(time("when they were last changed; null: never.")),
    updatedBy: nullable(
      Type.String({ description: "An e-mail address (masked for roles that do not see personal data), `API key` or `Former user`." }),
    ),
  },
  { title: "AlertRules" },
);

/** The answer of POST /alert-rules/dry-run. */
export const AlertRulesDryRun = Type.Object(
  {
    from: time("alerts received from this time on were looked at."),
    looked: Type.Integer({ description: "How many were looked at." }),
    refunded: Type.Integer({ description: "How many of them the rules would have refunded." }),
    refundedMinor: Type.Integer({ description: "The sum of their amounts, in the rules' currency." }),
    capped: Type.Integer({ description: "How many more match a rule, and would not have been refunded because of the day's limits." }),
    items: Type.Array(
      Type.Object({
        alert: Alert,
        rule: Type.String(),
        capped: Type.Boolean({ description: "Because of the day's limits, not refunded." }),
      }),
      { description: "Those that match a rule, the newest first, at most 100." },
    ),
    complete: Type.Boolean({ description: "false: there are too many, and these are the newest." }),
  },
  { title: "AlertRulesDryRun" },
);

export type AlertJson = Static<typeof Alert>;
export type AlertRuleJson = Static<typeof AlertRule>;
export type AlertRuleSetJson = Static<typeof AlertRuleSet>;
export type AlertRulesJson = Static<typeof AlertRules>;
export type AlertRulesDryRunJson = Static<typeof AlertRulesDryRun>;
