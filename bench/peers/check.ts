import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { TerminalSession } from "../load/terminal-session.ts";
import { API_KEY, clientAddress, terminalAuthorization, terminalId } from "../load/terminals.ts";
import { type Contender, prepareContenders, type ReadyContender } from "./contenders.ts";
import { CONTENDER_LABELS, type PeerName } from "./names.ts";
import { syncedAnswers, traceCalls } from "./sync-trace.ts";

/** What comes by a session has this long. */
const FRAME_MAX_MS = 10_000;
/** A row is in ClickHouse within this time. */
const ROWS_MAX_MS = 30_000;
const LOOK_MS = 100;
const TRACED_LIVES = 10;
/** A life by poll has three answers, one by push an answer and two frames. */
const ANSWERS_PER_LIFE = 3;
/** Payments of one address in a second. */
const PAYS_PER_SECOND = 10;

interface Check {
  what: string;
  /** Of a peer's Redis. */
  redisSettings?: { readonly [name: string]: string };
  /** Throws where it is not so. */
  check(contender: Contender, directory: string): Promise<void>;
}

const CHECKS: readonly Check[] = [
  { what: "a life by poll", check: lifeByPoll },
  { what: "a life by push", check: lifeByPush },
  { what: "nobody else gets in, and an address pays ten times a second", check: refusals },
  {
    what: "every step is synced before its answer",
    check: async (contender, directory) => {
      const { answers, unsynced } = await tracedLives(contender, join(directory, "calls"));
      expect("answers seen", answers, TRACED_LIVES * ANSWERS_PER_LIFE * 2);
      expect("answers before their sync", unsynced, 0);
    },
  },
];

/** Were it not found here, the last of the checks above would prove nothing. */
const UNSYNCED: Check = {
  what: "a Redis that syncs once a second is found to answer before",
  redisSettings: { appendfsync: "everysec" },
  check: async (contender, directory) => {
    const { answers, unsynced } = await tracedLives(contender, join(directory, "calls"));
    expect("most answers come before their sync", unsynced > answers / 2, true);
  },
};

