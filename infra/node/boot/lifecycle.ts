import type { Timer, Timers } from "../../../engine/kernel/timers.ts";

const TICK_MS = 50;
const SECOND_MS = 1_000;

/** What a subject of a shard does as the shard lives; it leaves out what it has no part in. Failures that nobody waits for it tells by itself. */
export interface Living {
  /** Reads into memory what requests need; nothing is served before. */
  load?(): Promise<void>;
  listening?(port: number): void;
  /** Called every 50 ms or so. */
  tick?(): void;
  everySecond?(): void;
  /** The node is to stop: begins nothing new, and keeps nobody waiting. Not waited for. */
  drain?(): void;
  /** Stores what is left, and lets go. */
  close?(): Promise<void>;
}

/** The moments of a shard's life, told to its subjects in the order in which they were added; `close` in reverse. */
export interface ShardLife {
  add<Subject extends Living>(subject: Subject): Subject;
  load(): Promise<void>;
  /** Begins the ticks. */
  begin(): void;
  listening(port: number): void;
  drain(): void;
  /** Ends the ticks. */
  end(): void;
  close(): Promise<void>;
}

export function createShardLife(timers: Timers): ShardLife {
  const subjects: Living[] = [];
  let ticking: Timer[] = [];

  return {
    add: (subject) => {
      subjects.push(subject);
      return subject;
    },
    load: async () => {
      await Promise.all(subjects.map((subject) => subject.load?.()));
    },
    begin: () => {
      ticking = [
        timers.every(TICK_MS, () => {
          for (const subject of subjects) subject.tick?.();
        }),
        timers.every(SECOND_MS, () => {
          for (const subject of subjects) subject.everySecond?.();
        }),
      ];
    },
    listening: (port) => {
      for (const subject of subjects) subject.listening?.(port);
    },
    drain: () => {
      for (const subject of subjects) subject.drain?.();
    },
    end: () => {
      for (const timer of ticking) timer.clear();
    },
    close: async () => {
      for (const subject of [...subjects].reverse()) await subject.close?.();
    },
  };
}
