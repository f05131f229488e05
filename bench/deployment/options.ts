import { resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { isTerminalId } from "../../engine/kernel/identifiers.ts";
import { QUEUED_OF_SENDER_MAX, SENT_OF_SENDER_MAX } from "../../engine/kernel/limits.ts";
import { isLoopbackHost } from "../../http/auth/loopback-host.ts";
import { commandLine } from "../../infra/command-line.ts";
import { numberBetween } from "../argument.ts";

/** What runs; infra/docs/load.md says what each shows. */
export const SCENARIOS = ["pay-get", "reconnect-storm", "slow-terminals", "rate-limited", "roll-out"] as const;
export type Scenario = (typeof SCENARIOS)[number];

export interface LoadOptions {
  /** Origin of the relay, or of the proxy before it. */
  url: string;
  /** A partner's API key. */
  key: string;
  /** RELAY_TERMINAL_SECRET of the deployment, from which the terminals' passwords are derived. */
  terminalSecret: string;
  scenario: Scenario;
  terminals: number;
  terminalPrefix: string;
  /** Shares, from 0 to 1: of terminals that poll, of requests that are scans. */
  pollShare: number;
  scanShare: number;
  pollIntervalMs: number;
  /** Payments and scans a second, all together. */
  ratePerSecond: number;
  /** All of it, with the ramp. */
  forMs: number;
  rampMs: number;
  /** How long a terminal takes for a command. */
  answerMs: number;
  /** In `slow-terminals`: which share of each kind of terminals takes how long. */
  slowShare: number;
  slowAnswerMs: number;
  /** In `reconnect-storm`: how long it is from one to the next. */
  stormEveryMs: number;
  /** In `roll-out`: which share of the terminals takes the update, else 0; of how many bytes, in parts of how many. */
  updateShare: number;
  packageBytes: number;
  partBytes: number;
  /** How often each terminal asks for a version, and how long an install takes. */
  checkIntervalMs: number;
  installMs: number;
  /** Who deploys; null in other scenarios. */
  administrator: { username: string; password: string } | null;
  outDirectory: string;
}

/** Known to everyone who has read the README; production accepts neither. */
const SANDBOX = { key: "pk_live_sandbox_0000000000000000000000000000", terminalSecret: "sandbox-terminal-secret", administrator: "admin" };

/** Payments of one run: a few bytes are kept of each until its end. */
const PAYMENTS_MAX = 5_000_000;

/** As many as a partner's rates can be raised to, and those of its address. */
const RATE_MAX = 1_010;

const TERMINALS_MAX = 20_000;

/** Each has two deployments of its own, and a relay holds 5,000 targets at most. */
const UPDATED_MAX = 2_000;

/** A package is in this process's memory. */
const PACKAGE_MEBIBYTES_MAX = 200;
const MEBIBYTE = 1_048_576;

/** Digits that number the terminals, behind their prefix. */
export const TERMINAL_DIGITS = 5;

const HOUR_MS = 3_600_000;

/** Reads the command line and the environment; ends the process with a message and code 1 where something is wrong, or asks for help. */
export function readOptions(argv: readonly string[], environment: NodeJS.ProcessEnv): LoadOptions {
  const command: Command = commandLine("load")
    .description(
      "A load test of a relay that runs: terminals that answer, partners that pay and look up, on a schedule that waits for nobody. See infra/docs/load.md. " +
        "RELAY_LOAD_KEY is a partner's API key, RELAY_LOAD_TERMINAL_SECRET the relay's RELAY_TERMINAL_SECRET; on loopback those of the sandbox are the default. " +
        "The roll-out wants an administrator as well: RELAY_LOAD_ADMIN_USERNAME and RELAY_LOAD_ADMIN_PASSWORD.",
    )
    .option("--url <url>", "the relay, or the proxy before it", origin, "http://127.0.0.1:8080")
    .option("--yes", "it may be another machine than this one", false)
    .option("--key <key>", "a partner's API key, which other users of this machine can read here: better RELAY_LOAD_KEY")
    .addOption(new Option("--scenario <name>", "what is tried").choices(SCENARIOS).default("pay-get"))
    .option("--terminals <n>", "terminals", numberBetween(1, TERMINALS_MAX), 20)
    .option("--terminal-prefix <text>", "their ids begin with it", terminalPrefix, "LOAD")
    .option("--poll <share>", "of them poll, the others have a WebSocket", share, 0.2)
    .option("--poll-every <time>", "each of them polls so often", duration(100, 60_000), 2_000)
    .option(
      "--rate <n>",
      "payments and scans a second (8; rate-limited: three times what is allowed)",
      numberBetween(0.1, 10 * RATE_MAX, false),
    )
    .option("--for <time>", "how long, the ramp included", duration(1_000, 24 * HOUR_MS), 30_000)
    .option("--ramp <time>", "the rate rises from zero for so long", duration(0, 24 * HOUR_MS), 0)
    .option("--answer <time>", "a terminal takes so long for a command", duration(0, 60_000), 1_000)
    .option("--scan <share>", "of all requests are scans", share, 0)
    .option("--slow <share>", "slow-terminals: of the terminals are slow", share, 0.2)
    .option("--slow-answer <time>", "slow-terminals: they take so long", duration(0, 60_000), 20_000)
    .option("--storm-every <time>", "reconnect-storm: all WebSockets are cut so often", duration(1_000, HOUR_MS), 20_000)
    .option("--update <share>", "roll-out: of the terminals take the update", share, 0.5)
    .option("--package <MiB>", "roll-out: the package is so large", numberBetween(0.001, PACKAGE_MEBIBYTES_MAX, false), 4)
    .option("--part <MiB>", "roll-out: it is downloaded in ranges of this size", numberBetween(0.001, PACKAGE_MEBIBYTES_MAX, false), 1)
    .option("--check-every <time>", "roll-out: each terminal asks for a version so often", duration(100, HOUR_MS), 5_000)
    .option("--install <time>", "roll-out: a terminal takes so long to install it", duration(0, 60_000), 2_000)
    .option("--out <folder>", "where results are written", "data/load");
  const flags = command.parse([...argv]).opts<Flags>();
  const isHere = isLoopbackHost(new URL(flags.url).host);
  if (!isHere && !flags.yes) command.error(`error: this sends payments to ${flags.url}. If that is what you want, say --yes`);
  const key = flags.key ?? textOf(environment["RELAY_LOAD_KEY"]) ?? (isHere ? SANDBOX.key : undefined);
  if (key === undefined) command.error("error: RELAY_LOAD_KEY has to be a partner's API key");
  if (!/^[\x21-\x7e]+$/.test(key)) command.error("error: the API key has characters that no key has");
  const terminalSecret = textOf(environment["RELAY_LOAD_TERMINAL_SECRET"]) ?? (isHere ? SANDBOX.terminalSecret : undefined);
  if (terminalSecret === undefined) command.error("error: RELAY_LOAD_TERMINAL_SECRET has to be the relay's RELAY_TERMINAL_SECRET");
  const administrator = flags.scenario === "roll-out" ? administratorOf(environment, isHere) : null;
  if (administrator === "missing")
    command.error(
      "error: --scenario roll-out wants an administrator with the role operator: RELAY_LOAD_ADMIN_USERNAME and RELAY_LOAD_ADMIN_PASSWORD",
    );
  const options: LoadOptions = {
    url: flags.url,
    key,
    terminalSecret,
    scenario: flags.scenario,
    terminals: flags.terminals,
    terminalPrefix: flags.terminalPrefix,
    pollShare: flags.poll,
    scanShare: flags.scan,
    pollIntervalMs: flags.pollEvery,
    ratePerSecond: flags.rate ?? (flags.scenario === "rate-limited" ? 0 : 8),
    forMs: flags.for,
    rampMs: flags.ramp,
    answerMs: flags.answer,
    slowShare: flags.scenario === "slow-terminals" ? flags.slow : 0,
    slowAnswerMs: flags.slowAnswer,
    stormEveryMs: flags.stormEvery,
    updateShare: flags.scenario === "roll-out" ? flags.update : 0,
    packageBytes: Math.ceil(flags.package * MEBIBYTE),
    partBytes: Math.ceil(flags.part * MEBIBYTE),
    checkIntervalMs: flags.checkEvery,
    installMs: flags.install,
    administrator,
    outDirectory: resolve(flags.out),
  };
  const problem = problemOf(options);
  if (problem !== null) command.error(`error: ${problem}`);
  return options;
}

interface Flags {
  url: string;
  yes: boolean;
  key?: string;
  scenario: Scenario;
  terminals: number;
  terminalPrefix: string;
  poll: number;
  pollEvery: number;
  rate?: number;
  for: number;
  ramp: number;
  answer: number;
  scan: number;
  slow: number;
  slowAnswer: number;
  stormEvery: number;
  update: number;
  package: number;
  part: number;
  checkEvery: number;
  install: number;
  out: string;
}

/** What makes these options no load test of a relay, or null. */
function problemOf(options: LoadOptions): string | null {
  const { ratePerSecond, forMs, rampMs, scenario, pollShare, scanShare } = options;
  if (rampMs > forMs) return "--ramp is longer than --for";
  if ((ratePerSecond * forMs) / 1_000 > PAYMENTS_MAX) return `a run has at most ${PAYMENTS_MAX} payments: lower --rate or --for`;
  // Nobody would be refused what is asked of them.
  if (scenario === "rate-limited")
    return scanShare === 0 ? null : "--scenario rate-limited asks for payments alone: --scan has a limit of its own";
  if (ratePerSecond > RATE_MAX) return `a partner may be allowed at most ${RATE_MAX} payments a second`;
  if (scenario === "reconnect-storm" && pollShare === 1) return "--scenario reconnect-storm wants terminals with a WebSocket: lower --poll";
  if (scenario === "roll-out") {
    const updated = Math.floor(options.terminals * options.updateShare);
    if (updated < 1) return "--scenario roll-out wants terminals that take the update: raise --update or --terminals";
    if (updated > UPDATED_MAX) return `a roll-out of a load test has at most ${UPDATED_MAX} terminals: lower --update`;
  }
  const least = leastTerminals(options);
  if (options.terminals < least)
    return `${options.terminals} terminals are too few for this rate: a relay lets one sender have so many commands at a terminal. At least --terminals ${least}`;
  return null;
}

/** So many that at each of them half of a sender's places are enough: payments do not come evenly to a terminal that polls, or was away. */
export function leastTerminals({ ratePerSecond, answerMs, slowShare, slowAnswerMs, pollShare, pollIntervalMs }: LoadOptions): number {
  const answeredMs = slowShare > 0 ? Math.max(answerMs, slowAnswerMs) : answerMs;
  const atWork = ((ratePerSecond * answeredMs) / 1_000 / SENT_OF_SENDER_MAX) * 2;
  const waiting = pollShare > 0 ? ((ratePerSecond * pollIntervalMs) / 1_000 / QUEUED_OF_SENDER_MAX) * 2 : 0;
  return Math.max(1, Math.ceil(atWork), Math.ceil(waiting));
}

/** The sandbox's own is the default on loopback, but never half of it. */
function administratorOf(environment: NodeJS.ProcessEnv, isHere: boolean): LoadOptions["administrator"] | "missing" {
  const username = textOf(environment["RELAY_LOAD_ADMIN_USERNAME"]);
  const password = textOf(environment["RELAY_LOAD_ADMIN_PASSWORD"]);
  if (username !== undefined && password !== undefined) return { username, password };
  const isGiven = username !== undefined || password !== undefined;
  return isHere && !isGiven ? { username: SANDBOX.administrator, password: SANDBOX.administrator } : "missing";
}

function textOf(value: string | undefined): string | undefined {
  return value === "" ? undefined : value;
}

function origin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.pathname !== "/" ||
    url.search !== "" ||
    url.hash !== "" ||
    url.username !== ""
  )
    throw new InvalidArgumentError("http:// or https://, a host and perhaps a port, nothing else.");
  return url.origin;
}

function terminalPrefix(text: string): string {
  if (isTerminalId(text) && text.length <= 32) return text;
  throw new InvalidArgumentError("1 to 32 letters, digits, dots, underscores or dashes.");
}

const UNITS_MS: { readonly [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: HOUR_MS };

/** Reads `10m`, `1.5s`, `200ms`, `1h`, as whole milliseconds. */
export function duration(leastMs: number, mostMs: number): (text: string) => number {
  return (text) => {
    const [, number = "", unit = ""] = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(text) ?? [];
    const ms = Math.round(Number(number) * (UNITS_MS[unit] ?? Number.NaN));
    if (number !== "" && ms >= leastMs && ms <= mostMs) return ms;
    throw new InvalidArgumentError(`A number with ms, s, m or h, from ${leastMs} ms to ${mostMs} ms: 200ms, 30s, 10m.`);
  };
}

/** Reads `20%` as 0.2. */
export function share(text: string): number {
  const [, number = ""] = /^(\d{1,3}(?:\.\d{1,3})?)%$/.exec(text) ?? [];
  if (number !== "" && Number(number) <= 100) return Number(number) / 100;
  throw new InvalidArgumentError("From 0% to 100%.");
}
