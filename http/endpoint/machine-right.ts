import type { MachineRight } from "../../engine/access/machine-token.ts";
import type { EndpointFacts } from "./endpoint.ts";

/**
 * The right of a machine token that opens an endpoint of administrators; null where none is let in.
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
