import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLine } from "../../infra/command-line.ts";
import { DEMO_PARTNER_USERNAME } from "../../infra/node/boot/sandbox-names.ts";
import { numberBetween } from "../argument.ts";
import { HttpConnection } from "../load/http-connection.ts";
import { type Latencies, latenciesOf } from "../load/latencies.ts";
import { type RunningRelay, startRelay } from "../load/relay.ts";
import { TerminalSession } from "../load/terminal-session.ts";
import { API_KEY, clientAddress, terminalAuthorization, terminalId } from "../load/terminals.ts";
import { basic, send } from "../logins/request.ts";
import { writeResultFiles } from "../result-files.ts";
import { BenchRegister } from "./register.ts";

const ADMIN = { username: "admin", password: "the administrators password" };

const REGISTERS = 100;

/** Rounds that are not measured: the paths are compiled. */
const WARM_ROUNDS = 10;

/** Idle registers: of the first the heap grows to its size, of the second their share is taken. */
const IDLE = 2_000;

/** A push that has not come by then never comes. */
const PUSH_MAX_MS = 10_000;

interface Result {
  zvt: Latencies;
  rest: Latencies;
  /** From 06-01 to the last frame, with the terminal's answer at once. */
  wholeSale: Latencies;
  idleKilobytes: number;
}

/** Terminals that say when they were pushed to. */
class Pushes {
  #waiting = new Map<number, () => void>();

  told(index: number): void {
    this.#waiting.get(index)?.();
    this.#waiting.delete(index);
  }

  /** The time of the next push to this terminal. */
  next(index: number): Promise<number> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`terminal ${index} was not pushed to`)), PUSH_MAX_MS);
      this.#waiting.set(index, () => {
        clearTimeout(timer);
        resolve(performance.now());
      });
    });
  }
}

const passwordOf = (index: number) => String(index + 1).padStart(6, "0");
const zvtTerminal = (index: number) => terminalId("connected", index);
const restTerminal = (index: number) => terminalId("connected", REGISTERS + index);
const indexes = Array.from({ length: REGISTERS }, (_, index) => index);

/** Stores the routes, one for each register, and starts the relay again with them. */
async function startWithRoutes(directory: string): Promise<{ relay: RunningRelay; zvtPort: number }> {
  const environment = { RELAY_ADMIN_PASSWORD: ADMIN.password };
  const before = await startRelay(directory, environment);
  const agent = new Agent();
  const authorization = basic(ADMIN.username, ADMIN.password);
  const routes = indexes.map((index) => ({
    ...{ id: `till-${index}`, terminalId: zvtTerminal(index), partnerUsername: DEMO_PARTNER_USERNAME, password: passwordOf(index) },
  }));
  const body = JSON.stringify({ enabled: true, maxConnections: 10_000, loggingLevel: "ERROR", routes });
  const stored = await send({ port: before.port, agent, path: "/admin/zvt/config", method: "POST", headers: { authorization }, body });
  if (stored.status !== 200) throw new Error(`the routes were not stored: ${stored.status} ${stored.text}`);
  await before.stop();
  const relay = await startRelay(directory, environment);
  const { text } = await send({ port: relay.port, agent, path: "/admin/zvt/routes", headers: { authorization } });
  const zvtPort = Number(/"ports":\[(\d+)\]/.exec(text)?.[1]);
  if (!(zvtPort > 0)) throw new Error(`the relay does not listen for registers: ${text.slice(0, 200)}`);
  return { relay, zvtPort };
}

async function residentKilobytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]);
}

