import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import { capturedMinor, type IntentRecord, paidAttempt, statusOf } from "../../../engine/intents/intent.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { type Commit, type CommitResult, type Kv, StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { reversalIdOf } from "../../../engine/links/link.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { FakeGateway } from "../links/world.ts";
import { ManualClock, settle } from "../world.ts";
import { intentOrder, keptOf, OWNER, openShard, operation, type Shard } from "./world.ts";

const MINUTE_MS = 60_000;
const UNREAD = { resultCode: "GW_30401", description: "The signature does not match" };
const REFUSED = { resultCode: "GW_30009", description: "no" };

/**
 * Actions of the merchant, the buyer, the gateway, the store and the time. Requests of the merchant
 * with the same key are the same request.
 */
type Deed =
  | { does: "confirm" | "cancel" | "refund"; key: number }
  | { does: "capture"; key: number; part: boolean }
  | { does: "update"; amountMinor: number }
  | { does: "pays" | "fails" | "expires" | "notifies"; attempt: number }
  | { does: "gateway"; mode: FakeGateway["mode"]; refuses: FakeGateway["refuses"] }
  | { does: "loses"; stored: boolean; after: number }
  | { does: "passes"; ms: number };

const key = fc.integer({ min: 1, max: 2 });
const attempt = fc.constantFrom(1, 1, 1, 2, 2, 3);
const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constant("confirm" as const), key }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constantFrom("cancel" as const, "refund" as const), key }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("capture" as const), key, part: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("update" as const), amountMinor: fc.constantFrom(1_234, 2_000) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constantFrom("pays" as const, "pays" as const, "fails" as const, "expires" as const, "notifies" as const),
      attempt,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("gateway" as const),
      mode: fc.constantFrom("there" as const, "there" as const, "away" as const, "lost" as const),
      refuses: fc.constantFrom(null, null, UNREAD, REFUSED),
    }),
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("loses" as const), stored: fc.boolean(), after: fc.integer({ min: 0, max: 4 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      does: fc.constant("passes" as const),
      ms: fc.constantFrom(1_000, 31_000, 61_000, 6 * MINUTE_MS, 65 * MINUTE_MS, 65 * MINUTE_MS),
    }),
  },
);
/** One action alone, or two concurrently. */
const deeds = fc.array(fc.record({ one: deed, other: fc.option(deed) }), { minLength: 3, maxLength: 30, size: "max" });

class LosingKv extends MemoryKv {
  loses: { stored: boolean; after: number } | null = null;

  override async commit(commit: Commit): Promise<CommitResult> {
    const { loses } = this;
    if (loses === null) return super.commit(commit);
    if (loses.after > 0) {
      this.loses = { ...loses, after: loses.after - 1 };
      return super.commit(commit);
    }
    this.loses = null;
    if (loses.stored) await super.commit(commit);
    throw new StorageUnavailable("the answer was lost");
  }
}

class Storm {
  readonly kv = new LosingKv();
  readonly clock = new ManualClock();
  readonly gateway = new FakeGateway(this.clock.nowMs);
  readonly unexpected: unknown[] = [];
  readonly shards: Shard[];
  id = "";

  constructor() {
    const addresses = ["shard-0", "shard-1"];
    const kv: Kv = this.kv;
    const failed = (_what: string, error: unknown) => this.#note(error);
    this.shards = addresses.map((self) => openShard({ ...{ kv, self, addresses, failed }, gateway: this.gateway, clock: this.clock }));
  }

