import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { Clock } from "../../../engine/ports/clock.ts";

/** A node is live while its key is; it renews well before. Everything of a dead node is usable elsewhere within 7 s. */
export const LIFETIME_MS = 6_000;
const RENEW_MS = 2_000;
const LOOK_MS = 500;

/** Above this a renewal does not count as having been in time. */
const CALL_TIMEOUT_MS = 1_500;

const SCRIPT = readFileSync(new URL("./membership.lua", import.meta.url), "utf8");

/** What a node tells about itself. */
export interface NodeFacts {
  /** RELAY_NODE_ID; weighs in the choice of homes, so it should stay the same over restarts. */
  nodeId: string;
  /** Names one life of a node; its stream and its sessions end with it. */
  incarnation: string;
  shards: number;
  startedAtMs: number;
}

export interface MembershipView {
  nodes: readonly NodeFacts[];
  /** Redis's clock less this machine's wall clock, milliseconds. */
  redisOffsetMs: number;
}

export interface MembershipOptions {
  redis: Redis;
  keyPrefix: string;
  self: NodeFacts;
  clock: Clock;
  /** Called when the live nodes change (and once at the start). */
  changed(view: MembershipView): void;
  /** Called after each look, with Redis's clock as it was measured. */
  looked(view: MembershipView): void;
  /** The own membership lapsed: others may have taken over. Sessions are void; the node goes on as a member again after this. */
  lapsed(): void;
  failed(error: unknown): void;
}

/** This node's place among the live nodes. */
export interface Membership {
  /** Joins; rejects when Redis cannot be reached. */
  join(): Promise<void>;
  /** Leaves at once, so that others take over without waiting for the lifetime. */
  leave(): Promise<void>;
  view(): MembershipView;
  /** False while the last renewal is too long ago to count on: the node then no longer behaves as anybody's home. */
  isLive(): boolean;
}

export function createMembership({ redis, keyPrefix, self, clock, changed, looked, lapsed, failed }: MembershipOptions): Membership {
  const keys = [`${keyPrefix}nodes`, `${keyPrefix}node-facts`] as const;
  const facts = JSON.stringify(self);
  let view: MembershipView = { nodes: [], redisOffsetMs: 0 };
  let known = "";
  let renewedAt = Number.NEGATIVE_INFINITY;
  let joined = false;
  let running = false;
  let timer: NodeJS.Timeout | null = null;

  async function call(lifetimeMs: number | null): Promise<{ was: boolean }> {
    const askedAtMs = clock.nowMs();
    const answer = await redis.eval(
      SCRIPT,
      keys.length,
      ...keys,
      lifetimeMs === null ? "" : self.incarnation,
      facts,
      String(lifetimeMs ?? 0),
    );
    if (!Array.isArray(answer)) throw new Error("the membership script answered nothing");
    const [now, was, ...live] = answer;
    const redisOffsetMs = Number(now) - (askedAtMs + clock.nowMs()) / 2;
    const nodes = live.map((text): NodeFacts => JSON.parse(String(text)));
    view = { nodes, redisOffsetMs };
    looked(view);
    const text = nodes.map(({ incarnation }) => incarnation).join(" ");
    if (text !== known) {
      known = text;
      changed(view);
    }
    return { was: Number(was) === 1 };
  }

  async function renew(): Promise<void> {
    const startedAt = clock.monotonicMs();
    const { was } = await call(LIFETIME_MS);
    if (clock.monotonicMs() - startedAt > LIFETIME_MS) return;
    renewedAt = startedAt;
    if (!was) lapsed();
  }

  async function tick(): Promise<void> {
    if (running) return;
    running = true;
    try {
      if (clock.monotonicMs() - renewedAt >= RENEW_MS) await renew();
      else await call(null);
    } catch (error) {
      failed(error);
    } finally {
      running = false;
    }
  }

  return {
    join: async () => {
      await call(LIFETIME_MS);
      renewedAt = clock.monotonicMs();
      joined = true;
      timer = setInterval(() => void tick(), LOOK_MS);
    },
    leave: async () => {
      if (timer !== null) clearInterval(timer);
      timer = null;
      if (!joined) return;
      joined = false;
      await Promise.race([call(0), new Promise((resolve) => setTimeout(resolve, CALL_TIMEOUT_MS))]).catch(failed);
    },
    view: () => view,
    isLive: () => joined && clock.monotonicMs() - renewedAt < LIFETIME_MS,
  };
}
