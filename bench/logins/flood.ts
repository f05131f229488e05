/** Wrong passwords from one process, as fast as they are answered or on a fixed schedule. */
import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { basic, send } from "./request.ts";

export interface FloodTask {
  port: number;
  seconds: number;
  connections: number;
  /** Guesses a second of all connections together; null: as many as are answered. */
  perSecond: number | null;
  /** Addresses that they come from, in turn. */
  addresses: string[];
  /** Names that are tried, in turn. */
  usernames: string[];
  path: string;
}

export interface FloodAnswer {
  seconds: number;
  /** How many answers had each status. */
  statuses: { [status: number]: number };
}

async function flood(task: FloodTask): Promise<FloodAnswer> {
  const agent = new Agent({ keepAlive: true, maxSockets: task.connections });
  const startedAt = performance.now();
  const endsAt = startedAt + task.seconds * 1_000;
  const statuses: { [status: number]: number } = {};
  let sent = 0;
  const guesser = async () => {
    while (performance.now() < endsAt) {
      const index = sent++;
      if (task.perSecond !== null) {
        const dueAt = startedAt + (index * 1_000) / task.perSecond;
        if (dueAt > performance.now()) await delay(dueAt - performance.now());
      }
      const username = task.usernames[index % task.usernames.length] ?? "";
      const address = task.addresses[index % task.addresses.length] ?? "";
      const authorization = basic(username, `guess ${index}`);
      const { status } = await send({ port: task.port, agent, path: task.path, headers: { authorization, "x-forwarded-for": address } });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: task.connections }, guesser));
  agent.destroy();
  return { seconds: (performance.now() - startedAt) / 1_000, statuses };
}

process.on("message", (task: FloodTask) => {
  flood(task).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
