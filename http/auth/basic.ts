import type { Caller } from "../../engine/access/caller.ts";
import { isTerminalId } from "../../engine/kernel/identifiers.ts";
import type { CredentialSource, PartnerCredential } from "./credential-source.ts";
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

/** The administrator with this password; null for a wrong one. */
export function administratorByFastPassword(source: CredentialSource, user: UserPassword): Caller | null {
  const administrator = source.administratorByUsername(user.username);
  if (administrator === null || administrator.password.type !== "sha256") return null;
  if (!matchesSha256(user.password, administrator.password.hex)) return null;
  return { type: "administrator", username: administrator.username, role: administrator.role };
}

/** The administrator, the fleet or a terminal: everyone whose password needs no slow hash. Null for anyone else. */
export function callerByFastPassword(source: CredentialSource, user: UserPassword): Caller | null {
  const administrator = administratorByFastPassword(source, user);
  if (administrator !== null) return administrator;
  const fleet = source.fleet();
  if (fleet !== null && sameText(user.username, fleet.username) && matchesSha256(user.password, fleet.passwordSha256))
    return { type: "fleet", isDenied: source.isTerminalDenied };
  const secret = source.terminalSecret();
  if (secret === null || !isTerminalId(user.username)) return null;
  const right = isTerminalPassword(secret, user.username, user.password);
  if (!right || source.isTerminalDenied(user.username)) return null;
  const manages = source.managedBy(user.username);
  return { type: "terminal", terminalId: user.username, ...(manages === null ? {} : { manages, isDenied: source.isTerminalDenied }) };
}

export function partnerCaller(partner: PartnerCredential): Caller {
  return { type: "partner", partnerId: partner.partnerId, username: partner.username, terminals: partner.terminals };
}
