import assert from "node:assert/strict";
import { test } from "node:test";
import { webhookSecretPlace } from "../../../engine/webhooks/webhook-endpoint.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { event, MERCHANT, PARTNER, START_MS, turn, world } from "./webhook-world.ts";

/** More endpoints than an owner can register, as later formats may have them. */
async function manyEndpoints({ register, endpoints, box }: ReturnType<typeof world>, count: number): Promise<void> {
  const { id, secret } = await register("https://shop.example/0");
  const first = await endpoints.load(id);
  assert.ok(first !== null);
  for (let index = 1; index < count; index += 1) {
    const moreId = `we_${String(index).padStart(24, "0")}`;
    const secrets = [{ sealed: box.seal(secret, webhookSecretPlace(moreId)), untilMs: null, madeBy: "operation" }];
    const more = { ...first.record, id: moreId, secrets, url: `https://shop.example/${index}` };
    await endpoints.replace({ record: more, version: 0 }, more);
  }
}

/** Puts them into the list of their owner, too. */
async function listed(kv: MemoryKv): Promise<void> {
  const ids = kv.keys("webhook-endpoint/").map((key) => key.slice("webhook-endpoint/".length));
  await kv.commit({
    checks: [],
    operations: ids.map((id) => ({ type: "put", key: `webhook-endpoint-of/m/M1/${id}`, value: "1" }) as const),
  });
}

test("an event for many endpoints is fanned out in bounded commits, and each delivery tells the same count", async () => {
  const kv = new MemoryKv();
  const opened = world({ kv });
  await manyEndpoints(opened, 450);
  await listed(kv);
  await opened.register("https://partner.example/", {}, PARTNER);
  await opened.happen(event("1"));
  const sizes: number[] = [];
  kv.fate = ({ operations }) => {
    sizes.push(operations.length);
    return "done";
  };
  opened.machinery[0]?.fanOut.tick();
  await turn();
  assert.ok(
    sizes.every((size) => size <= 500),
    `${sizes.join(", ")} entries`,
  );
  const stored = await opened.deliveries.ofEvent(event("1").id, 1_000);
  assert.equal(stored.length, 451);
  assert.ok(stored.every(({ record }) => record.pendingWebhooks === 451));
  assert.deepEqual(kv.keys("webhook-outbox/"), []);
});

for (const fate of ["refused", "answer lost"] as const) {
  test(`a fan-out that is ended at any of its commits (${fate}) is finished by the next node, and nothing comes twice`, async () => {
    for (let dies = 0; dies < 6; dies += 1) {
      const kv = new MemoryKv();
      const opened = world({ kv, nodes: 2 });
      await manyEndpoints(opened, 350);
      await listed(kv);
      await opened.happen(event("1"));
      let commits = 0;
      kv.fate = () => {
        commits += 1;
        return commits - 1 === dies ? fate : commits - 1 > dies ? "refused" : "done";
      };
      opened.machinery[0]?.fanOut.tick();
      await turn();
      kv.fate = () => "done";
      opened.machinery[1]?.fanOut.tick();
      await turn();
      const stored = await opened.deliveries.ofEvent(event("1").id, 1_000);
      assert.equal(stored.length, 350);
      assert.ok(stored.every(({ record }) => record.pendingWebhooks === 350));
      const { machinery, posted } = opened;
      for (let round = 0; round < 8; round += 1) {
        machinery[1]?.sender.tick();
        await turn();
        opened.advance(1_000);
      }
      assert.equal(posted.length, 350);
      assert.equal(new Set(posted.map(({ url }) => url)).size, 350);
      assert.deepEqual(kv.keys("webhook-outbox/"), []);
    }
  });
}

test("two nodes that fan out the same events at once make each delivery once", async () => {
  const opened = world({ nodes: 2 });
  for (let index = 0; index < 5; index += 1) await opened.register(`https://shop.example/${index}`);
  await opened.happen(...Array.from({ length: 20 }, (_, index) => event(`${index}`)));
  for (const { fanOut } of opened.machinery) fanOut.tick();
  await turn();
  assert.deepEqual(opened.failures, []);
  assert.equal(await opened.deliveries.count("waiting", 1_000), 100);
});

test("an event that happens again in the same commit, as a repetition, is delivered once", async () => {
  const { register, happen, tick, posted } = world();
  await register("https://shop.example/");
  await happen(event("1"));
  await tick();
  await happen(event("1"));
  await tick();
  await tick();
  assert.equal(posted.length, 1);
});

test("an event names the version of its endpoint, else the merchant's default, else the latest", async () => {
  const { register, happen, tick, posted, versions } = world();
  await register("https://shop.example/own", { apiVersion: "2026-03-25.dahlia" });
  await register("https://shop.example/none");
  await happen(event("1"));
  await tick();
  assert.equal(await versions.versionOf("M1"), null);
  await versions.choose("M1", "2027-01-01.later");
  await versions.choose("M1", "2026-07-29.dahlia");
  await happen(event("2"));
  await tick();
  assert.deepEqual(posted.map(({ url, body }) => `${url.slice(-4)} ${JSON.parse(body).api_version}`).sort(), [
    "/own 2026-03-25.dahlia",
    "/own 2026-03-25.dahlia",
    "none 2026-07-29.dahlia",
    "none 2026-10-28.endive",
  ]);
});

test("an event for which there is nobody leaves the outbox, and one that is not kept any more, too", async () => {
  const kv = new MemoryKv();
  const { happen, tick, machinery } = world({ kv });
  await happen(event("1"), event("2"));
  await kv.commit({ checks: [], operations: [{ type: "delete", key: `webhook-event/${event("2").id}` }] });
  machinery[0]?.fanOut.tick();
  await turn();
  assert.equal(machinery[0]?.fanOut.oldestMs(), START_MS);
  assert.deepEqual(kv.keys("webhook-outbox/"), []);
  await tick();
  await tick();
  assert.equal(machinery[0]?.fanOut.oldestMs(), null);
});

test("a disabled endpoint gets nothing, and what happened meanwhile is not made up for", async () => {
  const { register, happen, tick, posted, webhookEndpoints } = world();
  const { id } = await register("https://shop.example/");
  await webhookEndpoints.change(MERCHANT, false, id, { disabled: true });
  await happen(event("1"));
  await tick();
  await webhookEndpoints.change(MERCHANT, false, id, { disabled: false });
  await tick();
  assert.equal(posted.length, 0);
  await happen(event("2"));
  await tick();
  assert.equal(posted.length, 1);
});
