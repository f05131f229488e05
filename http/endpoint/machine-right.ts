import type { MachineRight } from "../../engine/access/machine-token.ts";
import type { EndpointFacts } from "./endpoint.ts";

/**
 * Returns the right with which a machine token may call an endpoint of administrators, or null if
 * no machine token may.
 */
export function machineRightOf({
  auth,
  role,
  stepUp,
  machine,
}: Pick<EndpointFacts, "auth" | "role" | "stepUp" | "machine">): MachineRight | null {
  if (auth !== "admin" || stepUp !== undefined || machine === "never") return null;
  return machine ?? (role === "read-only" ? "read" : null);
}
