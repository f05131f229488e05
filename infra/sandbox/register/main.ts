import { InvalidArgumentError } from "commander";
import { commandLine } from "../../command-line.ts";
import { payOnce, sentenceOf } from "./register.ts";

interface Flags {
  amount: number;
  host: string;
  port: number;
  currency: string;
  password: string;
  statusFrames: boolean;
  abortAfterMs?: number;
  waitMs: number;
}

const command = commandLine("register")
  .description(
    "A small cash register: pays one amount over ZVT, and prints the dialogue and the outcome. See infra/sandbox/register/README.md.",
  )
  .requiredOption("--amount <cents>", "amount in cents; its last two digits tell the simulated terminal how to end", amount)
  .option("--host <address>", "address of the terminal", "127.0.0.1")
  .option("--port <n>", "its port", portNumber, 40_007)
  .option("--currency <number>", "ISO 4217 number", digits(3, 4), "0978")
  .option("--password <digits>", "password of the registration", digits(6, 6), "000000")
  .option("--no-status-frames", "do not ask what the terminal does meanwhile")
  .option("--abort-after-ms <n>", "abort the payment after this time", count)
  .option("--wait-ms <n>", "how long the terminal may be silent", count, 180_000);

const { amount: amountCents, abortAfterMs, ...flags } = command.parse().opts<Flags>();
const outcome = await payOnce({
  ...flags,
  amountCents,
  ...(abortAfterMs === undefined ? {} : { abortAfterMs }),
  onLine: (line) => process.stdout.write(`${line}\n`),
}).catch((error: unknown) => command.error(`error: ${error instanceof Error ? error.message : error}`));
process.stdout.write(`${sentenceOf(outcome)}\n`);
if (outcome.type === "paid" || outcome.type === "notPaid") for (const line of outcome.slip) process.stdout.write(`  ${line}\n`);
process.exitCode = outcome.type === "paid" ? 0 : outcome.type === "unknown" ? 2 : 1;

function amount(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new InvalidArgumentError("Cents, a whole number of at most 12 digits.");
  return Number(text);
}

function portNumber(text: string): number {
  const port = count(text);
  if (port < 1 || port > 65_535) throw new InvalidArgumentError("A port is 1 to 65535.");
  return port;
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("A whole number.");
  return Number(text);
}

function digits(least: number, most: number): (text: string) => string {
  return (text) => {
    if (!/^\d+$/.test(text) || text.length < least || text.length > most) throw new InvalidArgumentError(`${most} digits.`);
    return text.padStart(most, "0");
  };
}
