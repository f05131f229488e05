import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

const TICK_MS = 50;
const SECOND_MS = 1_000;

/** What a part of a shard does as the shard starts, runs and stops, as far as that concerns it. It reports failures that nobody waits for. */
export interface Lifecycle {
  /** Reads into memory what requests need; nothing is served before. */
  load?(): Promise<void>;
  listening?(port: number): void;
  /** Called every 50 ms or so. */
  tick?(): void;
  everySecond?(): void;
  /** The node is to stop: begins nothing new, and keeps nobody waiting. Not waited for. */
  drain?(): void;
  /** Stores what is left, and frees what it has. */
  close?(): Promise<void>;
}

/** Calls the parts of a shard in the order in which they were added; `close` in reverse. */
export interface ShardLifecycle {
  add<Part extends Lifecycle>(part: Part): Part;
  load(): Promise<void>;
  /** Begins the ticks. */
  begin(): void;
  listening(port: number): void;
  drain(): void;
  /** Ends the ticks. */
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
    drain: () => {
      for (const part of parts) part.drain?.();
    },
    end: () => {
      for (const timer of ticking) timer.clear();
    },
    close: async () => {
      for (const part of [...parts].reverse()) await part.close?.();
    },
  };
}
