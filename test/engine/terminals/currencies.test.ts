import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { command, openWorld, pollUuid, posting, type World } from "../world.ts";

/** A world in which the tests say which currency T1 is configured for. */
async function currencyWorld() {
  const configured: { currency: string | null } = { currency: null };
  return { configured, world: await openWorld({ administered: { currencyOf: () => configured.currency } }) };
}

/** A payment in this currency that its terminal has taken; undefined where nobody named one. */
async function taken({ shard, ...world }: World, uuid: string, currency?: string): Promise<void> {
  await shard.terminals.accept(command(world, uuid, currency === undefined ? {} : { currency }));
  assert.equal(await pollUuid(shard), uuid);
}

async function recorded({ shard }: World, uuid: string, members: Record<string, unknown>) {
  const outcome = await shard.terminals.recordResult(posting(uuid, members));
  const view = await shard.terminals.command(uuid, 0);
  return { outcome: outcome.type, currency: view?.transaction?.currency, differs: view?.amountDiffers };
}

/** What operators have to look at, with the reason. */
async function attentionIn({ shard }: World): Promise<string[]> {
  const items = await shard.terminals.attention({ after: "", limit: 100 });
  return items.map(({ item }) => `${item.kind} ${item.uuid} ${item.detail}`).sort();
}

describe("the currency of a result", () => {
  it("is its command's where the terminal names none, also after a restart and when it comes late", async () => {
    const { world } = await currencyWorld();
    await taken(world, "a", "USD");
    assert.deepEqual(await recorded(world, "a", {}), { outcome: "recorded", currency: "USD", differs: false });
    await taken(world, "late", "USD");
    await world.pass(400_000);
    const again = await world.restart();
    assert.deepEqual(await recorded(again, "late", {}), { outcome: "recorded", currency: "USD", differs: false });
    assert.deepEqual(await attentionIn(again), []);
  });

  it("is kept and flagged where it is another one than its command's, and never refused", async () => {
    const { world } = await currencyWorld();
    for (const [uuid, currency, kept] of [
      ["code", "USD", "USD"],
      ["number", "756", "CHF"],
      ["unknown", "XQX", "XQX"],
    ] as const) {
      await taken(world, uuid, "EUR");
      assert.deepEqual(await recorded(world, uuid, { currency }), { outcome: "recorded", currency: kept, differs: true });
    }
    assert.deepEqual(await attentionIn(world), [
      "amount_differs code The result's currency differs from its command's",
      "amount_differs number The result's currency differs from its command's",
      "amount_differs unknown The result's currency differs from its command's",
      "currency_unknown unknown The result's currency is not a known one; it is stored as received",
    ]);
  });

  it("is compared with nothing where nobody named one for the command, or as it is named in another way", async () => {
    const { world } = await currencyWorld();
    await taken(world, "none");
    assert.deepEqual(await recorded(world, "none", { currency: "USD" }), { outcome: "recorded", currency: "USD", differs: false });
    await taken(world, "number", "EUR");
    assert.deepEqual(await recorded(world, "number", { currency: "978" }), { outcome: "recorded", currency: "EUR", differs: false });
    await taken(world, "neither");
    assert.deepEqual(await recorded(world, "neither", {}), { outcome: "recorded", currency: "EUR", differs: false });
    assert.deepEqual(await attentionIn(world), []);
  });

  it("is the terminal's configured one where there is no command, and stays what it was when the result comes again", async () => {
    const { configured, world } = await currencyWorld();
    configured.currency = "CHF";
    assert.deepEqual(await recorded(world, "unasked", {}), { outcome: "recorded", currency: "CHF", differs: false });
    configured.currency = "USD";
    assert.deepEqual(await recorded(world, "unasked", {}), { outcome: "repeated", currency: "CHF", differs: false });
    assert.deepEqual((await recorded(world, "unasked", { currency: "USD" })).outcome, "conflict");
  });
});
