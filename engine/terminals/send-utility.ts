import { type Caller, maySend, senderOf } from "../access/caller.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { Ids } from "../kernel/ids.ts";
import type { Command } from "../payments/command.ts";
import { buildAdministrative, buildPrint, buildScan, type UtilityContext } from "../payments/utility-request.ts";
import { createRequestNames } from "./request-names.ts";
import type { AcceptOutcome, Terminals } from "./terminals.ts";

export type UtilityCommand = "scan" | "print" | "administrative";

export interface UtilitySent {
  command: Command;
  outcome: AcceptOutcome;
}

/** Sends a SCAN, PRINT or administrator command. Throws RelayError `invalid_request`, `forbidden`, `unavailable`. */
export type SendUtility = (kind: UtilityCommand, caller: Caller, terminalId: string, body: unknown) => Promise<UtilitySent>;

const BUILDERS: Record<UtilityCommand, (body: unknown, context: UtilityContext) => Command> = {
  scan: buildScan,
  print: buildPrint,
  administrative: buildAdministrative,
};

export function createSendUtility({ terminals, clock, ids }: { terminals: Terminals; clock: Clock; ids: Ids }): SendUtility {
  const nextRequest = createRequestNames(ids);
  return async (kind, caller, terminalId, body) => {
    if (!maySend(caller, terminalId)) throw new RelayError("forbidden", "Not permitted for this terminal");
    const generatedUuid = ids.uuid();
    const context = { terminalId, generatedUuid, sender: senderOf(caller), acceptedAtMs: clock.nowMs(), request: nextRequest() };
    const command = BUILDERS[kind](body, context);
    return { command, outcome: await terminals.accept(command) };
  };
}
