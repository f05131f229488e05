import { terminalPassword } from "../../../http/auth/terminal-password.ts";

export const TERMINAL_SECRET = "a secret that every node of a history has";

/** The credential that a fleet shares. */
export const FLEET = { username: "fleet", password: "fleet-password" };

const known = new Map<string, string>();

/** The derived password of a terminal's login; remembered, because all histories have the same few terminals. */
export function passwordOf(terminalId: string): string {
  const password = known.get(terminalId) ?? terminalPassword(TERMINAL_SECRET, terminalId) ?? "";
  known.set(terminalId, password);
  return password;
}
