import { ADMINISTRATOR_ROLES, type AdministratorRole, includesRole } from "../../../../engine/access/administrator-role.ts";
import { words } from "./texts.ts";

/** What an administrator's role may do and what not, in words: each role includes those below it. */
export function rightsOf(role: AdministratorRole): { can: string[]; cannot: string[] } {
  const { roleRights } = words();
  const rights = (permitted: boolean) =>
    [...ADMINISTRATOR_ROLES].reverse().flatMap((needed) => (includesRole(role, needed) === permitted ? roleRights[needed] : []));
  return { can: rights(true), cannot: rights(false) };
}
