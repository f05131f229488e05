import { KindGuard, type Static, type TObject } from "@sinclair/typebox";
import { type AgentGrant, type AgentScope, agentMay } from "../../../engine/access/agent-grant.ts";
import { withoutNulls } from "../../endpoint/null-members.ts";
import { checkOf } from "../../endpoint/schema-check.ts";
import { validationMessage } from "../../endpoint/validation-message.ts";
import type { AgentOperations } from "./surface.ts";

/**
 * What a tool answers. `text` is for the model and is made of the relay's own words, ids, states, amounts and times: what people wrote (descriptions, references, messages of terminals)
 * stands in `structured` alone, so that nobody's text is read as the relay's. `refused` says what the agent can do about it.
 */
export type ToolOutcome<Structured extends object = object> =
  | { readonly type: "done"; readonly structured: Structured; readonly text: string }
  | { readonly type: "refused"; readonly text: string };

export function refused(text: string): ToolOutcome<never> {
  return { type: "refused", text };
}

export interface ToolCall<Arguments = unknown> {
  readonly agent: AgentGrant;
  readonly requestId: string;
  /** For what only reads. */
  readonly gone: AbortSignal;
  readonly args: Arguments;
}

interface ToolFacts {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly scope: AgentScope;
  /** What it does to the world, for clients that ask their user before a call. */
  readonly effects: { readonly readOnly: boolean; readonly destructive: boolean };
}

/** A tool of AI agents, without the types of its members. */
export interface AgentTool extends ToolFacts {
  readonly input: object;
  readonly output: object;
  /** Throws RelayError for what is wrong with the arguments or lies with the relay. */
  run(operations: AgentOperations, call: ToolCall): Promise<ToolOutcome>;
}

/** Declares a tool: `run` gets arguments that the schema has accepted. */
export function agentTool<In extends TObject, Out extends TObject>({
  input,
  output,
  run,
  ...facts
}: ToolFacts & {
  readonly input: In;
  readonly output: Out;
  run(operations: AgentOperations, call: ToolCall<Static<In>>): Promise<ToolOutcome<Static<Out>>>;
}): AgentTool {
  const check = checkOf(input);
  return {
    ...facts,
    input: jsonOf(input),
    output: jsonOf(output),
    run: async (operations, { args: given, ...call }) => {
      if (!agentMay(call.agent, facts.scope))
        return refused(`This credential lacks the scope ${facts.scope}; ask the merchant, who grants scopes`);
      // Models send null for whatever they do not set.
      const args = withoutNulls(input, given);
      if (check().Check(args)) return run(operations, { ...call, args });
      const error = check().Errors(args).First();
      return refused(error === undefined ? "The arguments are not valid" : validationMessage(error, "arguments"));
    },
  };
}

/** What the interface's own documents and messages use of a schema; some validators of clients refuse words that they do not know. */
const OWN_WORDS: ReadonlySet<string> = new Set(["errorMessage", "parameterName"]);

/** A schema as JSON Schema, for clients and models that understand only a part of it. */
function jsonOf(schema: TObject): object {
  return JSON.parse(JSON.stringify(schema, (name, value) => (OWN_WORDS.has(name) ? undefined : enumerated(value))));
}

/** Words to choose from as `{"type": "string", "enum": [...]}`: a widely used model API refuses a request with all of its tools because of one constant. */
function enumerated(value: unknown): unknown {
  if (KindGuard.IsLiteral(value)) {
    const { const: word, ...rest } = value;
    return { ...rest, type: typeof word, enum: [word] };
  }
  if (!KindGuard.IsUnion(value)) return value;
  const { anyOf, ...rest } = value;
  const words = anyOf.flatMap((one) => (KindGuard.IsLiteral(one) ? [one.const] : []));
  return words.length === anyOf.length ? { ...rest, type: typeof words[0], enum: words } : value;
}
