import { createMachineToken } from "./create-machine-token.ts";
import { deleteMachineToken } from "./delete-machine-token.ts";
import { listMachineTokens } from "./list-machine-tokens.ts";

/** Logins of programs. */
export const machineTokenEndpoints = [listMachineTokens, createMachineToken, deleteMachineToken];
