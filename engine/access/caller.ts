import { RelayError } from "../kernel/errors.ts";
import { type AdministratorRole, includesRole } from "./administrator-role.ts";
import type { AdministratorSessionGrant } from "./administrator-session-grant.ts";
import type { AgentGrant } from "./agent-grant.ts";
import type { MachineRight } from "./machine-token.ts";
import type { MerchantGrant } from "./merchant-grant.ts";
import type { MerchantUserGrant } from "./merchant-user-grant.ts";
import type { PartnerApiGrant } from "./partner-grant.ts";
import type { TerminalMatcher } from "./terminal-rule.ts";

/** Who is asking, as authentication found it. */
export type Caller =
  | { type: "anonymous" }
  /** A terminal with its own login. `manages` names further terminals it acts for (terminal groups). */
  | ({ type: "terminal"; terminalId: string; manages?: ReadonlySet<string> } & ForOthers)
  /** The credential that a fleet shares; may act as any terminal that is not denied. */
  | ({ type: "fleet" } & ForOthers)
  /** By its login, or with a full session of the operators' pages. */
  | { type: "administrator"; username: string; role: AdministratorRole; session?: AdministratorSessionGrant }
  /** An administrator whose session still lacks its second factor: it opens the rest of signing in, and nothing else. */
  | { type: "administratorSigningIn"; session: AdministratorSessionGrant }
  /** A program of the operators with a machine token, which opens what its rights name. */
  | { type: "machine"; name: string; rights: readonly MachineRight[]; expiresAtMs: number }
  | { type: "partner"; partnerId: number; username: string; terminals: TerminalMatcher }
  /** A partner with its key for Partner API v1, which opens nothing else. */
  | { type: "partnerApi"; partner: PartnerApiGrant }
  /** A merchant with one of its keys, which opens its own payments and nothing else. */
  | { type: "merchantKey"; merchant: MerchantGrant }
  /** A person with a session of the portal, which opens what its merchant has. */
  | { type: "merchantUser"; user: MerchantUserGrant }
  /** An AI agent of a merchant with the token of its credential, which opens the tools of that credential's scopes and nothing else. */
  | { type: "agent"; agent: AgentGrant };

/** Who acts for others does not for a denied terminal, whose own login is refused. Absent where the caller acts only for itself. */
interface ForOthers {
  isDenied?(terminalId: string): boolean;
}

/** Partners whose names as senders are at hand; beyond it they are put together anew. */
const PARTNER_SENDERS_MAX = 10_000;

/** One string for each partner: hundreds of thousands of commands that wait hold the names of their senders. */
const partnerSenders = new Map<number, string>();

function partnerSender(partnerId: number): string {
  const known = partnerSenders.get(partnerId);
  if (known !== undefined) return known;
  const sender = `partner:${partnerId}`;
  if (partnerSenders.size >= PARTNER_SENDERS_MAX) partnerSenders.clear();
  partnerSenders.set(partnerId, sender);
  return sender;
}

/** The sender of a command as it is stored with the command. */
export function senderOf(caller: Caller): string {
  switch (caller.type) {
    case "anonymous":
      return "anonymous";
    case "terminal":
      return `terminal:${caller.terminalId}`;
    case "fleet":
      return "fleet";
    case "administrator":
    case "administratorSigningIn":
      return "administrator";
    case "machine":
      return `machine:${caller.name}`;
    case "partner":
      return partnerSender(caller.partnerId);
    case "partnerApi":
      return `partner-api:${caller.partner.partnerId}`;
    case "merchantKey":
      return `merchant:${caller.merchant.merchantId}`;
    case "merchantUser":
      return `merchant:${caller.user.merchantId}`;
    case "agent":
      return `merchant:${caller.agent.merchantId}`;
  }
}

/** Says whether nothing but rule ANY lets the caller send to terminals. All such senders share a part of each terminal's places. */
export function isAdmittedByAny(caller: Caller): boolean {
  return caller.type === "partner" && !caller.terminals.names;
}

