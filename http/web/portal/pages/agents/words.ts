import { AGENT_LIST as filters } from "../../../../surfaces/merchant/agent-credentials/list.ts";
import type { AgentCredentialJson, AgentScopeJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { text } from "../../i18n/texts.ts";
import type { ListDeclaration } from "../../list/declaration.ts";

export type Scope = AgentScopeJson;
export type Limits = NonNullable<AgentCredentialJson["limits"]>;
export type Details = NonNullable<AgentCredentialJson["details"]>;

export const AGENT_LIST = { page: "agents", path: "/agent-credentials", filters } as const satisfies ListDeclaration;

/** Whether the token is accepted. */
export function isUsable({ state }: Pick<AgentCredentialJson, "state">): boolean {
  return state === "ACTIVE" || state === "EXHAUSTED";
}

/**
 * Names the actor in the person's language. The relay reports actors without an address in English.
 */
export function actorText(by: string): string {
  const { agents: words } = text();
  const known: Readonly<Record<string, string>> = { "API key": words.byKey, "Former user": words.formerUser };
  return known[by] ?? by;
}

/** Describes what an agent did; the name of the tool if the page does not know it. */
export function toolText(tool: string): string {
  const known: Readonly<Record<string, string>> = text().agents.tools;
  return (Object.hasOwn(known, tool) ? known[tool] : undefined) ?? tool;
}