async function measure(rounds: number): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "relay-bench-zvt-"));
  const { relay, zvtPort } = await startWithRoutes(directory);
  const { port, pid } = relay;
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const pushes = new Pushes();
  let failure: Error | null = null;
  const failed = (error: Error) => {
    failure ??= error;
  };
  const registers: BenchRegister[] = [];
  const idle: BenchRegister[] = [];
  const https: HttpConnection[] = [];
  const sessions: TerminalSession[] = [];

  /** The terminals' results, so that every round begins alike. */
  async function postResults(payments: readonly { terminal: string; uuid: string }[], amountCents: number): Promise<void> {
    await Promise.all(
      payments.map(async ({ terminal, uuid }) => {
        const body = JSON.stringify({ uuid, service: "PAYCC", result: "OK", amount: amountCents, currency: "EUR", message: "APPROVED" });
        const headers = { authorization: terminalAuthorization(terminal) };
        const { status, text } = await send({ port, agent, path: `/api/v1/${terminal}/receipt`, method: "POST", headers, body });
        if (status !== 200) throw new Error(`a result was not taken: ${status} ${text}`);
      }),
    );
  }

  /** Payments of registers that are open, by the terminal. */
  async function openPayments(): Promise<{ terminal: string; uuid: string }[]> {
    const headers = { authorization: basic(ADMIN.username, ADMIN.password) };
    const { text } = await send({ port, agent, path: "/admin/zvt/routes", headers });
    const found = [...text.matchAll(/"terminalId":"([^"]+)"[^[]*"connections":\[[^\]]*\],"open":\{"uuid":"([^"]+)"/g)];
    return found.map(([, terminal = "", uuid = ""]) => ({ terminal, uuid }));
  }

  /** All registers at once. */
  async function zvtRound(amountCents: number): Promise<{ pushed: number[]; whole: number[] }> {
    const paying = registers.map((register, index) => {
      const pushed = pushes.next(index);
      const startedAt = performance.now();
      const ended = register.pay(amountCents).then((final) => {
        if (final !== "060F") throw new Error(`a payment ended with ${final}`);
        return performance.now() - startedAt;
      });
      return { pushed: pushed.then((atMs) => atMs - startedAt), ended };
    });
    const pushed = await Promise.all(paying.map((one) => one.pushed));
    const payments = await openPayments();
    if (payments.length !== REGISTERS) throw new Error(`${payments.length} payments are open`);
    await postResults(payments, amountCents);
    return { pushed, whole: await Promise.all(paying.map(({ ended }) => ended)) };
  }

  /** As many payments over REST at once, each over a connection of its own. */
  async function restRound(amountCents: number, round: number): Promise<number[]> {
    const uuids = indexes.map(() => randomUUID());
    const requests = indexes.map((index) => payRequest(restTerminal(index), uuids[index] ?? "", amountCents, round * REGISTERS + index));
    const pushed = https.map((connection, index) => {
      const told = pushes.next(REGISTERS + index);
      const startedAt = performance.now();
      connection.send(requests[index] ?? Buffer.alloc(0));
      return told.then((atMs) => atMs - startedAt);
    });
    const times = await Promise.all(pushed);
    await postResults(
      indexes.map((index) => ({ terminal: restTerminal(index), uuid: uuids[index] ?? "" })),
      amountCents,
    );
    return times;
  }

  async function openIdle(count: number): Promise<void> {
    for (let opened = 0; opened < count; opened += REGISTERS) {
      const opening = indexes.map((index) => BenchRegister.open(zvtPort, passwordOf(index), failed));
      idle.push(...(await Promise.all(opening)));
    }
    await delay(2_000);
  }

  try {
    for (let index = 0; index < 2 * REGISTERS; index += 1) {
      const session = TerminalSession.open(port, terminalId("connected", index), index, { pushed: () => pushes.told(index), failed });
      sessions.push(await session);
    }
    for (const index of indexes) registers.push(await BenchRegister.open(zvtPort, passwordOf(index), failed));
    const answered = (_: HttpConnection, status: number) => {
      if (status !== 200) failed(new Error(`a payment was answered ${status}`));
    };
    for (const _ of indexes) https.push(await HttpConnection.open(port, answered, failed));

    const measured = { zvt: [] as number[], rest: [] as number[], whole: [] as number[] };
    for (let round = 0; round < WARM_ROUNDS + rounds; round += 1) {
      // In turn, so that both have the machine as it is.
      const { pushed, whole } = await zvtRound(1_000 + round);
      const rest = await restRound(1_000 + round, round);
      if (failure !== null) throw failure;
      if (round < WARM_ROUNDS) continue;
      measured.zvt.push(...pushed);
      measured.rest.push(...rest);
      measured.whole.push(...whole);
    }
    await openIdle(IDLE);
    const before = await residentKilobytes(pid);
    await openIdle(IDLE);
    const after = await residentKilobytes(pid);
    if (failure !== null) throw failure;
    return {
      zvt: latenciesOf(measured.zvt),
      rest: latenciesOf(measured.rest),
      wholeSale: latenciesOf(measured.whole),
      idleKilobytes: Math.round(((after - before) / IDLE) * 10) / 10,
    };
  } finally {
    for (const open of [...registers, ...idle, ...https, ...sessions]) open.close();
    agent.destroy();
    await relay.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function payRequest(terminal: string, uuid: string, amountCents: number, index: number): Buffer {
  const body = JSON.stringify({ uuid, amount: amountCents, service: "PAYCC" });
  const head = [
    `POST /api/v1/${terminal}/pay HTTP/1.1`,
    "Host: localhost",
    `X-Forwarded-For: ${clientAddress(index)}`,
    `API-Key: ${API_KEY}`,
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`, "latin1");
}

function report(date: string, rounds: number, { zvt, rest, wholeSale, idleKilobytes }: Result): string {
  const times = ({ median, p99, most }: Latencies) => `${median}, ${p99}, ${most}`;
  return `# Cash registers (ZVT)

${date}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}. \`npm --prefix bench run zvt -- --rounds ${rounds}\`: one node with one shard, ${REGISTERS} registers that pay at once, and
as many payments over REST at once, in turn. Other work may have run on the machine. Times are milliseconds: median, p99, the longest.

| | |
|---|--:|
| from a register's 06-01 to the terminal's push | ${times(zvt)} |
| from a REST payment's request to the terminal's push | ${times(rest)} |
| a register's whole sale; results are posted when all payments have been pushed | ${times(wholeSale)} |
| memory of an idle register, of ${IDLE} beside ${IDLE} others | ${idleKilobytes} KB |
`;
}

async function main(): Promise<void> {
  const { rounds, files } = commandLine("bench:zvt")
    .description("Cash registers: how long 06-01 takes to the terminal beside REST, and the memory of an idle one; see bench/README.md.")
    .option("--rounds <n>", "of all registers at once", numberBetween(2, 500), 50)
    .option("--no-files", "only print")
    .parse()
    .opts<{ rounds: number; files: boolean }>();
  const result = await measure(rounds);
  const date = new Date().toISOString().slice(0, 10);
  const text = report(date, rounds, result);
  console.log(`\n${text}`);
  if (!files) return;
  const written = await writeResultFiles({ date, kind: "zvt", json: { rounds, result }, markdown: text });
  console.log(`written to ${written.join(" and ")}`);
}

await main();
