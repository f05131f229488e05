/** `npm run infra:down`: stops what `npm run infra:up` started, and nothing else. Data stays. */
import { resolve } from "node:path";
import { commandLine } from "../command-line.ts";
import { servicesDown } from "./services.ts";

const program = commandLine("infra:down")
  .description("Stops the Redis, Kafka and ClickHouse that infra:up started.")
  .option("--dir <folder>", "the folder given to infra:up", "data/infra");

const { dir } = program.parse().opts<{ dir: string }>();
const stopped = await servicesDown(resolve(dir));
console.log(stopped.length === 0 ? "nothing was running" : `stopped: ${stopped.join(", ")}`);
