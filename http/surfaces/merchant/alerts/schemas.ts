import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type AlertEnd, type AlertRecord, isRefunding, type AlertRefund as Refund } from "../../../../engine/alerts/alert.ts";
import {
  ALERT_REASON_LENGTH_MAX,
  ALERT_RULE_DAILY_COUNT_MAX,
  ALERT_RULE_SOURCES,
  ALERT_RULES_MAX,
  ALERT_SOURCES,
} from "../../../../engine/alerts/words.ts";
import type { DisputeActor } from "../../../../engine/disputes/dispute.ts";
import { NO_CONTROL_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import { resourceOf, webhookObject } from "../../../endpoint/resource.ts";
import { words } from "../../parts/schemas.ts";
import { type ActorContext, EXAMPLE_CONTEXT } from "../actor-context.ts";
import { AlertStateWord, DisputeCategory } from "../disputes/schemas.ts";
import { filtersOf } from "../list-filters.ts";
import { nullable, time } from "../schema-parts.ts";
import { ALERT_LIST } from "./list.ts";

/**
 * The resource of pre-dispute alerts, and the JSON of their rules. Pages take their types from it.
 */

const AMOUNT = { minimum: 1, maximum: 999_999_999_999, description: "An amount in minor units." };

export const AlertSourceWord = words(ALERT_SOURCES, { title: "AlertSource", description: "RDR: the network itself refunds the customer." });

/** The filters of GET /alerts, without PAGE_QUERY. */
export const ALERT_FILTERS = filtersOf(ALERT_LIST, {
  state: AlertStateWord,
  source: AlertSourceWord,
  from: { description: "Received on this day or later, in the installation's time zone." },
  order: { description: "`due`: only PENDING alerts, the most urgent first. Default: `newest`." },
});

type AlertContext = ActorContext<DisputeActor>;

const r = resourceOf<Refund, AlertContext>();
const refund = r.resource({
  title: "AlertRefund",
  members: {
    state: r.value(
      words(["requested", "done", "refused"], {
        title: "AlertRefundState",
        description:
          "requested: the request was sent to the gateway, and its outcome is unknown. done: the payment is refunded. refused: the payment was not refunded.",
      }),
    ),
    by: r
      .text("The actor: an e-mail address (masked for roles that do not see personal data), `API key`, `Former user`, or the id of a rule.")
      .from(({ by }, { names }) => (by.type === "rule" ? by.ruleId : names(by, true).by))
      .personal((_, { by }, { names }) => (by.type === "rule" ? by.ruleId : names(by, false).by)),
    byType: r
      .value(words(["rule", "user", "former_user", "key"], { title: "AlertRefundBy" }))
      .from(({ by }, { names }) => (by.type === "rule" ? by.type : names(by).byType)),
    requestedAt: r.time("when the refund was requested."),
    endedAt: r.time("when the outcome became known.").orNull(),
    moved: r.boolean("Whether this refund moved money. false: the payment was refunded before, or it was not refunded."),
    detail: r.text("Why the refund was refused; null if it was not.").orNull(),
  },
  views: { webhook: [["state", "moved", "requestedAt"]] },
});

const e = resourceOf<AlertEnd, AlertContext>();
const end = e.resource({
  title: "AlertEnd",
  members: {
    by: e.value(
      words(["merchant", "deadline", "network", "invalid"], {
        title: "AlertEndBy",
        description:
          "merchant: the merchant declined it. deadline: nobody answered in time. network: the network resolved it. invalid: the source withdrew it.",
      }),
    ),
    at: e.time("when the alert ended."),
    reason: e
      .text("The reason that the merchant gave; null for roles that do not see personal data.")
      .orNull()
      .personal(() => null),
  },
  views: { webhook: [["by", "at"]] },
});

const m = resourceOf<AlertRecord, AlertContext>();
/**
 * The response of GET /alerts, GET /alerts/{id} and every change, and the object in events
 * `alert.*`.
 */
export const alert = m.resource({
  title: "Alert",
  members: {
    id: m.text(),
    source: m.value(AlertSourceWord),
    networkRef: m.text("The source's reference."),
    state: m.value(AlertStateWord),
    uuid: m.text("The uuid of the payment; null if the payment is unknown.").orNull(),
    terminalId: m.text().orNull(),
    method: m.text("The payment method; null if it is unknown.").orNull(),
    category: m.value(DisputeCategory),
    amountMinor: m.integer(),
    currency: m.text(),
    respondBy: m.time("the deadline for a response."),
    answerable: m
      .boolean("Whether the alert can be refunded or declined now.")
      .from((record, { nowMs }) => record.state === "PENDING" && !isRefunding(record) && nowMs < record.respondByMs),
    rule: m.text("The id of the rule that decided; null if no rule did.").orNull(),
    ruleHeld: m
      .value(
        words(["daily_cap", "under_dispute"], {
          title: "AlertRuleHeld",
          description:
            "Why a matching rule has not refunded the payment. daily_cap: the limit for the day was reached. under_dispute: the payment is under dispute.",
        }),
      )
      .orNull(),
    refund: m.nested(refund).orNull(),
    end: m.nested(end).orNull(),
    createdAt: m.time("when the relay received it."),
    updatedAt: m.time("when it last changed."),
  },
  views: {
    webhook: [
      ["state", "source", "networkRef", "category", "uuid", "terminalId", "method", "amountMinor", "currency", "respondBy"],
      ["rule", "refund", "end", "createdAt"],
    ],
  },
  example: {
    record: {
      ...{ schema: 1, id: "al_9x7q1c8v5b3n6z0a2s4f0k2m", merchantId: "SHOP-001", partnerId: 1, livemode: true, state: "PENDING" },
      ...{ source: "ETHOCA", networkRef: "ETH-20261125-0042", uuid: "pl_4f0k2m9x7q1c8v5b3n6z0a2s.1", terminalId: "SIM00001" },
      ...{ method: "PAYBYLINK", category: "FRAUD", amountMinor: 1050, currency: "EUR", rule: null, ruleHeld: null, refund: null },
      ...{ end: null, nextAtMs: null, events: 1, respondByMs: Date.parse("2026-11-26T10:00:00.000Z") },
      ...{ createdAtMs: Date.parse("2026-11-25T10:00:00.000Z"), updatedAtMs: Date.parse("2026-11-25T10:00:00.000Z") },
    },
    context: { ...EXAMPLE_CONTEXT, nowMs: Date.parse("2026-11-25T10:00:00.000Z") },
  },
});

export const alertObject = (record: AlertRecord) => webhookObject("alert", alert, record);

/** The body of POST /alerts/{id}/decline. */
export const DeclineAlert = Type.Object(
  {
    reason: Type.Optional(
      Type.String({
        ...NO_CONTROL_CHARACTERS,
        maxLength: ALERT_REASON_LENGTH_MAX,
        description: "The merchant's own note; it is not sent to the network.",
      }),
    ),
  },
  { title: "AlertDecline" },
);

const some = <T extends TSchema>(item: T, maxItems: number, description: string) =>
  nullable(Type.Array(item, { minItems: 1, maxItems, uniqueItems: true, description }));

export const AlertRule = Type.Object(
  {
    id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,32}$", description: "An id that you choose; unique among the rules." }),
    amountMaxMinor: Type.Integer({ ...AMOUNT, description: "The rule matches alerts up to this amount in minor units." }),
    sources: some(words(ALERT_RULE_SOURCES, { title: "AlertRuleSource" }), ALERT_RULE_SOURCES.length, "Null: any source."),
    categories: some(DisputeCategory, 6, "Null: any category."),
    methods: some(Type.String({ pattern: "^[A-Z][A-Z0-9_]{0,31}$" }), 16, "CARD, PAYBYLINK, ...; null: any method."),
  },
  { title: "AlertRule", additionalProperties: false },
);

