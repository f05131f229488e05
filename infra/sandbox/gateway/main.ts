import { InvalidArgumentError, Option } from "commander";
import { commandLine } from "../../command-line.ts";
import { type Faults, type GatewayEvent, OPERATIONS, type Operation, SANDBOX_GATEWAY_ACCOUNT, SANDBOX_SECRET } from "./options.ts";
import { startSandboxGateway } from "./server.ts";

interface Flags {
  host: string;
  port: number;
  merchant: { [merId: string]: string };
  secret: string;
  state?: string;
  outage: Faults["outage"];
  outageOf: readonly Operation[];
  latencyMs: number;
  notifyDelayMs: number;
  notify: Faults["notify"];
  notifySignature: Faults["notifySignature"];
  endWithInput?: boolean;
  quiet?: boolean;
}

const command = commandLine("gateway")
  .description(
    "The sandbox card gateway: its protocol, a hosted payment page with test cards, notifications, and faults on purpose. See infra/sandbox/gateway/README.md.",
  )
  .option("--host <address>", "loopback address to listen on", "127.0.0.1")
  .option("--port <n>", "port; 0 takes a free one", portNumber, 8090)
  .option("--merchant <merId:secret>", "a merchant's own secret; may be given more than once", merchant, {
    [SANDBOX_GATEWAY_ACCOUNT.merchantId]: SANDBOX_GATEWAY_ACCOUNT.secret,
  })
  .option("--secret <text>", "secret of every other merchant", SANDBOX_SECRET)
  .option("--state <file>", "keep payments over a restart")
  .addOption(
    new Option("--outage <kind>", "what happens to requests").choices(["none", "refuse", "error", "hang", "drop_answer"]).default("none"),
  )
  .option("--outage-of <operations>", "operations that the outage is of, comma-separated", operations, OPERATIONS)
  .option("--latency-ms <n>", "how long each answer takes", count, 0)
  .option("--notify-delay-ms <n>", "how long after a payment its notification is sent", count, 0)
  .addOption(new Option("--notify <times>", "how often a notification is sent").choices(["once", "twice", "never"]).default("once"))
  .addOption(new Option("--notify-signature <kind>", "its signature").choices(["right", "wrong", "absent"]).default("right"))
  .option("--end-with-input", "end when the standard input closes; for a parent process")
  .option("--quiet", "print only the address");

const { host, port, merchant: merchants, secret, state, endWithInput, quiet, ...faults } = command.parse().opts<Flags>();
const gateway = await startSandboxGateway({
  ...{ host, port, merchants, secret, faults },
  ...(state === undefined ? {} : { stateFile: state }),
  onEvent: (event) => {
    if (event.type === "listening" || quiet !== true) process.stdout.write(`${lineOf(event)}\n`);
  },
}).catch((error: unknown) => command.error(`error: ${error instanceof Error ? error.message : error}`));
const stop = () => gateway.stop().then(() => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
if (endWithInput === true) process.stdin.on("end", stop).on("error", stop).resume();

function lineOf({ type, ...members }: GatewayEvent): string {
  return [type, ...Object.entries(members).map(([name, value]) => `${name}=${JSON.stringify(value)}`)].join(" ");
}

function count(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("A whole number.");
  return Number(text);
}

function portNumber(text: string): number {
  const port = count(text);
  if (port > 65_535) throw new InvalidArgumentError("A port is 0 to 65535.");
  return port;
}

function merchant(text: string, before: { [merId: string]: string }): { [merId: string]: string } {
  const [, merId, own] = /^([^:]{1,64}):(.+)$/.exec(text) ?? [];
  if (merId === undefined || own === undefined) throw new InvalidArgumentError("merId:secret");
  return { ...before, [merId]: own };
}

function operations(text: string): readonly Operation[] {
  const names = text.split(",");
  const known = OPERATIONS.filter((operation) => names.includes(operation));
  if (known.length !== names.length) throw new InvalidArgumentError(OPERATIONS.join(","));
  return known;
}
