import type { HttpConnection } from "./http-connection.ts";
import type { Measurement, Start } from "./measurement.ts";
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
  task: Pick<LoadTask, "ratePerSecond">;
  measurement: Pick<Measurement, "answered" | "late">;
  /** So many leave; without it they do until it is stopped. */
  requestsMax?: number;
  /** Writes the next request on a connection. */
  send(connection: HttpConnection, start: Start): void;
}

/** As much as the server answers: each connection sends its next request when it has the answer. */
export function saturated({ measurement, send, requestsMax = Number.POSITIVE_INFINITY }: ScheduleOptions): Schedule {
  const started = new Map<HttpConnection, Start>();
  let stopped = false;
  let underWay = 0;
  let issued = 0;

  function leave(connection: HttpConnection, atMs: number): void {
    const start = { fromMs: atMs, dueMs: atMs };
    started.set(connection, start);
    issued += 1;
    send(connection, start);
  }

  return {
    start: (connections) => {
      for (const connection of connections) {
        if (issued === requestsMax) return;
        underWay += 1;
        leave(connection, performance.now());
      }
    },
    answered: (connection, status) => {
      const nowMs = performance.now();
      const start = started.get(connection);
      if (start === undefined) throw new Error("an answer that nobody asked for");
      measurement.answered(status, nowMs - start.fromMs);
      if (stopped || issued === requestsMax) underWay -= 1;
      else leave(connection, nowMs);
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
export function paced({ task, measurement, send, requestsMax = Number.POSITIVE_INFINITY }: ScheduleOptions): Schedule {
  const perMs = (task.ratePerSecond ?? 0) / 1_000;
  const started = new Map<HttpConnection, Start>();
  /** Taken in turn: one that rests for ten seconds is closed by the server. */
  const free = new Set<HttpConnection>();
  const backlog: Start[] = [];
  let backlogAt = 0;
  let startedMs = 0;
  let issued = 0;
  let underWay = 0;
  let timer: NodeJS.Timeout | null = null;

  function leave(connection: HttpConnection, start: Start): void {
    started.set(connection, start);
    underWay += 1;
    measurement.late(start.fromMs - start.dueMs);
    send(connection, start);
  }

  function tick(): void {
    const due = Math.min(requestsMax, Math.floor((performance.now() - startedMs) * perMs));
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
      for (const connection of connections) free.add(connection);
      startedMs = performance.now();
      tick();
    },
    answered: (connection, status) => {
      const start = started.get(connection);
      if (start === undefined) throw new Error("an answer that nobody asked for");
      measurement.answered(status, performance.now() - start.fromMs);
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