/** Says whether the caller may send commands to a terminal, or cancel them. An administrator who may only look may not. */
export function maySend(caller: Caller, terminalId: string): boolean {
  switch (caller.type) {
    case "anonymous":
    case "administratorSigningIn":
    case "partnerApi":
    case "merchantKey":
    case "merchantUser":
    case "agent":
      return false;
    case "terminal":
      return caller.terminalId === terminalId;
    case "partner":
      return caller.terminals.matches(terminalId);
    case "fleet":
      return caller.isDenied?.(terminalId) !== true;
    case "administrator":
      return includesRole(caller.role, "operator");
    case "machine":
      return caller.rights.includes("payments");
  }
}

/** The refusal where `maySend` or `mayChangeLogs` says no. */
export function notPermitted(caller: Caller): RelayError {
  return new RelayError("forbidden", `Not permitted for ${nameOf(caller)}`);
}

function nameOf(caller: Caller): string {
  if (caller.type === "administrator") return `an administrator with the role ${caller.role}`;
  return caller.type === "machine" ? `a machine token with the rights ${caller.rights.join(", ")}` : "this terminal";
}

/** Says whether the caller may act as the terminal: poll its commands, post its results, disconnect it. Nobody may for a denied one. */
export function mayActAs(caller: Caller, terminalId: string): boolean {
  return actsFor(caller, terminalId) && caller.isDenied?.(terminalId) !== true;
}

/** The same, denied or not: what it posts for a denied terminal does not count, but is kept. */
export function actsFor(caller: Caller, terminalId: string): caller is Caller & { type: "terminal" | "fleet" } {
  if (caller.type !== "terminal") return caller.type === "fleet";
  return caller.terminalId === terminalId || caller.manages?.has(terminalId) === true;
}

/** Says whether the caller may read a terminal's logs: its own, and operators any. */
export function mayReadLogs(caller: Caller, terminalId: string): boolean {
  if (caller.type === "machine") return caller.rights.includes("read");
  return caller.type === "administrator" || mayActAs(caller, terminalId);
}

/** Says whether the caller may add to a terminal's logs and delete them. */
export function mayChangeLogs(caller: Caller, terminalId: string): boolean {
  if (caller.type === "machine") return caller.rights.includes("terminals");
  return (caller.type === "administrator" && includesRole(caller.role, "operator")) || mayActAs(caller, terminalId);
}

/** Says whether the caller may know that there is such a terminal, whether it was ever seen, and whether it can be reached. */
export function mayKnow(caller: Caller, terminalId: string): boolean {
  return maySend(caller, terminalId) || visibilityOf(caller, terminalId).type === "all";
}

/**
 * What of a terminal's history the caller may see: everything, only what this sender sent, or nothing.
 * A partner sees everything of a terminal only where its rule names that terminal; ANY does not name.
 */
export function visibilityOf(caller: Caller, terminalId: string): { type: "all" } | { type: "own"; sender: string } | { type: "none" } {
  switch (caller.type) {
    case "anonymous":
    case "administratorSigningIn":
    case "partnerApi":
    case "merchantKey":
    case "merchantUser":
    case "agent":
      return { type: "none" };
    case "terminal":
      return caller.terminalId === terminalId ? { type: "all" } : { type: "none" };
    case "partner":
      if (!caller.terminals.matches(terminalId)) return { type: "own", sender: senderOf(caller) };
      return caller.terminals.names ? { type: "all" } : { type: "own", sender: senderOf(caller) };
    case "fleet":
      return caller.isDenied?.(terminalId) === true ? { type: "none" } : { type: "all" };
    case "administrator":
      return { type: "all" };
    case "machine":
      return caller.rights.includes("read") ? { type: "all" } : { type: "own", sender: senderOf(caller) };
  }
}

/** Says whether the caller may see what a sender sent to a terminal; null for what nobody sent. */
export function maySee(caller: Caller, terminalId: string, sender: string | null): boolean {
  const visibility = visibilityOf(caller, terminalId);
  return visibility.type === "all" || (visibility.type === "own" && visibility.sender === sender);
}