const ruleSet = {
  enabled: Type.Boolean({ description: "Whether the rules are on. They are off until somebody turns them on." }),
  currency: Type.String({
    pattern: "^[A-Z]{3}$",
    description: "The currency of all amounts here. Alerts in other currencies match no rule.",
  }),
  rules: Type.Array(AlertRule, { maxItems: ALERT_RULES_MAX }),
  dailyCountMax: Type.Integer({
    minimum: 1,
    maximum: ALERT_RULE_DAILY_COUNT_MAX,
    description: "The maximum number of refunds by rules per day, in the installation's time zone.",
  }),
  dailyAmountMaxMinor: Type.Integer({ ...AMOUNT, description: "The maximum total amount of refunds by rules per day, in minor units." }),
};

/** The body of POST /alert-rules/dry-run. */
export const AlertRuleSet = Type.Object(ruleSet, { title: "AlertRuleSet" });
/** The body of PUT /alert-rules. */
export const SaveAlertRules = Type.Object(
  {
    ...ruleSet,
    seen: Type.Integer({
      minimum: 0,
      description: "The `version` that you read. If the rules have changed since, the response is 409 (`conflict`).",
    }),
  },
  { title: "AlertRulesChange" },
);
/** The response of GET and PUT /alert-rules. */
export const AlertRules = Type.Object(
  {
    ...ruleSet,
    version: Type.Integer({ description: "Send it as `seen` with the next change." }),
    updatedAt: nullable(time("when the rules were last changed; null if never.")),
    updatedBy: nullable(
      Type.String({
        description:
          "The actor: an e-mail address (masked for roles that do not see personal data), `API key` or `Former user`; null if the rules were never changed.",
      }),
    ),
  },
  { title: "AlertRules" },
);

/** The response of POST /alert-rules/dry-run. */
export const AlertRulesDryRun = Type.Object(
  {
    from: time("the test covers alerts received from this time on."),
    looked: Type.Integer({ description: "The number of alerts that the test covers." }),
    refunded: Type.Integer({ description: "The number of them that the rules would have refunded." }),
    refundedMinor: Type.Integer({ description: "The sum of the refunded amounts, in the currency of the rules." }),
    capped: Type.Integer({ description: "The number of further alerts that match a rule but exceed the daily limits." }),
    items: Type.Array(
      Type.Object({
        alert: alert.schema,
        rule: Type.String(),
        capped: Type.Boolean({ description: "Whether the daily limits would have prevented the refund." }),
      }),
      { description: "The alerts that match a rule, the newest first, at most 100." },
    ),
    complete: Type.Boolean({ description: "false: there are too many alerts, and the test covers only the newest." }),
  },
  { title: "AlertRulesDryRun" },
);

export type AlertJson = Static<typeof alert.schema>;
export type AlertRuleJson = Static<typeof AlertRule>;
export type AlertRuleSetJson = Static<typeof AlertRuleSet>;
export type AlertRulesJson = Static<typeof AlertRules>;
export type AlertRulesDryRunJson = Static<typeof AlertRulesDryRun>;
