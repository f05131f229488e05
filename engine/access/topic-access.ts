import { RelayError } from "../kernel/errors.ts";
import { isTerminalId } from "../kernel/identifiers.ts";
import {
  compileRule,
  type PatternCompiler,
  RULE_VALUE_LENGTH_MAX,
  type SubscriptionRule,
  type TerminalMatcher,
  type TerminalRule,
} from "./terminal-rule.ts";

/** Part of the interface (http/stomp/PROTOCOL.md). */
const TOPIC_PREFIX = "/topic/terminal/";

/** The topic that a terminal's messages are on. */
export function topicOfTerminal(terminalId: string): string {
  return TOPIC_PREFIX + terminalId;
}

/** The terminal whose topic `destination` is, or null when it is no terminal's topic. */
export function terminalOfTopic(destination: string): string | null {
  if (!destination.startsWith(TOPIC_PREFIX)) return null;
  const terminalId = destination.slice(TOPIC_PREFIX.length);
  return isTerminalId(terminalId) ? terminalId : null;
}

/** Which topics a terminal may take, all rules considered. */
export interface TopicAccess {
  /** A terminal may always take its own topic; any other needs an enabled rule of its own that matches. */
  mayTake(identity: string, target: string): boolean;
}

/**
 * Compiles the whitelist rules of `/admin/subscription-rules`. Disabled rules do nothing; of several rules of a
 * terminal, any allows. Throws RelayError `invalid_request` for a rule that `validateSubscriptionRule` refuses, disabled or not.
 */
export function compileTopicAccess(rules: Iterable<SubscriptionRule>, patterns: PatternCompiler): TopicAccess {
  const matchers = new Map<string, TerminalMatcher[]>();
  for (const rule of rules) {
    const matcher = validateSubscriptionRule(rule, patterns);
    if (!rule.enabled) continue;
    const others = matchers.get(rule.terminalId);
    if (others === undefined) matchers.set(rule.terminalId, [matcher]);
    else others.push(matcher);
  }
  return {
    mayTake: (identity, target) => identity === target || (matchers.get(identity)?.some((matcher) => matcher.matches(target)) ?? false),
  };
}

/** Checks a whitelist rule and answers with it compiled. Throws RelayError `invalid_request` with the reason. */
export function validateSubscriptionRule(rule: SubscriptionRule, patterns: PatternCompiler): TerminalMatcher {
  if (!isTerminalId(rule.terminalId)) throw new RelayError("invalid_request", "terminalId is not a terminal id");
  return validateTerminalRule(rule, patterns);
}

/**
 * Checks what a rule names and answers with it compiled. Throws RelayError `invalid_request` for a LIST that is empty or names what
 * cannot be a terminal id, for a REGEX that does not compile, for a value that is too long, and for an ANY with a value: a rule
 * that lists terminals and forgot its type must not open all of them.
 */
export function validateTerminalRule(rule: TerminalRule, patterns: PatternCompiler): TerminalMatcher {
  const value = rule.ruleValue ?? "";
  if (value.length > RULE_VALUE_LENGTH_MAX) {
    throw new RelayError("invalid_request", `ruleValue is longer than ${RULE_VALUE_LENGTH_MAX} characters`);
  }
  switch (rule.ruleType) {
    case "ANY":
      if (value !== "") throw new RelayError("invalid_request", "ruleValue must be left out for ruleType ANY");
      break;
    case "LIST": {
      const ids = value
        .split(",")
        .map((id) => id.trim())
        .filter((id) => id !== "");
      if (ids.length === 0) throw new RelayError("invalid_request", "ruleValue must list at least one terminal id");
      const odd = ids.find((id) => !isTerminalId(id));
      if (odd !== undefined) throw new RelayError("invalid_request", `ruleValue lists "${odd.slice(0, 64)}", which is not a terminal id`);
      break;
    }
    case "REGEX":
      if (value === "") throw new RelayError("invalid_request", "ruleValue must be a pattern for ruleType REGEX");
      break;
    default:
      throw new RelayError("invalid_request", "ruleType must be ANY, LIST or REGEX");
  }
  return compileRule(rule, patterns);
}
