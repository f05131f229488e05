import assert from "node:assert/strict";
import { describe } from "node:test";
import type { AgentLinkOutcome } from "../../engine/agents/agent-credentials.ts";
import type { Clock } from "../../engine/kernel/clock.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { BY_KEY, DAY_MS, onlyTotal, openAgentShard } from "../engine/agents/world.ts";
import { FakeGateway } from "../engine/links/world.ts";
import { HOUR_MS, OWNER, operation } from "../engine/portal-links/world.ts";
import { ownWorldTest } from "./own-world.ts";

/** A store of its own for one test, empty. */
export interface OpenReservations {
  kv: Kv;
  nowMs(): number;
  close(): Promise<void>;
}

const SHARDS = 4;
const AT_ONCE = 200;
const AMOUNT = 10;
const FIT = 150;

/** What holds of links that agents make at once on several threads of several nodes, over a store; each engine's test file calls this. */
export function testAgentReservations(name: string, open: () => Promise<OpenReservations>): void {
  describe(`${name} keeps what links of agents take`, () => {
    const test = ownWorldTest(open);

    test(`of ${AT_ONCE} at once ${FIT} fit and are made; what is cancelled of them comes back`, async ({ kv, nowMs }) => {
      const failures: unknown[] = [];
      const clock: Clock = { nowMs, monotonicMs: () => performance.now() };
      const heard = { became: [], refused: [], workflow: [] };
      const addresses = Array.from({ length: SHARDS }, (_, index) => `shard-${index}`);
      const failed = (_what: string, error: unknown) => void failures.push(error);
      const shards = addresses.map((self) =>
        openAgentShard({ kv, gateway: new FakeGateway(nowMs), clock, heard, self, addresses, failed }),
      );
      const at = (index: number) => shards[index % SHARDS] ?? assert.fail();
      const scopes = ["links:create", "links:read", "links:cancel"] as const;
      const wanted = { name: "Agent", scopes, limits: onlyTotal(FIT * AMOUNT), ipAllow: [] };
      const created = await at(0).agents.create(OWNER, { ...wanted, expiresAtMs: nowMs() + 30 * DAY_MS }, BY_KEY, operation("credential"));
      assert.ok(created.type === "created");
      const { id: credentialId, name: called } = created.credential;
      const grant = { ...OWNER, credentialId, name: called, scopes };
      const order = { amountMinor: AMOUNT, currency: "EUR", description: "Two nights", reference: null, customerEmail: null };
      const make = (index: number) =>
        at(index).agents.createLink(grant, { ...order, expiresAtMs: nowMs() + 2 * HOUR_MS }, operation(`link ${index}`));
      const typesOf = (outcomes: readonly AgentLinkOutcome[]) =>
        outcomes.map((one) => (one.type === "refused" ? one.limit : one.type)).sort();
      const stands = async () => {
        const record = (await at(1).credentials.load(credentialId))?.record;
        return [record?.state, record?.reserved.totalMinor, record?.reserved.links];
      };

      const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => make(index)));
      const expected = [...Array(FIT).fill("created"), ...Array(AT_ONCE - FIT).fill("total")];
      assert.deepEqual(typesOf(outcomes), expected);
      assert.deepEqual(await stands(), ["EXHAUSTED", FIT * AMOUNT, FIT]);
      // The same requests again are answered with the same links, and take nothing.
      const again = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => make(index)));
      assert.deepEqual(typesOf(again), expected);
      assert.deepEqual(await stands(), ["EXHAUSTED", FIT * AMOUNT, FIT]);

      const all = { limit: 200, cursor: null, state: null, fromMs: null, beforeMs: null, reference: null };
      const { items } = await at(2).agents.listLinks(grant, all);
      assert.equal(items.length, FIT);
      const cancelled = await Promise.all(
        items.slice(0, 60).map(({ id }, index) => at(index).agents.cancelLink(grant, id, operation(`cancel ${id}`))),
      );
      assert.ok(cancelled.every((one) => one?.type === "cancelled"));
      assert.deepEqual(await stands(), ["ACTIVE", (FIT - 60) * AMOUNT, FIT]);
      assert.deepEqual(failures, []);
      for (const { stop } of shards) await stop();
    });
  });
}
