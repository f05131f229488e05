import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { HttpConnection } from "./http-connection.ts";
import { Measurement } from "./measurement.ts";
import { createPayments, PaymentTemplate } from "./payment-requests.ts";
import { pollRequests } from "./poll-requests.ts";
import { paced, type ScheduleOptions, saturated } from "./schedules.ts";
import type { LoadAnswer, LoadTask } from "./task.ts";
import { TerminalSession } from "./terminal-session.ts";
import { POLLING_TERMINALS, terminalId } from "./terminals.ts";

/** Sessions that are opened at once. */
const OPENING_AT_ONCE = 50;

/** What is under way when a measurement ends has this long to be answered. */
const SETTLE_STEP_MS = 50;
const SETTLE_STEPS_MAX = 60;

/**
 * Keeps this process from sleeping until it is called off. A server that answers a client asleep pays for waking it: an interrupt to another core, on
 * virtual machines a quarter of a poll. Clients on other machines cost it no such thing, so the slower of two servers would look slower still.
 */
function stayAwake(): () => void {
  let awake = true;
  const again = () => {
    if (awake) setImmediate(again);
  };
  again();
  return () => {
    awake = false;
  };
}

/** The process that makes the load: it gets one task after another from its parent and ends with it. */
const polls = new Map<number, () => Uint8Array>();

function pollsOf(terminals: number): () => Uint8Array {
  const known = polls.get(terminals) ?? pollRequests(terminals);
  polls.set(terminals, known);
  return known;
}

async function measure(task: LoadTask): Promise<LoadAnswer> {
  const measurement = new Measurement(task);
  let broken: Error | null = null;
  let finished = false;
  const failed = (error: Error) => {
    if (!finished) broken ??= error;
  };
  const sessions: TerminalSession[] = [];
  const connections: HttpConnection[] = [];
  // Payments leave the generator's core to the store's own threads, which the relay needs to answer.
  const sleep = task.kind === "get" ? stayAwake() : () => {};
  try {
    const connected = Array.from({ length: task.sessions }, (_, index) => terminalId("connected", task.phase * 1_000_000 + index));
    await openSessions(task.sessionsPort ?? task.port, connected, sessions, (counter) => measurement.pushed(counter), failed);
    const schedule = (task.ratePerSecond === null ? saturated : paced)({ task, measurement, send: senderOf(task, connected, measurement) });
    for (let index = 0; index < task.connections; index += 1) {
      connections.push(await HttpConnection.open(task.port, schedule.answered, failed));
    }
    schedule.start(connections);
    await delay(task.warmUpMs);
    measurement.start(task);
    await delay(task.measureMs);
    measurement.stop();
    schedule.stop();
    await settle(() => broken !== null || (schedule.underWay() === 0 && measurement.awaitedPushes === 0));
    finished = true;
    if (broken !== null) throw broken;
    const result = measurement.result({ withPushes: task.sessions > 0, scheduled: task.ratePerSecond !== null });
    return { type: "measured", result, startedAtMs: measurement.startedAtMs, slowPushes: measurement.slowPushes };
  } finally {
    finished = true;
    sleep();
    for (const connection of connections) connection.close();
    for (const session of sessions) session.close();
  }
}

function senderOf(task: LoadTask, connected: readonly string[], measurement: Measurement): ScheduleOptions["send"] {
  if (task.kind === "get") {
    const next = pollsOf(task.terminals ?? POLLING_TERMINALS);
    return (connection) => connection.send(next());
  }
  const payments = createPayments(connected);
  const templates = new Map<HttpConnection, PaymentTemplate>();
  return (connection, start) => {
    let template = templates.get(connection);
    if (template === undefined) {
      template = new PaymentTemplate();
      templates.set(connection, template);
    }
    const { counter, pushed } = payments.next(template);
    if (pushed) measurement.awaitPush(counter, start);
    connection.send(template.bytes);
  };
}

async function openSessions(
  port: number,
  ids: readonly string[],
  sessions: TerminalSession[],
  pushed: (counter: number) => void,
  failed: (error: Error) => void,
): Promise<void> {
  for (let from = 0; from < ids.length; from += OPENING_AT_ONCE) {
    const some = ids.slice(from, from + OPENING_AT_ONCE);
    sessions.push(...(await Promise.all(some.map((id, index) => TerminalSession.open(port, id, from + index, pushed, failed)))));
  }
}

async function settle(settled: () => boolean): Promise<void> {
  for (let steps = 0; steps < SETTLE_STEPS_MAX && !settled(); steps += 1) await delay(SETTLE_STEP_MS);
}

async function main(): Promise<void> {
  for (;;) {
    const task: LoadTask = (await once(process, "message"))[0];
    let answer: LoadAnswer;
    try {
      answer = await measure(task);
    } catch (error) {
      answer = { type: "failed", reason: error instanceof Error ? error.message : String(error) };
    }
    process.send?.(answer);
  }
}

process.on("disconnect", () => process.exit(0));
await main();
