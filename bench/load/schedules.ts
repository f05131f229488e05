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

/** When a request begins, for its latencies. */
export interface Start {
  /** When it was written or, where it had to wait for a free connection, when it began to. */
  fromMs: number;
  /** When it should have left: what the generator itself is late is between the two. */
  dueMs: number;
}

export interface ScheduleOptions {
  task: LoadTask;
  measurement: Measurement;
  /** Writes the next request on a connection. */
  send(connection: HttpConnection, start: Start): void;
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
        send(connection, { fromMs: atMs, dueMs: atMs });
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
      send(connection, { fromMs: nowMs, dueMs: nowMs });
    },
    stop: () => {
      stopped = true;
    },
    underWay: () => underWay,
  };
}

/**
 * A fixed rate, whatever the server does: one that has to wait for a slow answer before it counts as slow itself (no coordinated omission). What the
 * generator is late by itself is no part of latencies: it shares its processors with the server, and its clock ticks once a millisecond. It is told apart.
 */
export function paced({ task, measurement, send }: ScheduleOptions): Schedule {
  const perMs = (task.ratePerSecond ?? 0) / 1_000;
  const sentMs = new Map<HttpConnection, { atMs: number }>();
  /** Taken in turn: one that rests for ten seconds is closed by the server. */
  const free = new Set<HttpConnection>();
  const backlog: Start[] = [];
  let backlogAt = 0;
  let startedMs = 0;
  let issued = 0;
  let underWay = 0;
  let timer: NodeJS.Timeout | null = null;

  function leave(connection: HttpConnection, start: Start): void {
    const sent = sentMs.get(connection);
    if (sent === undefined) throw new Error("a connection that is not of this schedule");
    sent.atMs = start.fromMs;
    underWay += 1;
    measurement.late(start.fromMs - start.dueMs);
    send(connection, start);
  }

  function tick(): void {
    const due = Math.floor((performance.now() - startedMs) * perMs);
    for (; issued < due; issued += 1) {
      const start = { fromMs: performance.now(), dueMs: startedMs + (issued + 1) / perMs };
      const [connection] = free;
      if (connection !== undefined) {
        free.delete(connection);
        leave(connection, start);
      } else if (backlog.length - backlogAt < BACKLOG_MAX) backlog.push(start);
      else throw new Error("the server does not keep up with the rate");
    }
    timer = setTimeout(tick, 1);
  }

  return {
    start: (connections) => {
      for (const connection of connections) {
        sentMs.set(connection, { atMs: 0 });
        free.add(connection);
      }
      startedMs = performance.now();
      tick();
    },
    answered: (connection, status) => {
      measurement.answered(status, performance.now() - (sentMs.get(connection)?.atMs ?? 0));
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
