import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SANDBOX_MERCHANT } from "../../infra/node/boot/sandbox-names.ts";
import { readXlsx } from "../http/exports/world.ts";
import { atEnd } from "../storage/kv/world.ts";
import { assertMatches, listOf, member, textMember } from "../support/http/matches.ts";
import { TestGateway } from "../support/node/gateway.ts";
import { NO_CLICKHOUSE, type NodeProcess, placeOf, startNodeProcess, untilStopped } from "./node-process.ts";
import { ADMINISTRATOR } from "./relay-caller.ts";

/** A dead node's lease ends after a minute; a busy machine takes its time. */
const FOUND_WITHIN_MS = 180_000;

const LINKS = 450;

/** How often it is looked whether a file is being made, and at how many of these looks the node is asked, which has so many requests in a second. */
const LOOK_MS = 2;
const LOOKS_PER_QUESTION = 20;

async function world(test: TestContext) {
  const gateway = await TestGateway.start();
  atEnd(test, () => gateway.stop());
  const place = await placeOf(test);
  const url = `http://127.0.0.1:${place.port}`;

  async function start(): Promise<NodeProcess> {
    const node = startNodeProcess(test, { ...place, environment: { RELAY_SHARDS: "2", RELAY_GATEWAY_URL: gateway.url, ...NO_CLICKHOUSE } });
    await node.ready();
    return node;
  }

  async function ask(method: string, path: string, body?: object): Promise<{ status: number; bytes: Buffer; body: unknown }> {
    const answer = await fetch(`${url}/api/merchant${path}`, {
      method,
      headers: { authorization: `Bearer ${SANDBOX_MERCHANT.keys.secret}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const bytes = Buffer.from(await answer.arrayBuffer());
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: answer.status, bytes, body: isJson ? JSON.parse(bytes.toString("utf8")) : undefined };
  }

  async function stateOf(id: string): Promise<string> {
    return textMember((await ask("GET", `/exports/${id}`)).body, "data", "state");
  }

  async function files(): Promise<string[]> {
    const folder = join(place.dataDirectory, "exports");
    // It is made with the first file.
    const [installation] = await readdir(folder).catch(() => []);
    return installation === undefined ? [] : readdir(join(folder, installation));
  }

  return { start, ask, stateOf, files };
}

async function created(ask: Awaited<ReturnType<typeof world>>["ask"]): Promise<string> {
  const made = await ask("POST", "/exports", { list: "payment-links", format: "XLSX", lang: "en", columns: ["id", "amount"] });
  assert.equal(made.status, 201, made.bytes.toString("utf8"));
  return textMember(made.body, "data", "id");
}

it("an export whose node is killed while it makes it is made after all, exactly once", { timeout: 900_000 }, async (test) => {
  const { start, ask, stateOf, files } = await world(test);
  let node = await start();
  // More calls than a merchant usually makes in a minute.
  const limited = await fetch(`${node.url}/admin/api/merchants/${SANDBOX_MERCHANT.merchantId}`, {
    method: "PATCH",
    headers: { ...ADMINISTRATOR, "content-type": "application/json" },
    body: JSON.stringify({ compatRequestsPerMinute: 10_000 }),
  });
  assert.equal(limited.status, 200, await limited.text());
  const ids: string[] = [];
  for (let made = 0; made < LINKS; made += 50) {
    const links = await Promise.all(
      Array.from({ length: 50 }, (_, index) => ask("POST", "/payment-links", { amountMinor: 1_000 + made + index, description: "One" })),
    );
    ids.push(...links.map(({ body }) => textMember(body, "data", "id")));
    // An address has so many requests in a second.
    await delay(1_000);
  }

  const isMaking = async () => (await files()).some((name) => name.startsWith(".making-"));
  // Stopped as soon as it is seen that its file is being made, and killed where it is still: where one is ready before that, another one is asked for.
  let killed: string | null = null;
  for (let tries = 0; tries < 10 && killed === null; tries += 1) {
    const id = await created(ask);
    for (let look = 1; killed === null; look += 1) {
      if (await isMaking()) {
        node.signal("SIGSTOP");
        await untilStopped(node);
        if (await isMaking()) killed = id;
        else node.signal("SIGCONT");
      }
      if (killed === null && look % LOOKS_PER_QUESTION === 0 && (await stateOf(id)) === "READY") break;
      await delay(LOOK_MS);
    }
  }
  await node.kill();
  assert.ok(killed !== null, "no export was ever seen being made");
  const before = await files();
  node = await start();
  const giveUpAt = performance.now() + FOUND_WITHIN_MS;
  while ((await stateOf(killed)) !== "READY") {
    assert.ok(performance.now() < giveUpAt, `it is ${await stateOf(killed)}`);
    await delay(1_000);
  }

  const shown = member((await ask("GET", `/exports/${killed}`)).body, "data");
  assertMatches(shown, { state: "READY", rows: LINKS, failure: null });
  const listed = listOf(member((await ask("GET", "/exports?limit=200")).body, "data", "items"));
  assert.equal(listed.filter((one) => member(one, "id") === killed).length, 1);
  const [one, again] = [await ask("GET", `/exports/${killed}/file`), await ask("GET", `/exports/${killed}/file`)];
  assert.equal(one.status, 200);
  assert.equal(one.bytes.byteLength, member(shown, "bytes"));
  assert.ok(one.bytes.equals(again.bytes));
  const [, ...lines] = readXlsx(one.bytes).rows;
  assert.deepEqual(lines.map(([cell]) => cell?.value).sort(), ids.sort());
  const sum = lines.reduce((all, [, amount]) => all + Math.round(Number(amount?.value) * 100), 0);
  assert.equal(
    sum,
    Array.from({ length: LINKS }, (_, index) => 1_000 + index).reduce((all, amount) => all + amount, 0),
  );
  // One file more than before the restart, beside what the dead node was writing.
  const keptOf = (names: readonly string[]) => names.filter((name) => name.startsWith("export-"));
  const after = await files();
  assert.equal(keptOf(after).length, listed.length);
  assert.equal(keptOf(after).length, keptOf(before).length + 1);
  // The place of the dead attempt is free again: two may be under way.
  await created(ask);
  await created(ask);
  await node.kill();
});
