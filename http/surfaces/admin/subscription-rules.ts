import { type Static, Type } from "@sinclair/typebox";
import { RULE_VALUE_LENGTH_MAX, type SubscriptionRule } from "../../../engine/access/terminal-rule.ts";
import { terminalOfTopic } from "../../../engine/access/topic-access.ts";
import { maskPans } from "../../../engine/kernel/mask.ts";
import { WHOLE_CHARACTERS } from "../../../engine/kernel/well-formed.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { givenText, NamedTerminalId, RuleType } from "../parts/schemas.ts";
import { admin } from "./surface.ts";

/** A rule that lets a terminal subscribe to topics of others. */
const Rule = Type.Object(
  {
    terminalId: Type.String({ description: "The authenticated terminal that the rule applies to. A terminal has at most one rule." }),
    ruleType: RuleType,
    ruleValue: Type.Optional(
      Type.String({ description: "For LIST, comma-separated ids. For REGEX, an RE2 pattern that has to match the whole id." }),
    ),
    enabled: Type.Boolean(),
    notes: Type.Optional(Type.String()),
  },
  { title: "SubscriptionRule" },
);

const RuleRequest = Type.Object(
  {
    terminalId: NamedTerminalId,
    ruleType: Type.Optional(Type.Union([RuleType], { default: "ANY" })),
    ruleValue: Type.Optional(Type.Union([Type.String({ ...WHOLE_CHARACTERS, maxLength: RULE_VALUE_LENGTH_MAX }), Type.Null()])),
    enabled: Type.Optional(Type.Boolean({ default: true })),
    notes: Type.Optional(Type.Union([Type.String({ maxLength: 1_000 }), Type.Null()])),
  },
  { title: "SubscriptionRuleRequest" },
);

function ruleOf(request: Static<typeof RuleRequest>): SubscriptionRule {
  const { terminalId, ruleType = "ANY", ruleValue = null, enabled = true } = request;
  const notes = givenText(request.notes);
  return {
    terminalId,
    ruleType,
    ...(ruleValue === null ? {} : { ruleValue }),
    enabled,
    ...(notes === null ? {} : { notes: maskPans(notes) }),
  };
}

export const listSubscriptionRules = admin.endpoint({
  name: "listSubscriptionRules",
  method: "GET",
  path: "/admin/subscription-rules",
  summary: "List subscription rules",
  auth: "admin",
  role: "read-only",
  responses: {
    200: { description: "All rules.", body: okBody(Type.Array(Rule)) },
    ...admin.errors(401),
  },
  handle: ({ directory }) => ({ status: 200 as const, body: { status: "ok" as const, data: [...directory.rules()] } }),
});

export const saveSubscriptionRule = admin.endpoint({
  name: "saveSubscriptionRule",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/subscription-rules",
  summary: "Set the subscription rule of a terminal",
  description:
    "The change is in force on every live node when the response is sent. Sessions that may no longer subscribe to a topic are ended.",
  auth: "admin",
  role: "operator",
  machine: "terminals",
  body: RuleRequest,
  audit: { action: "subscription-rule.save", subject: ({ body }) => body.terminalId },
  bodyExample: { terminalId: "SIM00001", ruleType: "LIST", ruleValue: "SIM00002,SIM00003", enabled: true },
  responses: {
    200: { description: "The rule.", body: okBody(Rule) },
    ...admin.errors(400, 401, 413, 415, 503),
  },
  handle: async ({ directory }, { body }) => {
    const rule = ruleOf(body);
    await directory.saveRule(rule);
    return { status: 200, body: { status: "ok", data: rule } };
  },
});

export const testSubscriptionRule = admin.endpoint({
  name: "testSubscriptionRule",
  method: "POST",
  path: "/admin/subscription-rules/test",
  summary: "Test whether a terminal may subscribe to a topic",
  auth: "admin",
  role: "read-only",
  audit: "changes nothing",
  body: Type.Object({
    authenticatedTerminalId: NamedTerminalId,
    topicDestination: Type.String({ minLength: 1, maxLength: 256, description: "`/topic/terminal/{terminalId}`" }),
  }),
  responses: {
    200: {
      description: "The decision.",
      body: Type.Object({
        allowed: Type.Boolean(),
        authenticatedTerminalId: Type.String(),
        topicDestination: Type.String(),
        targetTerminalId: Type.Union([Type.String(), Type.Null()], { description: "Null if the destination is not a terminal's topic." }),
      }),
      example: {
        allowed: true,
        authenticatedTerminalId: "SIM00001",
        topicDestination: "/topic/terminal/SIM00002",
        targetTerminalId: "SIM00002",
      },
    },
    ...admin.errors(400, 401, 413, 415),
  },
  handle: ({ directory }, { body: { authenticatedTerminalId, topicDestination } }) => {
    const targetTerminalId = terminalOfTopic(topicDestination);
    const allowed = targetTerminalId !== null && directory.mayTake(authenticatedTerminalId, targetTerminalId);
    return { status: 200 as const, body: { allowed, authenticatedTerminalId, topicDestination, targetTerminalId } };
  },
});
