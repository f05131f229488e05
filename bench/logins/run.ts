import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLine } from "../../infra/command-line.ts";
import { numberBetween } from "../argument.ts";
import { forkChild } from "../load/child.ts";
import { type Latencies, latenciesOf } from "../load/latencies.ts";
import { startRelay } from "../load/relay.ts";
import { paysOnSchedule } from "../load/scheduled-pays.ts";
import { writeResultFiles } from "../result-files.ts";
import { ROOT } from "../root.ts";
import type { FloodAnswer, FloodTask } from "./flood.ts";
import { basic, send } from "./request.ts";

const ADMIN = { username: "admin", password: "the administrators password" };
const HOME = "192.0.2.1";
const ATTACKER = "198.51.100.1";

/** New partners that log in under the flood, one after the other. */
const PARTNERS = 12;

/** Of the floods on a schedule: many more than anybody should check, few enough to leave the node room. */
const STEADY_PER_SECOND = 300;
const CONNECTIONS = 64;
const PAYS_PER_SECOND = 200;

/** An endpoint without a rate limit: who may ask is told that there is no such command. */
const PATH = "/api/v1/commands/00000000-0000-4000-8000-000000000000";
const ADMITTED = 404;

interface Options {
  before: string | undefined;
  seconds: number;
}

interface Guessed {
  answered: number;
  checked: number;
  rightIsAnswered: boolean;
  statuses: FloodAnswer["statuses"];
}

interface Result {
  oneAddress: Guessed;
  one64: Guessed;
  partnersQuiet: Latencies & { refused: number };
  partnersOneAddress: Latencies & { refused: number };
  partnersOne64: Latencies & { refused: number };
  administrator: Latencies & { refused: number };
  payQuiet: Latencies & { failed: number };
  payFlood: Latencies & { failed: number };
}

/** Addresses of one network of the size that each customer of a provider has. */
const NETWORK = Array.from({ length: 4_096 }, (_, index) => `2001:db8:0:1::${(index + 1).toString(16)}`);

/** A network of its own for each part, so that none is held back by the part before. */
function networkOf(part: number): string[] {
  return NETWORK.map((address) => address.replace("2001:db8:0:1:", `2001:db8:0:${part}:`));
}

const UNKNOWN = Array.from({ length: 10_000 }, (_, index) => `user${index}`);

