import type { SendUtility } from "../../../engine/operations/send-utility.ts";
import type { Terminals } from "../../../engine/ports/terminals.ts";
import type { Directory } from "../../../engine/runtime/directory.ts";
import { surface } from "../../endpoint/surface.ts";
import { relayEnvelope } from "../relay-envelope.ts";

/** What the administration endpoints use. */
export interface AdminOperations {
  sendUtility: SendUtility;
  terminals: Terminals;
  directory: Directory;
  /** The derived password of a terminal's login, or null where terminals have none. */
  terminalPassword(terminalId: string): string | null;
}

export const admin = surface<AdminOperations>()({ name: "admin", tags: ["Administration"], envelope: relayEnvelope });
