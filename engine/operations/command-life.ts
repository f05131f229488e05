import { type Caller, maySend, visibilityOf } from "../domain/caller.ts";
import type { Ids } from "../ports/ids.ts";
import type { CancelOutcome, CommandView, Terminals } from "../ports/terminals.ts";

export interface CommandLifeView extends CommandView {
  /** When an answer came that could not be read; null where none did, or where there is a result, or none can come. */
  unreadableAnswerAtMs: number | null;
}

export interface CommandLifeOperations {
  /** Where a command stands; null for one that is not known or that the caller may not see. */
  find(caller: Caller, uuid: string): Promise<CommandLifeView | null>;
  /** Cancels a command (design.md, promise 3). `not_found` also for one that the caller may not see or not send. */
  cancel(caller: Caller, uuid: string): Promise<CancelOutcome>;
}

export function createCommandLife({ terminals, ids }: { terminals: Terminals; ids: Ids }): CommandLifeOperations {
  async function visible(caller: Caller, uuid: string): Promise<CommandView | null> {
    const view = await terminals.command(uuid, 0);
    if (view === null) return null;
    const visibility = visibilityOf(caller, view.terminalId);
    const isVisible = visibility.type === "all" || (visibility.type === "own" && view.command?.sender === visibility.sender);
    return isVisible ? view : null;
  }

  return {
    find: async (caller, uuid) => {
      const view = await visible(caller, uuid);
      if (view === null) return null;
      const isAwaited = view.transaction === null && (view.state === "sent" || view.state === "unknown");
      return { ...view, unreadableAnswerAtMs: isAwaited ? await terminals.unreadableAnswerAtMs(view.uuid) : null };
    },
    cancel: async (caller, uuid) => {
      const view = await visible(caller, uuid);
      if (view === null || !maySend(caller, view.terminalId)) return { type: "not_found" };
      return terminals.cancel({ uuid, cancelUuid: ids.uuid() });
    },
  };
}
