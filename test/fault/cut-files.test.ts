import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { freePort } from "../../infra/local/free-port.ts";
import { createClockShift, shiftClock } from "../../infra/node/boot/clock.ts";
import { StartRefused } from "../../infra/node/boot/start-refused.ts";
import { seededRandom } from "../storage/kv/random.ts";
import { atEnd } from "../storage/kv/world.ts";
import { startTestNode } from "../support/node/node.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "./node-process.ts";
import { type Answer, member, RelayCaller } from "./relay-caller.ts";

const CUTS = 12;
/** A second shard costs time, and has no part in opening the store. */
const TWO_SHARDS_ONE_IN = 6;
const LIVES = 2;
const TERMINALS = 10;

/**
 * What a command may be shown as, by what was done with it; of a command that is forgotten, anything before. A store that its witness says has lost
 * something takes all that had not ended for lost.
 */
const STATES = {
  waiting: ["queued", "unknown"],
  taken: ["queued", "sent", "unknown"],
  done: ["queued", "sent", "done", "unknown"],
};

describe("a node whose files were cut off", () => {
  it(`starts, or refuses clearly, and tells nothing that never was, after each of ${CUTS} cuts`, { timeout: 600_000 }, async (test) => {
    const random = seededRandom(test);
    const original = await killedSeveralTimes(test);
    const writtenAtMs = Date.now();
    let refused = 0;
    let forgot = 0;
    for (let round = 0; round < CUTS; round++) {
      const copy = await copyOf(test, original);
      const cut = await cutNewest(join(copy, "state"), random);
      const environment = { RELAY_SHARDS: round % TWO_SHARDS_ONE_IN === 0 ? "2" : "1", RELAY_TRUSTED_PROXIES: "127.0.0.0/8" };
      try {
        // Whatever all the starts take: at the time when it was written, so that nothing expires meanwhile.
        const clockShift = createClockShift();
        shiftClock(clockShift, writtenAtMs - Date.now());
        const node = await startTestNode({ ...NO_CLICKHOUSE, ...environment, RELAY_LOG_LEVEL: "silent" }, copy, clockShift);
        try {
          forgot += await assertOnlyWhatWas(node.url);
        } finally {
          await node.stop();
        }
      } catch (error) {
        if (!(error instanceof StartRefused)) throw new Error(`after the cut of ${cut}`, { cause: error });
        assert.ok(error.message.includes(copy) && /backup/.test(error.message), `${cut}: ${error.message}`);
        refused++;
      }
    }
    test.diagnostic(`of ${CUTS} directories ${refused} were refused; ${forgot} commands were forgotten in the others`);
  });

  it("says on its error output which directory is damaged and what to do, and ends with 1", async (test) => {
    const original = await killedSeveralTimes(test);
    await truncate(join(original, "state", "CURRENT"), 3);
    const node = startNodeProcess(test, { dataDirectory: original, port: await freePort(), environment: NO_CLICKHOUSE });
    assert.deepEqual(await node.exited, { code: 1, signal: null });
    const told = node.output();
    assert.ok(told.includes(original) && /backup/.test(told), told);
    assert.ok(!/^ +at /m.test(told), told);
  });
});

/** A data directory with tables, a manifest with history and a log, as kill -9 leaves them. */
async function killedSeveralTimes(test: TestContext): Promise<string> {
  const place = await placeOf(test);
  for (let life = 0; life < LIVES; life++) {
    const node = startNodeProcess(test, { ...place, environment: NO_CLICKHOUSE });
    await node.ready();
    const caller = new RelayCaller(node.url);
    for (let n = 0; n < TERMINALS; n++) {
      const [terminalId, ending] = [`T${life}-${n}`, `${life}-${n}`];
      for (const kind of ["done", "taken", "waiting"]) assertStatus(200, await caller.pay(terminalId, `${kind}-${ending}`, 1_000 + n));
      for (const kind of ["done", "taken"]) assert.equal(member((await caller.poll(terminalId))?.body, "uuid"), `${kind}-${ending}`);
      assertStatus(200, await caller.receipt(terminalId, `done-${ending}`, "OK", 1_000 + n));
    }
    await caller.close();
    await node.kill();
  }
  return place.dataDirectory;
}

async function copyOf(test: TestContext, original: string): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "relay-cut-"));
  atEnd(test, () => rm(copy, { recursive: true, force: true }));
  await cp(original, copy, { recursive: true });
  return copy;
}

/** Cuts the log, to which everything goes first, or another file, or two. */
async function cutNewest(directory: string, random: (below: number) => number): Promise<string> {
  const names = (await readdir(directory)).filter((name) => /^(CURRENT|MANIFEST-\d+|\d+\.(log|ldb))$/.test(name));
  const described: string[] = [];
  for (let cuts = 1 + random(2); cuts > 0; cuts--) {
    const log = names.filter((name) => name.endsWith(".log")).at(-1);
    const name = (random(2) === 0 ? log : names[random(names.length)]) ?? "CURRENT";
    const { size } = await stat(join(directory, name));
    const length = random(size + 1);
    await truncate(join(directory, name), length);
    described.push(`${name} at ${length} of ${size}`);
  }
  return described.join(", ");
}

/** Asks for every command; answers how many are not known any more. */
async function assertOnlyWhatWas(url: string): Promise<number> {
  const caller = new RelayCaller(url, { connections: 8 });
  let forgotten = 0;
  try {
    for (let life = 0; life < LIVES; life++) {
      for (let n = 0; n < TERMINALS; n++) {
        for (const [kind, states] of Object.entries(STATES)) {
          const [terminalId, uuid] = [`T${life}-${n}`, `${kind}-${life}-${n}`];
          const answer = await caller.life(uuid);
          if (answer?.status === 404) forgotten++;
          else if (answer?.status === 200) {
            const state = String(member(answer.body, "data", "state"));
            assert.ok(states.includes(state), `${uuid} is ${state}`);
            assert.equal(member(answer.body, "data", "terminalId"), terminalId);
            if (state === "done") assertResult(await caller.result(uuid), 1_000 + n);
          } else assert.equal(answer?.status, 503, `${uuid}: ${answer?.text}`);
        }
      }
    }
    const after = await caller.pay("after", "after");
    assert.ok(after?.status === 200 || after?.status === 503, after?.text);
  } finally {
    await caller.close();
  }
  return forgotten;
}

function assertResult(answer: Answer | null, amountCents: number): void {
  if (answer?.status === 503) return;
  assertStatus(200, answer);
  assert.equal(member(answer?.body, "data", "status"), "OK");
  assert.equal(member(answer?.body, "data", "amountCents"), amountCents);
}

function assertStatus(status: number, answer: Answer | null): void {
  assert.equal(answer?.status, status, answer?.text ?? "no answer");
}
