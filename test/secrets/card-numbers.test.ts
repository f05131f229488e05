import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { ClassicLevel } from "classic-level";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { atEnd } from "../storage/kv/world.ts";
import { filesUnder } from "../support/files-under.ts";
import { HttpClient } from "../support/http/http-client.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { assertNotAnswered, assertNotIn, plantEverywhere } from "./plant-everywhere.ts";
import { createPlanted } from "./planted.ts";

test("no card number that was put into any text of any endpoint is found in answers, metrics and logs, nor in the data directory after the end and a compaction", {
  timeout: 400_000,
}, async (context) => {
  const gateway = await TestGateway.start();
  atEnd(context, () => gateway.stop());
  const place = await placeOf(context);
  const environment = { ...NO_CLICKHOUSE, RELAY_GATEWAY_URL: gateway.url, RELAY_LOG_LEVEL: "trace" };
  const node = startNodeProcess(context, { ...place, environment });
  await node.ready();

  const planted = createPlanted(Math.random);
  let callers = 0;
  const outcome = await plantEverywhere({
    url: node.url,
    planted,
    log: node.output,
    caller: (headers) => {
      callers += 1;
      return new HttpClient(() => node.url, headers, `127.11.${callers >> 8}.${callers & 255}`);
    },
  });
  context.diagnostic(`${planted.count} numbers in ${callers} requests`);
  assert.ok(planted.count > 1_500, `only ${planted.count} numbers were put in`);
  assertNotAnswered(planted, outcome);
  assertNotIn(planted, "the logs", node.output());

  node.signal("SIGTERM");
  assert.deepEqual(await node.exited, { code: 0, signal: null }, node.output().slice(-5_000));
  // What was there until the end is in LevelDB's files until they are compacted, which it does by itself as it is written to.
  const level = new ClassicLevel(join(place.dataDirectory, "state"), { createIfMissing: false });
  await level.open();
  await level.compactRange("", "\uffff");
  await level.close();
  const files = await filesUnder(place.dataDirectory);
  assert.ok(
    files.some(({ bytes }) => planted.controlFoundIn(bytes)),
    "the search finds nothing: it looks in the wrong place",
  );
  for (const { name, bytes } of files) assertNotIn(planted, name, bytes);
});
