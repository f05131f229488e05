import { type Caller, maySee, maySend } from "../domain/caller.ts";
import type { Ids } from "../ports/ids.ts";
import type { CancelOutcome, CommandView, Terminals } from "../ports/terminals.ts";

export interface CommandLifeOperations {
  /** Where a command stands; null for one that is not known or that the caller may not see. */
  find(caller: Caller, uuid: string): Promise<CommandView | null>;
  /** Cancels a command (design.md, promise 3). `not_found` also for one that the caller may not see or not send. `uuid`: as its sender wrote it. */
  cancel(caller: Caller, uuid: string): Promise<{ uuid: string; outcome: CancelOutcome }>;
}

export function createCommandLife({ terminals, ids }: { terminals: Terminals; ids: Ids }): CommandLifeOperations {
  function find(caller: Caller, uuid: string): Promise<CommandView | null> {
    return terminals.command(uuid, 0, (terminalId, sender) => maySee(caller, terminalId, sender));
  }

  return {
    find,
    cancel: async (caller, uuid) => {
      const view = await find(caller, uuid);
      // A result that nobody asked for is all that this caller sees; another's command of the same uuid is not his to cancel.
      if (view === null || view.command === null || !maySend(caller, view.terminalId)) return { uuid, outcome: { type: "not_found" } };
      return { uuid: view.uuid, outcome: await terminals.cancel({ uuid: view.uuid, cancelUuid: ids.uuid() }) };
    },
  };
}
