import { numberBetween } from "../../bench/argument.ts";
import { commandLine } from "../../infra/command-line.ts";

export interface TrialOptions {
  /** How often all nodes are killed and started at once. */
  rounds: number;
  /** Load before each fault, and after the last one. */
  seconds: number;
  perSecond: number;
  redisPauseSeconds: number;
  kafkaOutageSeconds: number;
  /** From the last result to the look at all of them. */
  settleSeconds: number;
}

/** Reads the command line; ends the process with a message where it is wrong, or asks for help. */
export function readTrialOptions(argv: readonly string[]): TrialOptions {
  return commandLine("test:trial")
    .description(
      "Three nodes over Redis, Kafka and ClickHouse, through faults under load; ends with 1 and the uuids where a promise was broken.",
    )
    .option("--rounds <n>", "how often all nodes are killed with -9 and started at once", numberBetween(0, 100), 6)
    .option("--seconds <n>", "load before each fault, and after the last one", numberBetween(1, 3_600), 20)
    .option("--per-second <n>", "payments a second", numberBetween(1, 500), 40)
    .option("--redis-pause-seconds <n>", "how long Redis stands still (SIGSTOP)", numberBetween(0, 60), 8)
    .option("--kafka-outage-seconds <n>", "how long Kafka is away (kill -9)", numberBetween(0, 600), 30)
    .option(
      "--settle-seconds <n>",
      "from the last result to the look at all of them; a sent command's time is over after 300, so less than 330 proves little",
      numberBetween(0, 86_400),
      600,
    )
    .parse(argv, { from: "user" })
    .opts<TrialOptions>();
}
