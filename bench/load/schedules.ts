import type { HttpConnection } from "./http-connection.ts";
import type { Measurement } from "./measurement.ts";
import type { LoadTask } from "./task.ts";

/** Requests that are due and wait for a free connection; a server so far behind will not catch up. */
const BACKLOG_MAX = 200_000;

/** When requests leave. */
export interface Schedule {
  start(connections: readonly HttpConnection[]): void;
  answered(connection: HttpConnection, status: number): void;
  /** Nothing leaves any more; what is under way may still be answered. */
  stop(): void;
  underWay(): number;
}

export interface ScheduleOptions {
  task: LoadTask;
  measurement: Measurement;
  /** Writes the next request on a connection; latencies of it count from `fromMs`. */
  send(connection: HttpConnection, fromMs: number): void;
}

/** As much as the server answers: each connection sends its next request when it has the answer. */
export function saturated({ measurement, send }: ScheduleOptions): Schedule {
  const sentMs = new Map<HttpConnection, { atMs: number }>();
  let stopped = false;
  let underWay = 0;
  return {
    start: (connections) => {
      for (const connection of connections) {
        const atMs = performance.now();
        sentMs.set(connection, { atMs });
        underWay += 1;
        send(connection, atMs);
      }
    },
    answered: (connection, status) => {
      const nowMs = performance.now();
      const sent = sentMs.get(connection);
      if (sent === undefined) throw new Error("an answer that nobody asked for");
      measurement.answered(status, nowMs - sent.atMs);
      if (stopped) {
        underWay -= 1;
        return;
      }
      sent.atMs = nowMs;
      send(connection, nowMs);
    },
    stop: () => {
      stopped = true;
    },
    underWay: () => underWay,
  };
}

/**
 * A fixed rate, whatever the server does: latencies count from the moment a request was due, so that one that had to wait for a slow
 * answer before it is counted as slow itself (no coordinated omission).
 */
export function paced({ task, measurement, send }: ScheduleOptions): Schedule {
  const perMs = (task.ratePerSecond ?? 0) / 1_000;
  const dueMs = new Map<HttpConnection, { atMs: number }>();
  /** Taken in turn: one that rests for ten seconds is closed by the server. */
  const free = new Set<HttpConnection>();
  const backlog: number[] = [];
  let backlogAt = 0;
  let startedMs = 0;
  let issued = 0;
  let underWay = 0;
  let timer: NodeJS.Timeout | null = null;

  function leave(connection: HttpConnection, atMs: number): void {
    const due = dueMs.get(connection);
    if (due === undefined) throw new Error("a connection that is not of this schedule");
    due.atMs = atMs;
    underWay += 1;
    measurement.late(performance.now() - atMs);
    send(connection, atMs);
  }

  function tick(): void {
    const due = Math.floor((performance.now() - startedMs) * perMs);
    for (; issued < due; issued += 1) {
      const atMs = startedMs + (issued + 1) / perMs;
      const [connection] = free;
      if (connection !== undefined) {
        free.delete(connection);
        leave(connection, atMs);
      } else if (backlog.length - backlogAt < BACKLOG_MAX) backlog.push(atMs);
      else throw new Error("the server does not keep up with the rate");
    }
    timer = setTimeout(tick, 1);
  }

  return {
    start: (connections) => {
      for (const connection of connections) {
        dueMs.set(connection, { atMs: 0 });
        free.add(connection);
      }
      startedMs = performance.now();
      tick();
    },
    answered: (connection, status) => {
      measurement.answered(status, performance.now() - (dueMs.get(connection)?.atMs ?? 0));
      underWay -= 1;
      const waiting = backlog[backlogAt];
      if (waiting === undefined || timer === null) {
        free.add(connection);
        return;
      }
      backlogAt += 1;
      leave(connection, waiting);
    },
    stop: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
    underWay: () => underWay,
  };
}
