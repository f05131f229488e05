import type { AgentCredentialJson, AgentScopeJson, AgentStateJson } from "../../../../surfaces/merchant/agent-credentials/schemas.ts";
import { text } from "../../i18n/texts.ts";

export type Scope = AgentScopeJson;
export type Limits = NonNullable<AgentCredentialJson["limits"]>;
export type Details = NonNullable<AgentCredentialJson["details"]>;

/** All of them; the relay decides by AGENT_STATES and AGENT_SCOPES of the engine. */
export const STATES = ["ACTIVE", "EXHAUSTED", "EXPIRED", "REVOKED"] as const satisfies readonly AgentStateJson[];
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

/** The filters of the list, as the address and the interface name them. */
export const FILTERS = ["state"] as const;

/** What the interface is asked with. A state of the address that is none is left out: an address may be typed. */
export function queryOf(values: Readonly<Record<string, string>>): Record<string, string> {
  const state = STATES.find((known) => known === values["state"]);
  return state === undefined ? {} : { state };
}

/** Where a credential is opened, with the list's filters behind it; without an id the list. */
export function agentsHref(id: string | null, query = ""): string {
  return `/portal/agents${id === null ? "" : `/${encodeURIComponent(id)}`}${query === "" ? "" : `?${query}`}`;
}

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
