/** `npm run webhooks`: receives webhooks, prints each, and says whether its signatures hold. */
import { InvalidArgumentError } from "commander";
import { commandLine } from "../../command-line.ts";
import { lineOf, startReceiver } from "./receiver.ts";

interface Flags {
  host: string;
  port: number;
  secret: readonly string[];
  status: number;
}

const command = commandLine("webhooks")
  .description(
    "Receives webhooks and prints for each: when, its type, the ids of the event and of its object, how old it is, how often it came, and whether each of its signatures holds. See infra/docs/compat.md.",
  )
  .option("--host <address>", "address to listen on", "127.0.0.1")
  .option("--port <n>", "port; 0 takes a free one", portNumber, 4000)
  .option(
    "--secret <text>",
    "secret of an endpoint (whsec_...) or of a partner (sk_partner_...); may be given more than once",
    secretText,
    [],
  )
  .option("--status <n>", "status that every delivery is answered with", statusNumber, 200);

const options = command.parse().opts<Flags>();
const receiver = await startReceiver({
  ...{ host: options.host, port: options.port, secrets: options.secret, status: options.status },
  nowMs: Date.now,
  onDelivery: (delivery) => process.stdout.write(`${lineOf(delivery)}\n`),
}).catch((error: unknown) => command.error(`error: ${error instanceof Error ? error.message : error}`));
process.stdout.write(
  `listening on ${receiver.url}, answering ${options.status}; ${options.secret.length === 0 ? "no --secret: signatures are not checked" : `secrets: ${options.secret.length}`}\n`,
);
const stop = () => receiver.stop().then(() => process.exit(0));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);

function portNumber(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new InvalidArgumentError("A port is 0 to 65535.");
  return port;
}

function statusNumber(text: string): number {
  const status = /^\d{3}$/.test(text) ? Number(text) : Number.NaN;
  if (!(status >= 200 && status <= 599)) throw new InvalidArgumentError("A status is 200 to 599.");
  return status;
}

function secretText(text: string, before: readonly string[]): readonly string[] {
  // Not quoted: it may be a secret with a character too many.
  if (!/^(?:whsec|sk_partner)_\S+$/.test(text)) throw command.error("error: a key of webhooks begins with whsec_ or sk_partner_");
  return [...before, text];
}
