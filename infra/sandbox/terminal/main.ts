import { InvalidArgumentError, Option } from "commander";
import { isTerminalId } from "../../../engine/kernel/identifiers.ts";
import { isTerminalFamily, TERMINAL_FAMILIES } from "../../../engine/payments/tags.ts";
import { commandLine } from "../../command-line.ts";
import type { SimulatedTerminalOptions, TerminalEvent } from "./options.ts";
import { startSimulatedTerminal } from "./terminal.ts";

interface Flags {
  id: string;
  poll?: boolean;
  url: string;
  username: string;
  password: string;
  family?: string;
  redeliver?: boolean;
  ack: "auto" | "client" | "client-individual";
  latencyMs: number;
  slowMs: number;
  lateAfterMs: number;
  scanValue: string;
  scanFormat: string;
  scanOutcome: "ok" | "cancelled" | "error";
  state?: string;
  speed: number;
  quiet?: boolean;
}

const command = commandLine("terminal")
  .description("A simulated payment terminal. The last two digits of the amount decide the outcome; see infra/sandbox/terminal/README.md.")
  .requiredOption("--id <id>", "terminal id", terminalId)
  .option("--poll", "poll for commands instead of holding a WebSocket")
  .option("--url <url>", "base address of the relay", address, "http://127.0.0.1:8080")
  .option("--username <name>", "login", "terminal")
  .option("--password <password>", "password", "terminal")
  .addOption(new Option("--family <name>", "terminal family").choices(Object.keys(TERMINAL_FAMILIES)))
  .option("--redeliver", "declare that uuids are remembered (ack client-individual, redeliver same-uuid)")
  .addOption(new Option("--ack <mode>", "ack mode").choices(["auto", "client", "client-individual"]).default("auto"))
  .option("--latency-ms <n>", "how long a command takes", milliseconds, 1_000)
  .option("--slow-ms <n>", "how long a slow payment takes", milliseconds, 10_000)
  .option("--late-after-ms <n>", "when a late result is posted", milliseconds, 310_000)
  .option("--scan-value <text>", "what a scan finds", "4006381333931")
  .option("--scan-format <format>", "its barcode format", "EAN_13")
  .addOption(new Option("--scan-outcome <outcome>", "how a scan ends").choices(["ok", "cancelled", "error"]).default("ok"))
  .option("--no-slips", "send no slips with the results of payments")
  .option("--state <file>", "keep results and seen uuids over a restart")
  .option("--speed <factor>", "divide all waits", speed, 1)
  .option("--quiet", "print nothing");

const { id, poll, family, state, quiet, ...rest } = command.parse().opts<Flags>();
const options: SimulatedTerminalOptions = {
  ...rest,
  terminalId: id,
  link: poll === true ? "poll" : "websocket",
  ...(family !== undefined && isTerminalFamily(family) ? { family } : {}),
  ...(state === undefined ? {} : { stateFile: state }),
  onEvent: (event) => {
    if (quiet !== true) process.stdout.write(`${new Date().toISOString()} ${id} ${lineOf(event)}\n`);
  },
};
const terminal = await startSimulatedTerminal(options).catch((error: unknown) =>
  command.error(`error: ${error instanceof Error ? error.message : error}`),
);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => terminal.stop().then(() => process.exit(0)));
}

function lineOf({ type, ...members }: TerminalEvent): string {
  return [type, ...Object.entries(members).map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join(" ");
}

function terminalId(text: string): string {
  if (!isTerminalId(text)) throw new InvalidArgumentError("1 to 64 letters, digits, dots, underscores or dashes.");
  return text;
}

function address(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new InvalidArgumentError("http:// or https://, a host and a port.");
}

function milliseconds(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("Milliseconds, a whole number.");
  return Number(text);
}

function speed(text: string): number {
  const factor = Number(text);
  if (!(factor > 0 && factor <= 1_000_000)) throw new InvalidArgumentError("A number above 0.");
  return factor;
}
