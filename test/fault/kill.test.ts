import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { readAnalystAccess } from "../../storage/clickhouse/analyst-access.ts";
import { seededRandom } from "../storage/kv/random.ts";
import { atEnd } from "../storage/kv/world.ts";
import { type Course, History } from "./history.ts";
import { fleetOf, Load } from "./load.ts";
import { assertNothingViolated, lookUp } from "./look-up.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess } from "./node-process.ts";
import { RelayCaller } from "./relay-caller.ts";
import { assertInClickHouseOnce, assertListedOnce, until } from "./stored-once.ts";

const ROUNDS = 20;
/** Of these rounds one is killed before it is ready. */
const KILLED_EARLY_ONE_IN = 6;
/** Its start costs more than the rest of the node's; the others keep their results for later. */
const WITH_CLICKHOUSE_ONE_IN = 3;
/** A few seconds on a machine of its own. Where other tests take the machine's time, the first start, which has nothing to recover, is slow too. */
const BACK_WITHIN_MS = 15_000;
const TIMES_FIRST_START = 3;

/** Commands of the rounds before that are looked up again after each restart; at the end all are. */
const LOOKED_UP_EACH_ROUND = 300;

describe("a node that is killed at random moments under load", () => {
  it(`keeps what it promised over ${ROUNDS} lives, with one shard and with two`, { timeout: 900_000 }, async (test) => {
    const random = seededRandom(test);
    const place = await placeOf(test);
    const fleet = fleetOf({ poll: 8, websocket: 6, redelivering: 6, away: 2 });
    const history = new History(fleet.redelivering);
    const url = `http://127.0.0.1:${place.port}`;
    const caller = new RelayCaller(url);
    const load = new Load({ history, fleet, caller, url, random, partners: 12 });
    atEnd(test, async () => {
      await load.stop();
      await caller.close();
    });
    const start = (round: number): NodeProcess =>
      startNodeProcess(test, {
        ...place,
        environment: {
          RELAY_SHARDS: String(1 + (round % 2)),
          ...(round % WITH_CLICKHOUSE_ONE_IN === 0 || round === ROUNDS ? {} : NO_CLICKHOUSE),
        },
      });

    const readyMs: number[] = [];
    await load.start();
    for (let round = 0; round < ROUNDS; round++) {
      const node = start(round);
      if (round > 0 && random(KILLED_EARLY_ONE_IN) === 0) await delay(random(1_500));
      else {
        readyMs.push(await node.ready());
        await lookUp(caller, history, sample([...history.courses.values()], LOOKED_UP_EACH_ROUND, random));
        await delay(random(800));
      }
      await node.kill();
      assertNothingViolated(history);
    }

    const node = start(ROUNDS);
    readyMs.push(await node.ready());
    load.stopPaying();
    const courses = [...history.courses.values()];
    await until("every result is acknowledged", 60_000, () =>
      courses.every(({ outcome, postedMs }) => outcome === null || postedMs !== null),
    );
    await load.stop();
    await lookUp(caller, history, courses);
    history.finish();
    assertNothingViolated(history);

    const posted = courses.filter(({ postedMs }) => postedMs !== null);
    test.diagnostic(summary(courses, readyMs));
    assert.ok(posted.length > 10 * ROUNDS, `only ${posted.length} results`);
    const [firstMs = 0] = readyMs;
    const backWithinMs = Math.max(BACK_WITHIN_MS, TIMES_FIRST_START * firstMs);
    assert.ok(Math.max(...readyMs) < backWithinMs, `it took ${Math.max(...readyMs)} ms to come back, and ${firstMs} ms to start first`);
    await assertListedOnce(caller, fleet.terminals.keys(), posted);
    const address = await readAnalystAccess(place.dataDirectory);
    assert.ok(address !== null, "the node says nowhere where its ClickHouse is");
    await assertInClickHouseOnce(address, posted);
  });
});

function sample<T>(items: T[], count: number, random: (below: number) => number): T[] {
  return items.length <= count
    ? items
    : Array.from({ length: count }, () => items[random(items.length)]).filter((item) => item !== undefined);
}

function summary(courses: readonly Course[], readyMs: readonly number[]): string {
  const count = (holds: (course: Course) => boolean) => courses.filter(holds).length;
  return [
    `${courses.length} pays`,
    `${count(({ acceptedMs }) => acceptedMs !== null)} accepted`,
    `${count(({ unanswered }) => unanswered > 0)} without an answer at first`,
    `${count(({ refused }) => refused)} refused`,
    `${count(({ handedOutMs }) => handedOutMs.length > 0)} handed out`,
    `${count(({ handedOutMs }) => handedOutMs.length > 1)} more than once to terminals that remember`,
    `${count(({ postedMs }) => postedMs !== null)} results`,
    `${count(({ expiredMs }) => expiredMs !== null)} seen expired`,
    `ready after ${Math.round(Math.min(...readyMs))} to ${Math.round(Math.max(...readyMs))} ms`,
  ].join(", ");
}
