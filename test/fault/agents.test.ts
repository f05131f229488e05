import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AgentGrant } from "../../engine/access/agent-grant.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { PortalLinkRecord } from "../../engine/portal-links/portal-link.ts";
import { type AgentShard, BY_KEY, DAY_MS, onlyTotal, openAgentShard } from "../engine/agents/world.ts";
import { MemoryKv } from "../engine/kernel/memory-kv.ts";
import { FakeGateway } from "../engine/links/world.ts";
import { HOUR_MS, OWNER, operation } from "../engine/portal-links/world.ts";
import { ManualClock, settle } from "../engine/world.ts";
import { DyingKv } from "./dying-kv.ts";

const TOTAL = 1_000;

interface Played {
  shard: AgentShard;
  grant: AgentGrant;
  gateway: FakeGateway;
  clock: ManualClock;
  /** By the operation that made them. */
  links: Map<string, string>;
}

/** What an agent, a customer, a merchant and the time do, one after the other. Repeated after a crash until it has an answer. */
type Deed = (played: Played, pass: (ms: number) => Promise<void>) => Promise<unknown>;

const make =
  (name: string, amountMinor: number, hours = 2): Deed =>
  async ({ shard, grant, clock, links }) => {
    // The same request, also after a restart: its time is the client's.
    const expiresAtMs = clock.nowMs() + hours * HOUR_MS;
    const order = { amountMinor, currency: "EUR", description: "Two nights", reference: null, customerEmail: null, expiresAtMs };
    const made = await shard.agents.createLink(grant, order, operation(name));
    if (made.type === "created") links.set(name, made.link.id);
    return made;
  };
const of = (links: Map<string, string>, name: string): string => links.get(name) ?? assert.fail(`${name} was not made`);
const cancel =
  (name: string): Deed =>
  ({ shard, grant, links }) =>
    shard.agents.cancelLink(grant, of(links, name), operation(`cancel ${name}`));
const opened =
  (name: string): Deed =>
  async ({ shard, links }) => {
    const link = await shard.portalLinks.find(OWNER, of(links, name));
    return shard.portalLinks.pay(link?.token ?? "");
  };
const paid =
  (name: string): Deed =>
  async ({ shard, gateway, links }) => {
    const txId = `${of(links, name)}.1`;
    gateway.pay(txId);
    return shard.links.verifyNow(txId);
  };
const revoke: Deed = ({ shard, grant }) => shard.agents.revoke(OWNER, grant.credentialId, BY_KEY, operation("revoke"));
const passes =
  (ms: number): Deed =>
  (_, pass) =>
    pass(ms);

interface Story {
  title: string;
  deeds: Deed[];
  ends: { credential: string; links: string[]; told: number };
}

const STORIES: Story[] = [
  {
    title: "links are made",
    deeds: [make("a", 300), make("b", 300)],
    ends: { credential: "ACTIVE 600 2", links: ["PENDING", "PENDING"], told: 0 },
  },
  {
    title: "links fill it up, and one more is refused",
    deeds: [make("a", 600), make("b", 400), make("c", 1)],
    ends: { credential: "EXHAUSTED 1000 2", links: ["PENDING", "PENDING"], told: 1 },
  },
  {
    title: "one of those that fill it up is cancelled, which makes room",
    deeds: [make("a", 500), make("b", 500), cancel("a")],
    ends: { credential: "ACTIVE 500 2", links: ["CANCELLED", "PENDING"], told: 1 },
  },
  {
    title: "one expires, and is paid after that",
    deeds: [make("a", 400, 1), opened("a"), passes(HOUR_MS + 120_000), make("b", 600), paid("a"), passes(HOUR_MS)],
    ends: { credential: "EXHAUSTED 1000 2", links: ["PAID late", "PENDING"], told: 1 },
  },
  {
    title: "one is paid, and it is revoked, and another one is cancelled",
    deeds: [make("a", 400), opened("a"), paid("a"), make("b", 300), revoke, cancel("b"), make("c", 1)],
    ends: { credential: "REVOKED 400 2", links: ["PAID", "CANCELLED"], told: 0 },
  },
];