/** Takes lives through the relay and each peer, and tells what each was found to do. The process ends with 1 where one does not do the job. */
export async function checkPeers(peers: readonly PeerName[], note: (text: string) => void): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), "relay-peers-"));
  try {
    for (const ready of await prepareContenders({ peers, work, filled: null, note })) {
      for (const check of ready.name === "fastify" ? [...CHECKS, UNSYNCED] : CHECKS) {
        const fault = await faultOf(check, ready, await mkdtemp(join(work, "check-")));
        console.log(`${CONTENDER_LABELS[ready.name]}: ${check.what}: ${fault === null ? "ok" : `NOT OK: ${fault}`}`);
        if (fault !== null) process.exitCode = 1;
      }
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Null for none. */
async function faultOf({ check, redisSettings = {} }: Check, ready: ReadyContender, directory: string): Promise<string | null> {
  try {
    const contender = await ready.start(join(directory, "data"), "empty", redisSettings);
    try {
      await check(contender, directory);
    } finally {
      await contender.stop();
    }
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function lifeByPoll(contender: Contender): Promise<void> {
  const { port } = contender;
  const terminal = terminalId("polling", 1);
  const uuid = randomUUID();
  expect("a poll with nothing waiting", (await poll(port, terminal)).status, 204);
  const paid = await pay(port, terminal, uuid, 1_234);
  expect("a payment", [paid.status, paid.body.status, paid.body.data?.terminalID], [200, "ok", terminal]);
  expect("its uuid again", (await pay(port, terminal, uuid, 1_234)).status, 400);
  const taken = await poll(port, terminal);
  expect("a poll", [taken.status, taken.body.uuid, taken.body.amount], [200, uuid, 1_234]);
  expect("the next poll", (await poll(port, terminal)).status, 204);
  expect("a result", (await result(port, terminal, { uuid, result: "OK", amount: 1_234 })).status, 200);
  expect("the same result again", (await result(port, terminal, { uuid, result: "OK", amount: 1_234 })).status, 200);
  await result(port, terminal, { uuid, result: "KO", amount: 1_234 });
  await expectStored(contender, uuid);
}

async function lifeByPush(contender: Contender): Promise<void> {
  const uuids = [uuidOf(1), uuidOf(2)];
  const session = await openSession(contender.port, terminalId("connected", 1));
  try {
    for (const [index, uuid] of uuids.entries()) await pushed(contender, session, uuid, index + 1);
  } finally {
    session.close();
  }
  for (const uuid of uuids) await expectStored(contender, uuid);
}

async function refusals({ port }: Contender): Promise<void> {
  const terminal = terminalId("polling", 2);
  expect(
    "a payment with another key",
    (await pay(port, terminal, randomUUID(), 100, { "API-Key": `${API_KEY.slice(0, -1)}1` })).status,
    401,
  );
  const other = { Authorization: terminalAuthorization(terminalId("polling", 3)) };
  const { status } = await send(port, `/api/v1/${terminal}/get`, { headers: other });
  expect("a poll of another terminal is refused", [401, 403].includes(status), true);
  const many = Array.from({ length: 3 * PAYS_PER_SECOND }, () =>
    pay(port, terminal, randomUUID(), 100, { "X-Forwarded-For": clientAddress(7) }),
  );
  const refused = (await Promise.all(many)).filter(({ status }) => status === 429).length;
  expect("most of thirty payments at once are too many", refused >= PAYS_PER_SECOND, true);
}

/** Lives one after the other, and one request at a time. */
async function tracedLives({ port, trees }: Contender, file: string): Promise<{ answers: number; unsynced: number }> {
  const terminal = terminalId("polling", 4);
  const session = await openSession(port, terminalId("connected", 4));
  try {
    // What is written at the first of each is not what is looked at.
    expect("a poll", (await poll(port, terminal)).status, 204);
    const traced = await traceCalls(trees, file);
    for (let life = 1; life <= TRACED_LIVES; life += 1) {
      const uuid = randomUUID();
      expect("a payment", (await pay(port, terminal, uuid, 100)).status, 200);
      expect("a poll", (await poll(port, terminal)).status, 200);
      expect("a result", (await result(port, terminal, { uuid, result: "OK", amount: 100 })).status, 200);
      await pushed({ port }, session, uuidOf(life), life, terminalId("connected", 4));
    }
    return syncedAnswers(await traced());
  } finally {
    session.close();
  }
}

interface OpenSession {
  /** Of the next payment that comes, or result that is recorded. */
  next(event: "pushed" | "recorded"): Promise<number>;
  sendResult(counter: number, body: string): void;
  close(): void;
}

async function openSession(port: number, id: string): Promise<OpenSession> {
  const waiting = new Map<string, (counter: number) => void>();
  const came = new Map<string, number[]>();
  const told = (event: string) => (counter: number) => {
    const waits = waiting.get(event);
    waiting.delete(event);
    if (waits === undefined) came.set(event, [...(came.get(event) ?? []), counter]);
    else waits(counter);
  };
  const session = await TerminalSession.open(port, id, 1, { pushed: told("pushed"), recorded: told("recorded"), failed: () => {} });
  return {
    next: (event) =>
      new Promise((resolve, reject) => {
        const [first, ...rest] = came.get(event) ?? [];
        came.set(event, rest);
        if (first !== undefined) return resolve(first);
        const timer = setTimeout(() => reject(new Error(`nothing was ${event} within ${FRAME_MAX_MS / 1_000} s`)), FRAME_MAX_MS);
        waiting.set(event, (counter) => {
          clearTimeout(timer);
          resolve(counter);
        });
      }),
    sendResult: (counter, body) => session.sendResult(counter, body),
    close: () => session.close(),
  };
}

async function pushed(
  { port }: Pick<Contender, "port">,
  session: OpenSession,
  uuid: string,
  counter: number,
  terminal = terminalId("connected", 1),
): Promise<void> {
  expect("a payment of a connected terminal", (await pay(port, terminal, uuid, 4_321)).status, 200);
  expect("what is pushed", await session.next("pushed"), counter);
  session.sendResult(counter, JSON.stringify({ uuid, result: "OK", amount: 4_321 }));
  expect("what is recorded", await session.next("recorded"), counter);
}

/** The first result stands, and contenders with rows have them in ClickHouse. */
async function expectStored({ port, clickHouse }: Contender, uuid: string): Promise<void> {
  const { status, body } = await send(port, `/api/v1/${uuid}/uuid`, { headers: { "API-Key": API_KEY } });
  expect("its result", [status, JSON.stringify(body.data).includes('"OK"')], [200, true]);
  const access = await clickHouse();
  if (access === null) return;
  const headers = { "X-ClickHouse-User": access.username, "X-ClickHouse-Key": access.password };
  for (const view of ["transactions_final", "command_lives_final"]) {
    const query = `SELECT count() FROM relay.${view} WHERE uuid = '${uuid}' FORMAT TabSeparated`;
    const count = async () => (await (await fetch(access.url, { method: "POST", headers, body: query })).text()).trim();
    for (const giveUpAt = performance.now() + ROWS_MAX_MS; (await count()) === "0" && performance.now() < giveUpAt; ) await delay(LOOK_MS);
    expect(`its row of ${view} in ClickHouse`, await count(), "1");
  }
}

interface Answer {
  status: number;
  body: { status?: string; uuid?: string; amount?: number; data?: { terminalID?: string } };
}

async function send(port: number, path: string, options: RequestInit): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, options);
  const text = await response.text();
  return { status: response.status, body: text === "" ? {} : JSON.parse(text) };
}

let payments = 0;

function pay(port: number, terminal: string, uuid: string, amount: number, more: { [name: string]: string } = {}): Promise<Answer> {
  payments += 1;
  const headers = { "API-Key": API_KEY, "Content-Type": "application/json", "X-Forwarded-For": clientAddress(1_000 + payments), ...more };
  return send(port, `/api/v1/${terminal}/pay`, { method: "POST", headers, body: JSON.stringify({ uuid, amount, service: "PAYCC" }) });
}

function poll(port: number, terminal: string): Promise<Answer> {
  return send(port, `/api/v1/${terminal}/get`, { headers: { Authorization: terminalAuthorization(terminal) } });
}

function result(port: number, terminal: string, body: { uuid: string; result: string; amount: number }): Promise<Answer> {
  const headers = { Authorization: terminalAuthorization(terminal), "Content-Type": "application/json" };
  return send(port, `/api/v1/${terminal}/receipt`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Random but for its end, which sessions tell payments by. */
function uuidOf(counter: number): string {
  return randomUUID().slice(0, -8) + counter.toString(16).padStart(8, "0");
}

function expect(what: string, found: unknown, wanted: unknown): void {
  const [is, ought] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (is !== ought) throw new Error(`${what}: ${is} instead of ${ought}`);
}
