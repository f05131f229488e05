import { setTimeout as delay } from "node:timers/promises";
import { answerTasks } from "./answer-tasks.ts";
import { HttpConnection } from "./http-connection.ts";
import { Lives } from "./lives.ts";
import { Measurement } from "./measurement.ts";
import { createPayments, PaymentTemplate } from "./payment-requests.ts";
import { pollRequests } from "./poll-requests.ts";
import { paced, type ScheduleOptions, saturated } from "./schedules.ts";
import type { LoadAnswer, LoadTask } from "./task.ts";
import { openSessions, type TerminalSession } from "./terminal-session.ts";
import { POLLING_TERMINALS, terminalId } from "./terminals.ts";

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
  const sleep = task.kind === "get" && task.sleeps !== true ? stayAwake() : () => {};
  try {
    const connected = Array.from({ length: task.sessions }, (_, index) => terminalId("connected", task.phase * 1_000_000 + index));
    const ended = (connection: HttpConnection, status: number) => schedule.answered(connection, status);
    const lives = task.kind === "life" ? livesOf(task, sessions, measurement, ended) : null;
    const send = lives === null ? senderOf(task, connected, measurement) : lives.begin.bind(lives);
    const schedule = (task.ratePerSecond === null ? saturated : paced)({ task, measurement, send });
    const told = { pushed: (counter: number) => (lives ?? measurement).pushed(counter), failed };
    const events = lives === null ? told : { ...told, recorded: (counter: number) => lives.recorded(counter) };
    await openSessions(task.sessionsPort ?? task.port, connected, sessions, () => events);
    const answered = lives === null ? schedule.answered : lives.answered.bind(lives);
    for (let index = 0; index < task.connections; index += 1) {
      connections.push(await HttpConnection.open(task.port, answered, failed));
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

function livesOf(
  { channel, sessions: connected, phase }: LoadTask,
  sessions: readonly TerminalSession[],
  measurement: Measurement,
  ended: (connection: HttpConnection, status: number) => void,
): Lives {
  if (channel === undefined) throw new Error("a life comes to its terminal by poll or by push");
  const terminals = channel === "push" ? connected : POLLING_TERMINALS;
  return new Lives({ channel, terminals, phase, measurement, sessions, ended });
}

async function settle(settled: () => boolean): Promise<void> {
  for (let steps = 0; steps < SETTLE_STEPS_MAX && !settled(); steps += 1) await delay(SETTLE_STEP_MS);
}

await answerTasks(measure);