/** What its links come to, by the links themselves. */
function counted(links: readonly PortalLinkRecord[]): number {
  return links.reduce((sum, { state, order }) => (state === "PENDING" || state === "PAID" ? sum + order.amountMinor : sum), 0);
}

/** Plays a story while the node dies with a commit, and goes on after a restart. True where it died at all. */
async function play({ deeds, ends }: Story, dies: { commit: number; stored: boolean }): Promise<boolean> {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  const gateway = new FakeGateway(clock.nowMs);
  const dying = new DyingKv(kv, dies);
  const failures: unknown[] = [];
  const heard = { became: [], refused: [], workflow: [] };
  let isRestarted = false;
  const start = (store: Kv) =>
    openAgentShard({
      ...{ kv: store, gateway, clock, heard },
      failed: (_what, error) => {
        if (isRestarted) failures.push(error);
      },
    });
  let shard = start(dying);
  const restart = () => {
    if (!dying.isDead || isRestarted) return;
    isRestarted = true;
    void shard.stop();
    clock.advance(35_000);
    shard = start(kv);
  };
  const pass = async (ms: number) => {
    const stepMs = ms > 10 * 60_000 ? 60_000 : 1_000;
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(stepMs);
      shard.tick();
      await settle();
      restart();
    }
  };
  const where = `commit ${dies.commit}, ${dies.stored ? "stored" : "not stored"}`;
  const done = async <T>(deed: () => Promise<T>): Promise<T> => {
    for (let tries = 0; tries < 10; tries += 1) {
      try {
        const outcome = await deed();
        restart();
        return outcome;
      } catch (error) {
        if (!(error instanceof RelayError)) throw error;
        restart();
      }
      await pass(3_000);
    }
    throw new Error("no answer");
  };

  const wanted = { name: "Agent", scopes: ["links:create", "links:read", "links:cancel"], limits: onlyTotal(TOTAL), ipAllow: [] } as const;
  const expiresAtMs = clock.nowMs() + 30 * DAY_MS;
  const created = await done(() => shard.agents.create(OWNER, { ...wanted, expiresAtMs }, BY_KEY, operation("credential")));
  assert.ok(created.type === "created");
  const { id: credentialId, scopes } = created.credential;
  const grant = { ...OWNER, credentialId, name: "Agent", scopes };
  const links = new Map<string, string>();
  for (const deed of deeds) await done(() => deed({ shard, grant, gateway, clock, links }, pass));
  const happened = dying.isDead;

  const all = { limit: 50, cursor: null, state: null, fromMs: null, beforeMs: null, customerEmail: null, q: null, agentId: credentialId };
  const { items } = await shard.portalLinks.list(OWNER, all);
  const stored = await shard.credentials.load(credentialId);
  assert.ok(stored !== null, where);
  const { state, reserved } = stored.record;
  assert.equal(reserved.totalMinor, counted(items), `${where}: nothing is taken without a link, and no link without taking`);
  assert.equal(reserved.links, items.length, where);
  assert.equal(`${state} ${reserved.totalMinor} ${reserved.links}`, ends.credential, where);
  const states = items.map((link) => (link.late ? `${link.state} late` : link.state)).reverse();
  assert.deepEqual(states, ends.links, where);
  assert.equal(kv.keys(`event/${credentialId}/`).length, ends.told, `${where}: that it is used up is told once each time`);
  assert.deepEqual((await shard.usable.load(OWNER)).ids, state === "REVOKED" ? [] : [credentialId], where);
  assert.deepEqual(failures, [], where);
  return happened;
}

describe("a node that is killed at any commit of what an agent does", () => {
  for (const story of STORIES) {
    it(`${story.title}: its credential and its links say the same afterwards`, { timeout: 300_000 }, async () => {
      let moments = 0;
      for (const stored of [false, true]) {
        for (let commit = 1; await play(story, { commit, stored }); commit += 1) moments += 1;
      }
      assert.ok(moments >= 6, `only ${moments} moments`);
    });
  }
});
