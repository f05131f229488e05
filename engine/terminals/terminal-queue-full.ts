import { RelayError } from "../kernel/errors.ts";
import { QUEUED_OF_SENDER_MAX } from "../kernel/limits.ts";
import type { PlaceBound, QueueFull } from "./events.ts";

/** A command was refused, since as many wait for its terminal as may. */
export interface QueueRefusal {
  bound: PlaceBound;
  /** Until a place is expected. */
  retryAfterSeconds: number;
}

const MESSAGES: Readonly<Record<PlaceBound, string>> = {
  terminal: "Too many commands are waiting for this terminal",
  sender: `Too many commands of this sender are waiting for this terminal: at most ${QUEUED_OF_SENDER_MAX} of one sender may wait`,
  any: `Too many commands of partners with rule ANY are waiting for this terminal: at most ${QUEUED_OF_SENDER_MAX} of all of them together may wait`,
};

export function queueRefusal({ bound, freeAtMs }: QueueFull, nowMs: number): QueueRefusal {
  return { bound, retryAfterSeconds: Math.max(1, Math.ceil((freeAtMs - nowMs) / 1_000)) };
}

export function terminalQueueFull({ bound, retryAfterSeconds }: QueueRefusal): RelayError {
  return new RelayError("terminal_queue_full", MESSAGES[bound], { retryAfterSeconds });
}
