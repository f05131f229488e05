/** Which terminals someone may touch: the rule of a subscription (`/admin/subscription-rules`) and of a partner. */
export type TerminalRuleType = "ANY" | "LIST" | "REGEX";

export interface TerminalRule {
  ruleType: TerminalRuleType;
  /** Comma-separated ids for LIST, a pattern for REGEX, absent for ANY. */
  ruleValue?: string;
}

/** A whitelist rule as administered: `terminalId` is the authenticated terminal that the rule belongs to. */
export interface SubscriptionRule extends TerminalRule {
  terminalId: string;
  enabled: boolean;
  notes?: string;
}

/** Names no terminal at all: for a partner whose rule is still to be set. */
export const NO_TERMINAL: TerminalRule = { ruleType: "LIST", ruleValue: "" };

/** Says whether a rule is meant to name no terminal: one that forgot its value has none. */
export function isNoTerminal({ ruleType, ruleValue }: TerminalRule): boolean {
  return ruleType === NO_TERMINAL.ruleType && ruleValue === NO_TERMINAL.ruleValue;
}

/** Longest REGEX that is taken; patterns run in linear time, so this bounds the work of a match. */
export const RULE_VALUE_LENGTH_MAX = 2_048;

/** A rule ready to be asked, compiled once. */
export interface TerminalMatcher {
  /** ANY permits, but does not name; LIST and REGEX name the terminals that they match. */
  readonly names: boolean;
  matches(terminalId: string): boolean;
}

/** Compiles patterns that cannot stall a thread (linear time). Throws RelayError `invalid_request` with the reason on a bad pattern. */
export interface PatternCompiler {
  /** The whole terminal id has to match. */
  compile(pattern: string): (text: string) => boolean;
}

/** Compiles a rule. Throws RelayError `invalid_request` for a REGEX that does not compile. */
export function compileRule(rule: TerminalRule, patterns: PatternCompiler): TerminalMatcher {
  switch (rule.ruleType) {
    case "ANY":
      return { names: false, matches: () => true };
    case "LIST": {
      const ids = new Set((rule.ruleValue ?? "").split(",").map((id) => id.trim()));
      ids.delete("");
      return { names: true, matches: (terminalId) => ids.has(terminalId) };
    }
    case "REGEX": {
      const test = patterns.compile(rule.ruleValue ?? "");
      return { names: true, matches: test };
    }
  }
}
