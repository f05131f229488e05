import type { AgentGrant } from "../../../engine/access/agent-grant.ts";
import type { AgentCredentialRecord } from "../../../engine/agents/agent-credential.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { type AgentShard, BY_KEY, DAY_MS, openAgentShard } from "../../engine/agents/world.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { HOUR_MS, OWNER, operation } from "../../engine/portal-links/world.ts";
import { ManualClock, settle } from "../../engine/world.ts";
import { SimGateway, turns } from "../intents/sim-gateway.ts";
import { ProcessKv } from "../process-kv.ts";
import { Random } from "../random.ts";

const MINUTE_MS = 60_000;
const SHARDS = 3;
const STEPS = 80;
const CREDENTIALS = 2;

/** How far the clocks of two nodes are apart at most. */
const SKEW_MS = 2_000;

interface Process {
  kv: ProcessKv;
  shard: AgentShard;
}

export interface AgentHistory {
  trace: string[];
  /** What is broken, in a sentence each. */
  broken: string[];
  /** What came about at all, so that a run can say that it has seen everything. */
  seen: Set<string>;
}

/** Agents, customers, a merchant, a gateway, three processes whose clocks differ, and the time, as a seed draws them. The same seed gives the same trace. */
export async function playAgents(seed: number): Promise<AgentHistory> {
  const random = new Random(seed);
  const memory = new MemoryKv();
  const clock = new ManualClock();
  const gateway = new SimGateway(random.fork(), clock.nowMs);
  const trace: string[] = [];
  const broken: string[] = [];
  const seen = new Set<string>();
  const note = (what: string) => trace.push(`${((clock.nowMs() - 1_700_000_000_000) / 1_000).toFixed(3)} ${what}`);
  const addresses = Array.from({ length: SHARDS }, (_, index) => `shard-${index}`);
  const skews = addresses.map(() => random.between(0, SKEW_MS));
  const heard = { became: [], refused: [], workflow: [] };

  function start(self: string, index: number): Process {
    const kv = new ProcessKv(memory, random.fork());
    const own: Clock = { nowMs: () => clock.nowMs() + (skews[index] ?? 0), monotonicMs: clock.monotonicMs };
    const failed = (what: string, error: unknown) => {
      if (!(error instanceof RelayError)) broken.push(`${what} failed with ${error instanceof Error ? error.stack : error}`);
    };
    return { kv, shard: openAgentShard({ kv, gateway, clock: own, heard, self, addresses, failed }) };
  }
  const processes = addresses.map(start);
  const grants: AgentGrant[] = [];
  const underWay = new Set<Promise<void>>();
  let operations = 0;

  async function pass(ms: number, stepMs: number): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      clock.advance(Math.min(left, stepMs));
      for (const { shard } of processes) shard.tick();
      await settle();
      await look();
    }
  }

  /** A request, on any process; a client repeats it under its key while it has no answer. */
  function asks(what: string, work: (shard: AgentShard) => Promise<string | null>): void {
    const attempt = async () => {
      for (let tries = 0; tries < random.between(1, 4); tries += 1) {
        try {
          const outcome = await work(random.pick(processes).shard);
          note(`${what}: ${outcome}`);
          seen.add(`${what}: ${outcome}`);
          return;
        } catch (error) {
          if (!(error instanceof RelayError)) broken.push(`${what} failed with ${error instanceof Error ? error.stack : error}`);
        }
        await turns(random.between(0, 40));
      }
    };
    const asked = attempt().finally(() => underWay.delete(asked));
    underWay.add(asked);
  }

  /** A credential, whether it is listed as usable, and all links that it has made: read at once, as they are at one moment. */
  async function momentOf(id: string): Promise<{ record: AgentCredentialRecord | null; isListed: boolean; links: PortalLinkRecord[] }> {
    const keys = memory.keys(`portal-link-agent/${OWNER.merchantId}/test/${id}/`).map((key) => `portal-link/${key.slice(-27)}`);
    const usable = `agent-credential-usable/${OWNER.merchantId}/test/`;
    const [own = null, listed = null, ...links] = await memory.getMany([`agent-credential/${id}`, usable, ...keys]);
    return {
      record: own === null ? null : JSON.parse(own.value),
      isListed: listed !== null && JSON.parse(listed.value).ids.includes(id),
      links: links.flatMap((entry) => (entry === null ? [] : [JSON.parse(entry.value)])),
    };
  }

  /** What has to hold at every moment. */
  async function look(): Promise<void> {
    for (const { credentialId } of grants) {
      const { record, isListed, links } = await momentOf(credentialId);
      if (record === null) {
        broken.push(`${credentialId} is gone`);
        continue;
      }
      const { state, reserved, limits } = record;
      const breaks = (what: string) => broken.push(`${credentialId} (${state}) at ${clock.nowMs()}: ${what}`);
      const stands = links.filter((link) => link.state === "PENDING" || link.state === "PAID");
      const sum = stands.reduce((all, { order }) => all + order.amountMinor, 0);
      if (sum !== reserved.totalMinor) breaks(`its links come to ${sum}, and ${reserved.totalMinor} is taken`);
      if (links.length !== reserved.links) breaks(`it has ${links.length} links, and ${reserved.links} were made`);
      const late = stands.filter((link) => link.late).reduce((all, { order }) => all + order.amountMinor, 0);
      if (sum - late > limits.totalMinor) breaks("more than the total was made");
      if (state === "ACTIVE" && sum >= limits.totalMinor) breaks("it is used up, and says that it is not");
      if (state === "EXHAUSTED" && sum < limits.totalMinor) breaks("it has room, and says that it has none");
      const byHour = links.map(({ createdAtMs }) => createdAtMs).sort((one, other) => one - other);
      if (byHour.some((atMs, index) => (byHour[index + limits.linksPerHour] ?? Number.POSITIVE_INFINITY) - atMs < HOUR_MS)) {
        breaks("more than so many were made in an hour");
      }
      if ((state === "ACTIVE" || state === "EXHAUSTED") !== (record.nextAtMs !== null)) breaks("its deadline is not as its state");
      if (isListed !== (record.nextAtMs !== null)) breaks("it is not among those that can be used as it should be");
    }
  }

  for (let n = 0; n < CREDENTIALS; n += 1) {
    const totalMinor = random.between(3, 12) * 100;
    const limits = { currency: "EUR", perLinkMaxMinor: 300, perDayMinor: totalMinor, totalMinor, linksPerHour: random.between(3, 12) };
    const order = {
      ...({ name: "Agent", scopes: ["links:create", "links:cancel"], limits, ipAllow: [] } as const),
      expiresAtMs: clock.nowMs() + random.between(1, 3) * DAY_MS + MINUTE_MS,
    };
    const created = await processes[0]?.shard.agents.create(OWNER, order, BY_KEY, operation(`c${n}`));
    if (created?.type === "created") {
      const { id: credentialId, name, scopes } = created.credential;
      grants.push({ ...OWNER, credentialId, name, scopes });
    }
  }

  async function anyLink(grant: AgentGrant): Promise<PortalLinkRecord | null> {
    const { links } = await momentOf(grant.credentialId);
    return links.length === 0 ? null : random.pick(links);
  }

  for (let step = 0; step < STEPS; step += 1) {
    const grant = random.pick(grants);
    operations += 1;
    const by = operation(`o${operations}`);
    switch (
      random.weighted({
        ...{ make: 16, cancel: 6, visit: 6, pay: 6, notify: 5, revoke: 0.2, soon: 6, later: 4, hour: 3 },
        ...{ kill: 2, trouble: 2, well: 3, arrive: 3, settle: 4 },
      })
    ) {
      case "make": {
        const amountMinor = random.between(1, 3) * 100;
        const order = { amountMinor, currency: "EUR", description: "Two nights", reference: null, customerEmail: null };
        const expiresAtMs = clock.nowMs() + random.between(1, 3) * HOUR_MS + SKEW_MS;
        for (let more = random.chance(0.2) ? 6 : 1; more > 0; more -= 1) {
          const same = operation(`${by.id}-${more}`);
          asks("make", async ({ agents }) => {
            const made = await agents.createLink(grant, { ...order, expiresAtMs }, same);
            return made.type === "refused" ? made.limit : made.type;
          });
        }
        break;
      }
      case "cancel": {
        const link = await anyLink(grant);
        if (link !== null) asks("cancel", async ({ agents }) => (await agents.cancelLink(grant, link.id, by))?.type ?? null);
        break;
      }
      case "visit": {
        const link = await anyLink(grant);
        if (link !== null) asks("visit", async ({ portalLinks }) => (await portalLinks.pay(link.token))?.type ?? null);
        break;
      }
      case "pay": {
        const all = [...gateway.inner.payments.keys()];
        const does = random.weighted({ pay: 6, fail: 2, payLate: 3 });
        if (all.length > 0 && gateway.buyer(random.pick(all), does)) note(`a customer: ${does}`);
        break;
      }
      case "notify":
        for (const txId of gateway.inner.payments.keys()) {
          random
            .pick(processes)
            .shard.links.notified({ merId: "G1", txId, paymentId: null }, "right")
            .catch(() => undefined);
        }
        break;
      case "revoke":
        asks("revoke", async ({ agents }) => (await agents.revoke(OWNER, grant.credentialId, BY_KEY, by))?.credential.state ?? null);
        break;
      case "soon":
        await pass(random.between(1, 10) * 4_000, 2_000);
        break;
      case "later":
        await pass(random.between(1, 10) * MINUTE_MS, 30_000);
        break;
      case "hour":
        await pass(HOUR_MS, 5 * MINUTE_MS);
        break;
      case "kill": {
        const index = random.between(0, SHARDS - 1);
        const killed = processes[index];
        const self = addresses[index];
        if (killed === undefined || self === undefined) break;
        note(`${self} is killed`);
        killed.kv.isDead = true;
        void killed.shard.stop();
        processes[index] = start(self, index);
        break;
      }
      case "trouble":
        gateway.trouble = random.next();
        for (const { kv } of processes) kv.trouble = random.chance(0.5) ? random.next() / 4 : 0;
        break;
      case "well":
        well();
        break;
      case "arrive":
        await gateway.arrive();
        break;
      case "settle":
        await settle();
        break;
    }
    await look();
    // Half of them begin together with the next one.
    await turns(random.chance(0.5) ? 0 : random.between(0, 80));
  }

  function well(): void {
    gateway.trouble = 0;
    for (const { kv } of processes) kv.trouble = 0;
  }

  well();
  await Promise.all(underWay);
  await gateway.arrive(true);
  await pass(6 * HOUR_MS, 10 * MINUTE_MS);
  for (const txId of gateway.inner.payments.keys()) if (random.chance(0.4)) gateway.buyer(txId, "payLate");
  for (let round = 0; round < 2; round += 1) {
    for (const txId of gateway.inner.payments.keys()) {
      await random.pick(processes).shard.links.notified({ merId: "G1", txId, paymentId: null }, "right");
    }
    await pass(3 * MINUTE_MS, 15_000);
  }
  await pass(4 * DAY_MS, 3 * HOUR_MS);
  await pass(MINUTE_MS, 3_000);

  for (const { credentialId } of grants) {
    const { record, links } = await momentOf(credentialId);
    if (record === null) continue;
    seen.add(`ends ${record.state}`);
    if (links.some(({ late }) => late)) seen.add("paid late");
    if (record.reserved.totalMinor > record.limits.totalMinor) seen.add("beyond the total, paid late");
    if (links.some(({ state }) => state === "PENDING")) broken.push(`${credentialId} has a link that is pending long after its time`);
    if (record.nextAtMs !== null) broken.push(`${credentialId} can be used long after its time`);
    const told = (await memory.scan({ from: `event/${credentialId}/`, to: `event/${credentialId}/~`, limit: 1_000 })).length;
    if (told !== record.events) broken.push(`${credentialId} was used up ${record.events} times and ${told} were told`);
    if (told > 1) seen.add("used up more than once");
  }
  return { trace, broken, seen };
}
