import { notBefore } from "../payments/command.ts";
import type { TerminalContext } from "./events.ts";
import type { CommandRecord } from "./terminal-record.ts";
import type { CommandView } from "./terminals.ts";

/** Where a command stands, from its own record and, while it is not ended, from its terminal's. */
export function viewOf(record: CommandRecord, context: TerminalContext | null): CommandView {
  const view: CommandView = {
    uuid: record.uuid,
    terminalId: record.terminalId,
    command: record.command,
    state: "done",
    sentAtMs: null,
    finishedAtMs: null,
    channel: null,
    attempts: 0,
    cancelRequested: false,
    transaction: record.result?.transaction ?? null,
    amountDiffers: record.result?.amountDiffers ?? false,
  };
  if (record.life !== null) {
    const { state, sentAtMs, finishedAtMs, channel, attempts } = record.life;
    return { ...view, state, sentAtMs, finishedAtMs, channel, attempts };
  }
  const sent = context?.sent.find((entry) => entry.uuid === record.uuid);
  if (sent !== undefined) {
    const { channel, attempts, cancelRequested } = sent;
    return { ...view, state: "sent", sentAtMs: notBefore(sent.sentAtMs, sent.acceptedAtMs), channel, attempts, cancelRequested };
  }
  const waiting = context?.queue.find((entry) => entry.uuid === record.uuid);
  return { ...view, state: "queued", attempts: waiting?.attempts ?? 0 };
}

/** True when no result is to be waited for: there is one, or the command ended without having been executed. */
export function isSettled(view: CommandView): boolean {
  return view.transaction !== null || view.state === "expired" || view.state === "cancelled" || view.state === "done";
}
