import { setTimeout as delay } from "node:timers/promises";
import { answerTasks } from "./answer-tasks.ts";
import { HttpConnection } from "./http-connection.ts";
import { LifeRequests, type SentPayment } from "./lives.ts";
import { watchTrees } from "./process-trees.ts";
import { Samples } from "./samples.ts";
import { paced, saturated } from "./schedules.ts";
import { LIFE_STEPS, type StepResult, type StepsAnswer, type StepsTask } from "./task.ts";
import { POLLING_TERMINALS } from "./terminals.ts";

const LOOK_MS = 5;

/** For all requests of one step. */
const STEP_MAX_MS = 60_000;

/** Takes lives step by step, each step of all lives before the next, and tells what each used. Rejects where a step does not come to its end. */
async function measure(task: StepsTask): Promise<StepsAnswer> {
  if (task.lives > POLLING_TERMINALS) throw new Error("there are not as many terminals");
  const requests = new LifeRequests("poll", POLLING_TERMINALS);
  const paid: SentPayment[] = [];
  let broken: Error | null = null;
  let answered: (connection: HttpConnection, status: number) => void = () => {};
  const connections: HttpConnection[] = [];

  function paidAt(index: number): SentPayment {
    const payment = paid[index];
    if (payment === undefined) throw new Error("there is no such payment");
    return payment;
  }

  async function take(step: string, send: (connection: HttpConnection, index: number) => void): Promise<StepResult> {
    const samples = new Samples();
    let [sent, unexpected] = [0, 0];
    const schedule = (task.ratePerSecond === null ? saturated : paced)({
      task,
      requestsMax: task.lives,
      measurement: {
        answered: (status, ms) => {
          samples.add(ms);
          if (status !== 200) unexpected += 1;
        },
        late: () => {},
      },
      send: (connection) => {
        send(connection, sent);
        sent += 1;
      },
    });
    answered = schedule.answered;
    const used = watchTrees(task.trees);
    const startedMs = performance.now();
    schedule.start(connections);
    while (samples.count < task.lives) {
      if (broken !== null) throw broken;
      if (performance.now() - startedMs > STEP_MAX_MS) throw new Error(`${step}: ${samples.count} of ${task.lives} were answered in time`);
      await delay(LOOK_MS);
    }
    const use = used();
    const perSecond = (task.lives / (performance.now() - startedMs)) * 1_000;
    schedule.stop();
    return { step, requests: task.lives, perSecond, answer: samples.summary(), use, unexpected };
  }

  const senders = [
    (connection: HttpConnection) => paid.push(requests.pay(connection, 0)),
    (connection: HttpConnection, index: number) => requests.poll(connection, paidAt(index)),
    (connection: HttpConnection, index: number) => requests.result(connection, paidAt(index)),
  ];
  try {
    for (let index = 0; index < task.connections; index += 1) {
      const failed = (error: Error) => {
        broken ??= error;
      };
      connections.push(await HttpConnection.open(task.port, (connection, status) => answered(connection, status), failed));
    }
    const steps: StepResult[] = [];
    for (const [index, step] of LIFE_STEPS.poll.entries()) {
      const send = senders[index];
      if (send !== undefined) steps.push(await take(step, send));
    }
    const used = watchTrees(task.trees);
    await delay(task.restMs);
    return { type: "steps", steps, rest: used() };
  } finally {
    for (const connection of connections) connection.close();
  }
}

await answerTasks(measure);
