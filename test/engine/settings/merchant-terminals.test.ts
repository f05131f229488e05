import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttentionItem } from "../../../engine/payments/attention.ts";
import { attentionOperation } from "../../../engine/payments/attention.ts";
import { createAttentionStore } from "../../../engine/payments/attention-store.ts";
import type { Command } from "../../../engine/payments/command.ts";
import type { CloudConfig } from "../../../engine/settings/cloud-config.ts";
import { createMerchantAttention } from "../../../engine/settings/merchant-attention.ts";
import { createMerchantTerminals, MERCHANT_TERMINALS_MAX } from "../../../engine/settings/merchant-terminals.ts";
import { createTerminalsByMerchant } from "../../../engine/settings/terminals-by-merchant.ts";
import type { CommandView, Sight, TerminalView } from "../../../engine/terminals/terminals.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock } from "../world.ts";

function config(terminalId: string, merchantId: string | null, group: string | null = null): CloudConfig {
  return { schema: 1, terminalId, merchantId, group, family: null, settings: {}, updatedAtMs: 1 };
}

function view(terminalId: string): TerminalView {
  return { terminalId, connectionStatus: "NEVER_CONNECTED", connected: false, sessions: 0, device: {}, queued: 0, sent: 0 };
}

test("a merchant's terminals follow each change of a configuration, by id", () => {
  const terminals = createTerminalsByMerchant();
  const change = (terminalId: string, after: string | null, before: string | null) =>
    terminals.changed(
      terminalId,
      after === "gone" ? null : config(terminalId, after),
      before === "new" ? null : config(terminalId, before),
    );
  change("T2", "A", "new");
  change("T1", "A", "new");
  change("T3", null, "new");
  assert.deepEqual(terminals.of("A"), ["T1", "T2"]);
  change("T1", "B", "A");
  change("T3", "A", null);
  change("T2", "A", "A");
  assert.deepEqual([terminals.of("A"), terminals.of("B")], [["T2", "T3"], ["T1"]]);
  change("T2", "gone", "A");
  change("T3", null, "A");
  assert.deepEqual([terminals.of("A"), terminals.of("B"), terminals.has("B", "T1"), terminals.has("A", "T1")], [[], ["T1"], true, false]);
});

function terminalsWorld() {
  const clock = new ManualClock();
  const byMerchant = createTerminalsByMerchant();
  const configs = new Map<string, CloudConfig>();
  const asked: string[] = [];
  function assign(terminalId: string, merchantId: string | null, group: string | null = null): void {
    const [after, before] = [config(terminalId, merchantId, group), configs.get(terminalId) ?? null];
    configs.set(terminalId, after);
    byMerchant.changed(terminalId, after, before);
  }
  const terminals = createMerchantTerminals({
    byMerchant,
    configOf: (terminalId) => configs.get(terminalId),
    terminals: {
      connection: async (terminalId) => {
        asked.push(terminalId);
        return view(terminalId);
      },
    },
    clock,
  });
  return { clock, byMerchant, assign, terminals, asked };
}

test("those who look at once share one look, and a terminal that was given away is shown no more", async () => {
  const { clock, assign, terminals, asked } = terminalsWorld();
  assign("T1", "A", "front desk");
  assign("T2", "A");
  assign("T3", "B");
  const idsOf = async (merchantId: string) => (await terminals.all(merchantId)).map(({ view: { terminalId } }) => terminalId);
  assert.deepEqual(await Promise.all([idsOf("A"), idsOf("A"), idsOf("B")]), [["T1", "T2"], ["T1", "T2"], ["T3"]]);
  assert.deepEqual(asked, ["T1", "T2", "T3"]);
  assign("T2", "B");
  assert.deepEqual(await idsOf("A"), ["T1"]);
  clock.advance(2_000);
  assert.deepEqual(await idsOf("B"), ["T2", "T3"]);
  assert.equal((await terminals.find("A", "T1"))?.group, "front desk");
  assert.equal(await terminals.find("A", "T2"), null);
  assert.equal(await terminals.find("nobody", "T9"), null);
});

test("a list has an end", async () => {
  const { assign, terminals } = terminalsWorld();
  for (let index = 0; index <= MERCHANT_TERMINALS_MAX; index += 1) assign(`T${String(index).padStart(5, "0")}`, "A");
  assert.equal((await terminals.all("A")).length, MERCHANT_TERMINALS_MAX);
  assert.equal(terminals.count("A"), MERCHANT_TERMINALS_MAX + 1);
});

test("what a merchant has to look at is its own, newest first, and nothing of when its terminal was another's", async () => {
  const clock = new ManualClock();
  const kv = new MemoryKv();
  const byMerchant = createTerminalsByMerchant();
  for (const terminalId of ["T1", "T10", "T2"]) byMerchant.changed(terminalId, config(terminalId, terminalId === "T10" ? "B" : "A"), null);
  const shops = new Map<string, string | null>();
  let count = 0;
  async function flag(kind: AttentionItem["kind"], terminalId: string, uuid: string, shop: string | null): Promise<void> {
    count += 1;
    shops.set(`${terminalId} ${uuid}`, shop);
    const item: AttentionItem = { kind, terminalId, uuid, atMs: clock.nowMs() + count, detail: "", raw: null };
    await kv.commit({ checks: [], operations: [attentionOperation(item)] });
  }
  await flag("unknown", "T1", "u1", "A");
  await flag("amount_differs", "T2", "u2", "A");
  await flag("conflict", "T1", "u3", "A");
  await flag("unknown", "T10", "u4", "B");
  await flag("unknown", "T1", "u5", "B");
  await flag("amount_differs", "T1", "u6", null);

  const command = async (uuid: string, _waitMs: number, maySee: Sight = () => true): Promise<CommandView | null> => {
    const found = [...shops].find(([key]) => key.endsWith(` ${uuid}`) && maySee(key.split(" ")[0] ?? "", null));
    return found === undefined ? null : lifeOf(uuid, found[0].split(" ")[0] ?? "", found[1]);
  };
  const attention = createMerchantAttention({ byMerchant, items: createAttentionStore(kv), terminals: { command }, clock });
  const shown = async (merchantId: string) => (await attention(merchantId)).map(({ kind, uuid }) => `${kind} ${uuid}`);
  assert.deepEqual(await shown("A"), ["amount_differs u2", "unknown u1"]);
  assert.deepEqual(await shown("B"), ["unknown u4"]);
  assert.deepEqual(await shown("C"), []);
  for (let index = 0; index < 30; index += 1) await flag("unknown", "T1", `more-${index}`, "A");
  assert.equal((await shown("A")).length, 2, "a recent look is shared");
  clock.advance(15_000);
  assert.ok((await shown("A")).length <= 20);
});

function lifeOf(uuid: string, terminalId: string, shop: string | null): CommandView {
  const command: Command = {
    ...{
      uuid,
      terminalId,
      kind: "payment",
      service: "PAYCC",
      amountCents: 1,
      method: "CARD",
      sender: "partner:1",
      acceptedAtMs: 1,
      expiresAtMs: 2,
    },
    ...{ payload: "", shop },
  };
  return {
    ...{ uuid, terminalId, command, state: "unknown", sentAtMs: 1, finishedAtMs: 2, channel: "poll", attempts: 1, cancelRequested: false },
    ...{ transaction: null, amountDiffers: false },
  };
}
