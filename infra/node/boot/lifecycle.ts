import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import type { Reload } from "./reload.ts";

const TICK_MS = 50;
const SECOND_MS = 1_000;

/** What a part of a shard does when the shard starts, runs and stops. It reports failures for which nobody waits. */
export interface Lifecycle {
  /** Loads into memory what requests need; nothing is served before. */
  load?(): Promise<void>;
  listening?(port: number): void;
  /** Called every 50 ms or so. */
  tick?(): void;
  everySecond?(): void;
  /** The node has read its configuration again. Takes over what it can; rejects where it cannot, and goes on as it was. */
  reload?(reload: Reload): Promise<void> | void;
  /** The node is stopping: starts nothing new, and ends waiting requests. The caller does not wait for it. */
  drain?(): void;
  /** After `drain`: resolves when what was begun has ended, and at the deadline at the latest. */
  finish?(withinMs: number): Promise<void>;
  /** After the last request has ended: hands over what others of the node still write. */
  drained?(): Promise<void>;
  /** Stores remaining data, and releases resources. */
  close?(): Promise<void>;
}

/** Calls the parts of a shard in the order in which they were added; `close` in reverse. */
export interface ShardLifecycle {
  add<Part extends Lifecycle>(part: Part): Part;
  load(): Promise<void>;
  /** Starts the ticks. */
  begin(): void;
  listening(port: number): void;
  /** Calls all of them, and then rejects with the failures. */
  reload(reload: Reload): Promise<void>;
  drain(): void;
  finish(withinMs: number): Promise<void>;
  drained(): Promise<void>;
  /** Stops the ticks. */
  end(): void;
  close(): Promise<void>;
}

export function createShardLifecycle(timers: Timers): ShardLifecycle {
  const parts: Lifecycle[] = [];
  let ticking: Timer[] = [];

  return {
    add: (part) => {
      parts.push(part);
      return part;
    },
    load: async () => {
      await Promise.all(parts.map((part) => part.load?.()));
    },
    begin: () => {
      ticking = [
        timers.every(TICK_MS, () => {
          for (const part of parts) part.tick?.();
        }),
        timers.every(SECOND_MS, () => {
          for (const part of parts) part.everySecond?.();
        }),
      ];
    },
    listening: (port) => {
      for (const part of parts) part.listening?.(port);
    },
    reload: async (reload) => {
      const reloaded = await Promise.allSettled(parts.map(async (part) => part.reload?.(reload)));
      const failures = reloaded.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
      if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join("; "));
    },
    drain: () => {
      for (const part of parts) part.drain?.();
    },
    finish: async (withinMs) => {
      await Promise.all(parts.map((part) => part.finish?.(withinMs)));
    },
    drained: async () => {
      await Promise.all(parts.map((part) => part.drained?.()));
    },
    end: () => {
      for (const timer of ticking) timer.clear();
    },
    close: async () => {
      for (const part of [...parts].reverse()) await part.close?.();
    },
  };
}