  #note(error: unknown): void {
    if (!(error instanceof RelayError)) this.unexpected.push(error);
  }

  shard(index: number): Shard {
    const shard = this.shards[index % this.shards.length];
    if (shard === undefined) throw new Error("no shard");
    return shard;
  }

  async record(): Promise<IntentRecord> {
    const record = await this.shard(0).intents.find(OWNER, this.id);
    if (record === null) throw new Error("no intent");
    return record;
  }

  async passes(ms: number): Promise<void> {
    this.clock.advance(ms);
    for (let turn = 0; turn < 2; turn += 1) {
      for (const { tick } of this.shards) tick();
      await settle();
      // The index is read once a second.
      this.clock.advance(1_000);
    }
  }

  async does(what: Deed, index: number): Promise<void> {
    const { intents, links } = this.shard(index);
    const { id } = this;
    try {
      switch (what.does) {
        case "confirm":
          await intents.confirm(OWNER, id, {}, operation(`confirm-${what.key}`));
          break;
        case "cancel":
          await intents.cancel(OWNER, id, null, operation(`cancel-${what.key}`));
          break;
        case "capture":
          await intents.capture(OWNER, id, what.part ? 1_000 : null, operation(`capture-${what.key}-${what.part}`));
          break;
        case "refund":
          await intents.refund(OWNER, { intentId: id }, { amountMinor: null, reason: null, metadata: {} }, operation(`refund-${what.key}`));
          break;
        case "update":
          await intents.update(OWNER, id, { amountMinor: what.amountMinor }, operation("update"));
          break;
        case "pays":
          if (this.#isUnpaid(what.attempt)) this.gateway.pay(`${id}.${what.attempt}`);
          break;
        case "fails":
        case "expires":
          if (this.#isUnpaid(what.attempt)) {
            const resultCode = what.does === "fails" ? "GW_10001" : "GW_20002";
            this.gateway.set(`${id}.${what.attempt}`, {
              type: "failed",
              paymentId: `g-${id}.${what.attempt}`,
              resultCode,
              description: "no",
            });
          }
          break;
        case "notifies":
          await links.notified({ merId: null, txId: `${id}.${what.attempt}`, paymentId: null }, null);
          break;
        case "gateway":
          this.gateway.mode = what.mode;
          this.gateway.refuses = what.refuses;
          break;
        case "loses":
          this.kv.loses = what;
          break;
        case "passes":
          await this.passes(what.ms);
      }
    } catch (error) {
      this.#note(error);
    }
  }

  #isUnpaid(n: number): boolean {
    const state = this.gateway.payments.get(`${this.id}.${n}`)?.state.type;
    return state !== undefined && state !== "paid";
  }

  /** Makes everything available again, and asks everybody. */
  async calm(): Promise<void> {
    this.gateway.mode = "there";
    this.gateway.refuses = null;
    this.kv.loses = null;
    for (let round = 0; round < 3; round += 1) {
      for (const txId of this.gateway.payments.keys()) await this.shard(0).links.verifyNow(txId);
      for (let hours = 0; hours < 8; hours += 1) await this.passes(7 * 60 * MINUTE_MS);
    }
  }
}

it("keeps at most one payment, which the intent names, under any order of concurrent actions", {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom("automatic" as const, "manual" as const), deeds, async (captureMethod, all) => {
      const storm = new Storm();
      const { id } = await storm.shard(0).intents.create(OWNER, intentOrder({ captureMethod }), operation("create"));
      storm.id = id;
      await storm.does({ does: "confirm", key: 1 }, 0);
      let succeeded = false;
      for (const { one, other } of all) {
        await Promise.all([storm.does(one, 0), other === null ? null : storm.does(other, 1)]);
        await settle();
        const payable = [...storm.gateway.payments.values()].filter(({ state }) => state.type === "pending");
        assert.ok(payable.length <= 1, "never two that could be paid");
        const status = statusOf(await storm.record());
        if (succeeded) assert.equal(status, "succeeded", "what has succeeded stays so");
        succeeded = status === "succeeded";
      }
      await storm.calm();
      assert.deepEqual(storm.unexpected, []);

      const record = await storm.record();
      const status = statusOf(record);
      const paid = paidAttempt(record);
      const kept = [...keptOf(storm.gateway)].flatMap(([txId, count]) => (count === 0 ? [] : [txId]));
      const executed = [...storm.gateway.executed.values()];
      // A reversal that the gateway refuses is left to operators.
      const links = await Promise.all(record.attempts.map(({ txId }) => storm.shard(0).links.byTxId(txId)));
      const leftToOperators = links.flatMap((link) => (link?.reversalOwed?.state === "refused" ? [link.order.txId] : []));
      const isRefunded = executed.some(({ operation: kind }) => kind === "refund");
      const wanted = status === "requires_capture" || (status === "succeeded" && !isRefunded) ? [paid?.txId ?? ""] : [];
      assert.deepEqual(
        kept.filter((txId) => !leftToOperators.includes(txId)),
        wanted,
      );
      for (const { txId } of record.attempts) {
        const followUps = executed.filter(({ origTranId }) => origTranId === `m-${txId}`);
        const reversals = followUps.filter(({ operation: kind }) => kind === "reversal");
        assert.ok(reversals.length <= 1, "reversed once");
        assert.ok(followUps.filter(({ operation: kind }) => kind === "capture").length <= 1, "captured once");
        assert.ok(reversals.length === 0 || followUps.length === 1, "what was reversed was neither captured nor refunded");
        if (txId === paid?.txId)
          assert.ok(!executed.some((one) => one.txId === reversalIdOf(txId)), "what is wanted is not reversed by the relay");
      }
      const refunds = executed.filter(({ operation: kind }) => kind === "refund");
      assert.ok(refunds.length <= 1, "refunded once");
      if (status === "succeeded" && paid !== null) {
        assert.equal(paid.paid?.amountMinor, record.order.amountMinor);
        for (const { amount } of refunds) assert.equal(Math.round(Number(amount) * 100), capturedMinor(paid));
      }
    }),
    { numRuns: 150, includeErrorInReport: true },
  );
});
