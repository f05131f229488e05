import { type AdministratorRole, includesRole } from "../../engine/access/administrator-role.ts";
import type { Caller } from "../../engine/access/caller.ts";
import type { MachineRight } from "../../engine/access/machine-token.ts";
import { RelayError } from "../../engine/kernel/errors.ts";

/**
 * Throws RelayError `forbidden` where an endpoint of administrators declares a role that the
 * administrator's own does not include, or a right that the machine token does not have. `right`:
 * null where no machine token is let in.
 */
export function requireRole(caller: Caller, role: AdministratorRole | undefined, right: MachineRight | null): void {
  if (role === undefined) return;
  if (caller.type === "administrator" && !includesRole(caller.role, role)) {
    throw new RelayError("forbidden", `This needs an administrator with the role ${role}; your role is ${caller.role}`);
  }
  if (caller.type !== "machine" || (right !== null && caller.rights.includes(right))) return;
  throw new RelayError(
    "forbidden",
    right === null
      ? "Machine tokens may not call this: an administrator must call it, signed in with a second factor"
      : `This needs a machine token with the right ${right}; yours has ${caller.rights.join(", ")}`,
  );
}