async function measure(root: string, seconds: number): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "relay-bench-logins-"));
  const relay = await startRelay(directory, { RELAY_ADMIN_PASSWORD: ADMIN.password }, root);
  const { port } = relay;
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const flooder = forkChild<FloodTask, FloodAnswer>("logins/flood.ts");
  const flood = (part: Pick<FloodTask, "addresses" | "usernames"> & { perSecond?: number; seconds?: number }) =>
    flooder.ask({ port, seconds, connections: CONNECTIONS, perSecond: null, path: PATH, ...part });

  /** Each time in a form that the node has not seen, so that the password is compared. */
  let forms = 0;
  const login = async (username: string, password: string, address: string) => {
    forms += 1;
    const letters = [..."basic"].map((letter, bit) => ((forms >> bit) & 1 ? letter.toUpperCase() : letter)).join("");
    const authorization = basic(username, password).replace("Basic ", `${letters}${" ".repeat(1 + ((forms >> 5) % 64))}`);
    const startedAt = performance.now();
    const { status } = await send({ port, agent, path: PATH, headers: { authorization, "x-forwarded-for": address } });
    return { status, tookMs: performance.now() - startedAt };
  };

  async function guessed(usernames: string[], addresses: string[]): Promise<Guessed> {
    const flooding = flood({ addresses, usernames });
    await delay(seconds * 500);
    const right = await login(ADMIN.username, ADMIN.password, addresses[0] ?? "");
    const { statuses, seconds: took } = await flooding;
    const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const rightIsAnswered = right.status === ADMITTED;
    return {
      answered: Math.round(all / took),
      checked: Math.round(((rightIsAnswered ? all : (statuses[401] ?? 0)) / took) * 100) / 100,
      rightIsAnswered,
      statuses,
    };
  }

  const administration = { authorization: basic(ADMIN.username, ADMIN.password), "x-forwarded-for": HOME };
  async function newPartner(): Promise<{ username: string; password: string }> {
    const username = `partner-${randomUUID()}`;
    const gateway = { gwTml: "GWT1", gwApiKey: "GWMERCHANT1", gwSecretKey: `gateway secret of ${username}` };
    const body = JSON.stringify({ username, ...gateway });
    const { status, text } = await send({ port, agent, path: "/admin/api/partners", method: "POST", headers: administration, body });
    const password = /"generatedPassword":"([^"]+)"/.exec(text)?.[1];
    if (status !== 201 || password === undefined) throw new Error(`no partner was made: ${status} ${text}`);
    return { username, password };
  }

  async function firstLogins(partners: { username: string; password: string }[], network: number) {
    const times: number[] = [];
    let refused = 0;
    for (const [index, { username, password }] of partners.entries()) {
      const { status, tookMs } = await login(username, password, `203.0.113.${network + index}`);
      if (status === ADMITTED) times.push(tookMs);
      else refused += 1;
      await delay(200);
    }
    return { ...latenciesOf(times), refused };
  }

  async function administratorLogins(): Promise<Latencies & { refused: number }> {
    const times: number[] = [];
    let refused = 0;
    for (let count = 0; count < 5 * seconds; count += 1) {
      const { status, tookMs } = await login(ADMIN.username, ADMIN.password, HOME);
      if (status === ADMITTED) times.push(tookMs);
      else refused += 1;
      await delay(150);
    }
    return { ...latenciesOf(times), refused };
  }

  const pays = () => paysOnSchedule({ port, agent, perSecond: PAYS_PER_SECOND, seconds });

  try {
    const partners: { username: string; password: string }[] = [];
    for (let index = 0; index < 3 * PARTNERS; index += 1) partners.push(await newPartner());
    const [first, second, third] = [0, 1, 2].map((part) => partners.slice(part * PARTNERS, (part + 1) * PARTNERS));
    await pays();
    const payQuiet = await pays();
    const partnersQuiet = await firstLogins(first ?? [], 0);

    const oneAddress = await guessed([ADMIN.username], [ATTACKER]);
    const one64 = await guessed([ADMIN.username], networkOf(1));

    const floodSeconds = PARTNERS;
    const atOnce = flood({ addresses: [ATTACKER], usernames: UNKNOWN, perSecond: STEADY_PER_SECOND, seconds: floodSeconds });
    await delay(1_000);
    const partnersOneAddress = await firstLogins(second ?? [], 50);
    await atOnce;
    const network = flood({ addresses: networkOf(2), usernames: UNKNOWN, perSecond: STEADY_PER_SECOND, seconds: floodSeconds });
    await delay(1_000);
    const partnersOne64 = await firstLogins(third ?? [], 100);
    await network;

    // Strangers with an address each.
    const strangers = Array.from({ length: 2_000 }, (_, index) => `100.64.${index >> 8}.${index & 255}`);
    const guessing = flood({ addresses: strangers, usernames: [ADMIN.username], perSecond: STEADY_PER_SECOND, seconds: 3 * seconds });
    await delay(1_000);
    const administrator = await administratorLogins();
    const payFlood = await pays();
    await guessing;
    return { oneAddress, one64, partnersQuiet, partnersOneAddress, partnersOne64, administrator, payQuiet, payFlood };
  } finally {
    agent.destroy();
    await flooder.stop();
    await relay.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function report(date: string, results: { name: string; result: Result }[]): string {
  const row = (what: string, value: (result: Result) => string) =>
    `| ${what} | ${results.map(({ result }) => value(result)).join(" | ")} |`;
  const times = ({ median, p99, most }: Latencies) => `${median}, ${p99}, ${most}`;
  const logins = (part: Latencies & { refused: number }) => (part.refused === 0 ? times(part) : `${times(part)}; ${part.refused} refused`);
  return `# Guessed passwords

${date}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}. \`npm --prefix bench run logins\`: one node with one shard, guesses from another process.
Other work may have run on the machine. Times are milliseconds: median, p99, the longest.

| | ${results.map(({ name }) => name).join(" | ")} |
|---|${results.map(() => "--:|").join("")}
${[
  row("guesses **checked** a second, from one address", ({ oneAddress }) => String(oneAddress.checked)),
  row("the same, from the addresses of one /64", ({ one64 }) => String(one64.checked)),
  row("answered a second (one address, one /64)", ({ oneAddress, one64 }) => `${oneAddress.answered}, ${one64.answered}`),
  row(
    "is a right password answered meanwhile?",
    ({ oneAddress, one64 }) => `${oneAddress.rightIsAnswered ? "yes" : "no"}, ${one64.rightIsAnswered ? "yes" : "no"}`,
  ),
  row(`a partner's first login, nothing else (${PARTNERS} of them)`, ({ partnersQuiet }) => logins(partnersQuiet)),
  row(`under ${STEADY_PER_SECOND} guesses a second from one address`, ({ partnersOneAddress }) => logins(partnersOneAddress)),
  row(`under ${STEADY_PER_SECOND} guesses a second from one /64`, ({ partnersOne64 }) => logins(partnersOne64)),
  row(
    `the administrator's login at his usual address, under ${STEADY_PER_SECOND} guesses a second from 2,000 addresses`,
    ({ administrator }) => logins(administrator),
  ),
  row(`${PAYS_PER_SECOND} payments a second by API key, nothing else`, ({ payQuiet }) => times(payQuiet)),
  row("the same under that flood", ({ payFlood }) => times(payFlood)),
  row("payments that were not answered 200", ({ payQuiet, payFlood }) => `${payQuiet.failed}, ${payFlood.failed}`),
].join("\n")}
`;
}

async function main(): Promise<void> {
  const { before, seconds } = commandLine("bench:logins")
    .description("Guessed passwords: how many are checked, and what they cost others; see bench/README.md.")
    .option("--before <folder>", "another checkout, with its packages installed, that is measured first")
    .option("--seconds <n>", "of each part", numberBetween(2, 120), 10)
    .parse()
    .opts<Options>();
  const roots = [...(before === undefined ? [] : [{ name: "before", root: resolve(before) }]), { name: "now", root: ROOT }];
  const results: { name: string; result: Result }[] = [];
  for (const { name, root } of roots) {
    console.log(`${name}: some ${Math.round(7 * seconds + 3 * PARTNERS)} s`);
    results.push({ name, result: await measure(root, seconds) });
  }
  const date = new Date().toISOString().slice(0, 10);
  const text = report(date, results);
  console.log(`\n${text}`);
  const files = await writeResultFiles({ date, kind: "logins", json: { seconds, results }, markdown: text });
  console.log(`written to ${files.join(" and ")}`);
}

await main();
