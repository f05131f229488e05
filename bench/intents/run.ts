import { mkdtemp, rm } from "node:fs/promises";
import { Agent } from "node:http";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { commandLine } from "../../infra/command-line.ts";
import { numberBetween } from "../argument.ts";
import { type Latencies, latenciesOf } from "../load/latencies.ts";
import { startRelay } from "../load/relay.ts";
import { paysOnSchedule } from "../load/scheduled-pays.ts";
import { basic, send } from "../logins/request.ts";
import { writeResultFiles } from "../result-files.ts";

const ADMIN = { username: "admin", password: "the administrators password" };
const PARTNER_KEY = "pk_partner_sandbox_0000000000000000000000000000";

/** Each may make 10,000 calls a minute, which is the most that a merchant may have. */
const MERCHANTS = 24;
const CALLS_PER_MINUTE = 10_000;

const CONNECTIONS = 32;
const PAYS_PER_SECOND = 200;

interface Load {
  perSecond: number;
  create: Latencies;
  confirm: Latencies;
  failed: number;
}

interface Result {
  flatOut: Load;
  half: Load;
  payAlone: Latencies & { failed: number };
  payBeside: Latencies & { failed: number };
}

async function measure(seconds: number): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), "relay-bench-intents-"));
  const relay = await startRelay(directory, { RELAY_ADMIN_PASSWORD: ADMIN.password });
  const { port } = relay;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const payAgent = new Agent({ keepAlive: true, maxSockets: 64 });

  async function must(path: string, method: string, authorization: string, body: object): Promise<string> {
    const sent = await send({ port, agent, path, method, headers: { authorization }, body: JSON.stringify(body) });
    if (sent.status < 200 || sent.status > 299) throw new Error(`${method} ${path}: ${sent.status} ${sent.text}`);
    return sent.text;
  }

  async function newMerchant(merchantId: string): Promise<string> {
    const bearer = `Bearer ${PARTNER_KEY}`;
    const created = await must("/partner/api/v1/merchants", "POST", bearer, { merchantId });
    await must(`/partner/api/v1/merchants/${merchantId}/services/IGFS/enable`, "POST", bearer, {});
    const limit = { compatRequestsPerMinute: CALLS_PER_MINUTE };
    await must(`/admin/api/merchants/${merchantId}`, "PATCH", basic(ADMIN.username, ADMIN.password), limit);
    const key = /"secretKey":"([^"]+)"/.exec(created)?.[1];
    if (key === undefined) throw new Error(`no key of ${merchantId}`);
    return `Bearer ${key}`;
  }

  /** Creates and confirms one intent; null where one of both was not answered 200. */
  async function createAndConfirm(authorization: string): Promise<{ createMs: number; confirmMs: number } | null> {
    const headers = { authorization };
    const order = JSON.stringify({ amount: 1_050, currency: "eur", description: "Order 7", metadata: { order: "7" } });
    const startedAt = performance.now();
    const created = await send({ port, agent, path: "/v1/payment_intents", method: "POST", headers, body: order });
    const createdAt = performance.now();
    const id = /"id":"(pi_[^"]+)"/.exec(created.text)?.[1];
    if (created.status !== 200 || id === undefined) return null;
    const body = JSON.stringify({ return_url: "http://127.0.0.1/done" });
    const confirmed = await send({ port, agent, path: `/v1/payment_intents/${id}/confirm`, method: "POST", headers, body });
    if (confirmed.status !== 200) return null;
    return { createMs: createdAt - startedAt, confirmMs: performance.now() - createdAt };
  }

  function loadOf(answers: readonly ({ createMs: number; confirmMs: number } | null)[], tookSeconds: number): Load {
    const done = answers.flatMap((answer) => answer ?? []);
    return {
      perSecond: Math.round(done.length / tookSeconds),
      create: latenciesOf(done.map(({ createMs }) => createMs)),
      confirm: latenciesOf(done.map(({ confirmMs }) => confirmMs)),
      failed: answers.length - done.length,
    };
  }

  /** As many as the node takes, over all connections. */
  async function flatOut(keys: readonly string[]): Promise<Load> {
    const answers: Awaited<ReturnType<typeof createAndConfirm>>[] = [];
    const startedAt = performance.now();
    const endsAt = startedAt + seconds * 1_000;
    const connection = async (index: number) => {
      for (let count = index; performance.now() < endsAt; count += 1) answers.push(await createAndConfirm(keys[count % keys.length] ?? ""));
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => connection(index)));
    return loadOf(answers, (performance.now() - startedAt) / 1_000);
  }

  async function onSchedule(keys: readonly string[], perSecond: number): Promise<Load> {
    const startedAt = performance.now();
    const sending = Array.from({ length: Math.round(perSecond * seconds) }, async (_, index) => {
      await delay(startedAt + (index * 1_000) / perSecond - performance.now());
      return createAndConfirm(keys[index % keys.length] ?? "");
    });
    const answers = await Promise.all(sending);
    return loadOf(answers, (performance.now() - startedAt) / 1_000);
  }

  try {
    const keys: string[] = [];
    for (let index = 0; index < MERCHANTS; index += 1) keys.push(await newMerchant(`BENCH-${index}`));
    const pays = () => paysOnSchedule({ port, agent: payAgent, perSecond: PAYS_PER_SECOND, seconds });
    // Their paths are compiled.
    await flatOut(keys);
    await pays();
    const payAlone = await pays();
    const most = await flatOut(keys);
    const [half, payBeside] = await Promise.all([onSchedule(keys, Math.max(1, most.perSecond / 2)), pays()]);
    return { flatOut: most, half, payAlone, payBeside };
  } finally {
    agent.destroy();
    payAgent.destroy();
    await relay.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

function report(date: string, seconds: number, { flatOut, half, payAlone, payBeside }: Result): string {
  const times = ({ median, p99, most }: Latencies) => `${median}, ${p99}, ${most}`;
  return `# Payment intents

${date}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), Node ${process.version}. \`npm --prefix bench run intents -- --seconds ${seconds}\`: one node with one shard and the sandbox's gateway
beside it, ${MERCHANTS} merchants over ${CONNECTIONS} connections. Other work may have run on the machine. Times are milliseconds: median, p99, the longest.

| | |
|---|--:|
| create and confirm, as many as it takes | ${flatOut.perSecond} a second |
| create | ${times(flatOut.create)} |
| confirm, with the gateway's init in it | ${times(flatOut.confirm)} |
| at half of that, on a schedule, beside ${PAYS_PER_SECOND} terminal payments a second | ${half.perSecond} a second |
| create | ${times(half.create)} |
| confirm | ${times(half.confirm)} |
| ${PAYS_PER_SECOND} terminal payments a second alone | ${times(payAlone)} |
| the same beside the intents | ${times(payBeside)} |
| not answered 200 (flat out, half, payments alone, beside) | ${flatOut.failed}, ${half.failed}, ${payAlone.failed}, ${payBeside.failed} |
`;
}

async function main(): Promise<void> {
  const { seconds } = commandLine("bench:intents")
    .description("Payment intents: create and confirm a second, and what they cost terminal payments; see bench/README.md.")
    .option("--seconds <n>", "of each part", numberBetween(2, 120), 10)
    .parse()
    .opts<{ seconds: number }>();
  const result = await measure(seconds);
  const date = new Date().toISOString().slice(0, 10);
  const text = report(date, seconds, result);
  console.log(`\n${text}`);
  const files = await writeResultFiles({ date, kind: "intents", json: { seconds, result }, markdown: text });
  console.log(`written to ${files.join(" and ")}`);
}

await main();
