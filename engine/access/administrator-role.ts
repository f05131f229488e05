/** What an administrator may do, from the most to the least. `owner`: everything; `operator`: everything but who else may; `read-only`: look. */
export const ADMINISTRATOR_ROLES = ["owner", "operator", "read-only"] as const;

export type AdministratorRole = (typeof ADMINISTRATOR_ROLES)[number];

/** Whether a role includes another one. */
export function includesRole(role: AdministratorRole, needed: AdministratorRole): boolean {
  return ADMINISTRATOR_ROLES.indexOf(role) <= ADMINISTRATOR_ROLES.indexOf(needed);
}
