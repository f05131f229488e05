import type { Caller } from "../../engine/access/caller.ts";
import { isTerminalId } from "../../engine/kernel/identifiers.ts";
import type { AdministratorCredential, CredentialSource, PartnerCredential } from "./credential-source.ts";
import { matchesSha256, sameText } from "./digest.ts";
import { isTerminalPassword } from "./terminal-password.ts";

/** Longest header that is read; user names and passwords are far shorter. */
const HEADER_LENGTH_MAX = 1_024;

export interface UserPassword {
  username: string;
  password: string;
}

/** Reads an `Authorization: Basic` header; null for anything else. */
export function parseBasic(header: string): UserPassword | null {
  if (header.length > HEADER_LENGTH_MAX || !/^basic /i.test(header)) return null;
  const text = Buffer.from(header.slice(6).trim(), "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? null : { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** A terminal with its derived password, which nobody can guess; `denied` if it is right and the terminal may not log in. Null for anyone else. */
export function terminalByDerivedPassword(source: CredentialSource, user: UserPassword): Caller | "denied" | null {
  const secret = source.terminalSecret();
  if (secret === null || !isTerminalId(user.username)) return null;
  if (!isTerminalPassword(secret, user.username, user.password)) return null;
  if (source.isTerminalDenied(user.username)) return "denied";
  const manages = source.managedBy(user.username);
  return { type: "terminal", terminalId: user.username, ...(manages === null ? {} : { manages, isDenied: source.isTerminalDenied }) };
}

/** Whether an administrator, a machine token, the fleet or a partner has this name. */
export function isAccount(source: CredentialSource, username: string): boolean {
  return (
    source.administratorByUsername(username) !== null ||
    source.machineByName(username) !== null ||
    source.fleet()?.username === username ||
    source.partnerByUsername(username) !== null
  );
}

/**
 * The administrator, the machine token or the fleet by a secret that needs no slow hash. Null for
 * anyone else.
 */
export function callerByFastPassword(source: CredentialSource, user: UserPassword): Caller | null {
  const administrator = source.administratorByUsername(user.username);
  if (administrator?.password.type === "sha256" && matchesSha256(user.password, administrator.password.hex)) {
    return administratorCaller(administrator);
  }
  const machine = source.machineByName(user.username);
  if (machine !== null && matchesSha256(user.password, machine.tokenSha256)) {
    const { name, rights, expiresAtMs } = machine;
    return { type: "machine", name, rights, expiresAtMs };
  }
  const fleet = source.fleet();
  const isFleet = fleet !== null && sameText(user.username, fleet.username) && matchesSha256(user.password, fleet.passwordSha256);
  return isFleet ? { type: "fleet", isDenied: source.isTerminalDenied } : null;
}

/** Who has this name and a password that is stored as a slow hash, and the hash; null for nobody. */
export function callerBySlowPassword(source: CredentialSource, username: string): { hash: string; caller: Caller } | null {
  const administrator = source.administratorByUsername(username);
  if (administrator?.password.type === "slow") return { hash: administrator.password.hash, caller: administratorCaller(administrator) };
  const partner = source.partnerByUsername(username);
  return partner?.enabled === true ? { hash: partner.passwordHash, caller: partnerCaller(partner) } : null;
}

function administratorCaller({ username, role }: AdministratorCredential): Caller {
  return { type: "administrator", username, role };
}

export function partnerCaller(partner: PartnerCredential): Caller {
  return { type: "partner", partnerId: partner.partnerId, username: partner.username, terminals: partner.terminals };
}
