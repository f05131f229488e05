import { type AdministratorRole, includesRole } from "../../engine/access/administrator-role.ts";
import type { Caller } from "../../engine/access/caller.ts";
import { RelayError } from "../../engine/kernel/errors.ts";

/** Throws RelayError `forbidden` where an endpoint declares a role and the administrator's own does not include it. */
export function requireRole(caller: Caller, role: AdministratorRole | undefined): void {
  if (role === undefined || caller.type !== "administrator" || includesRole(caller.role, role)) return;
  throw new RelayError("forbidden", `This needs an administrator with the role ${role}; you are ${caller.role}`);
}
