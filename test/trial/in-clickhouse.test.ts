import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { LifeRow } from "../../engine/payments/feed-row.ts";
import { connectClickHouse } from "../../storage/clickhouse/client.ts";
import { migrate } from "../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../storage/feed/feed-sink.ts";
import { History } from "../fault/history.ts";
import { ADMIN, sharedClickHouse } from "../storage/clickhouse/clickhouse-world.ts";
import { START_MS, transactionRow } from "../storage/feed/feed-world.ts";
import { inClickHouse } from "./in-clickhouse.ts";

const DAY_MS = 86_400_000;

describe("what the trial asks of ClickHouse", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  before(() => migrate(client));

  it("tells each result that is missing, there twice, or another one, and each command of a result that is not done", async () => {
    const history = new History(new Set());
    const posted = ["whole", "missing", "twice", "another", "unknown"].map((uuid) => {
      const course = history.begin(uuid, "T1", 500);
      history.executed(uuid, "OK");
      return course;
    });
    const life = (uuid: string, state: LifeRow["state"]): LifeRow => ({
      type: "life",
      version: 1,
      uuid,
      terminalId: "T1",
      kind: "payment",
      service: "PAYCC",
      amountCents: 500,
      sender: "partner:1",
      state,
      acceptedAtMs: START_MS,
      sentAtMs: START_MS,
      finishedAtMs: START_MS,
      channel: "poll",
      attempt: 1,
    });
    const result = (uuid: string, members = {}) => transactionRow({ uuid, terminalId: "T1", amountCents: 500, ...members });
    await deliver(clickHouseSink(client), [
      // A row that came again is one, by FINAL.
      ...["whole", "whole", "unknown"].map((uuid) => result(uuid)),
      result("twice"),
      result("twice", { createdAtMs: START_MS + DAY_MS }),
      result("another", { amountCents: 700 }),
      ...["whole", "missing", "twice", "another"].map((uuid) => life(uuid, "done")),
      life("unknown", "unknown"),
    ]);
    const url = new URL(world.clickhouse.url);
    [url.username, url.password] = [ADMIN.username, ADMIN.password];
    assert.deepEqual(await inClickHouse(url.href, posted, 0), {
      broken: [
        "missing is in ClickHouse as [], and was T1 OK 500",
        "twice is in ClickHouse as [T1 OK 500, T1 OK 500], and was T1 OK 500",
        "another is in ClickHouse as [T1 OK 700], and was T1 OK 500",
        "unknown has a result, and its command is in ClickHouse as [unknown]",
      ],
      states: "done 4, unknown 1",
    });
    assert.deepEqual((await inClickHouse(url.href, posted.slice(0, 1), 0)).broken, []);
    await client.close();
  });
});
