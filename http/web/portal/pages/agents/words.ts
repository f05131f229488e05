import type { AgentCredentialJson, AgentScopeJson, AgentStateJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { text } from "../../i18n/texts.ts";
import type { ListDeclaration } from "../../list/declaration.ts";

export type Scope = AgentScopeJson;
export type Limits = NonNullable<AgentCredentialJson["limits"]>;
export type Details = NonNullable<AgentCredentialJson["details"]>;

/** As AGENT_SCOPES of the engine, which decides. */
export const SCOPES = [
  "links:create",
  "links:read",
  "links:cancel",
  "transactions:read",
  "analytics:read",
] as const satisfies readonly Scope[];
export const LIMITS = [
  "currency",
  "perLinkMax",
  "perDay",
  "total",
  "linksPerHour",
] as const satisfies readonly (keyof Details["usage"]["refused"])[];

export const AGENT_LIST = {
  page: "agents",
  path: "/agent-credentials",
  filters: { state: { type: "word", words: ["ACTIVE", "EXHAUSTED", "EXPIRED", "REVOKED"] satisfies readonly AgentStateJson[] } },
} as const satisfies ListDeclaration;

/** Whether its token opens anything. */
export function isUsable({ state }: Pick<AgentCredentialJson, "state">): boolean {
  return state === "ACTIVE" || state === "EXHAUSTED";
}

/** Who did something, in the person's words: the relay says what is no address in English. */
export function actorText(by: string): string {
  const { agents: words } = text();
  const known: Readonly<Record<string, string>> = { "API key": words.byKey, "Former user": words.formerUser };
  return known[by] ?? by;
}

/** What an agent did, in words; a tool that the page has none for by its name. */
export function toolText(tool: string): string {
  const known: Readonly<Record<string, string>> = text().agents.tools;
  return (Object.hasOwn(known, tool) ? known[tool] : undefined) ?? tool;
}
