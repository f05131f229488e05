import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { Clock } from "../../../engine/ports/clock.ts";
import type { Timer, Timers } from "../../../engine/ports/timers.ts";

/** A node is live while its key is; it renews well before. Everything of a dead node is usable elsewhere within 7 s. */
export const LIFETIME_MS = 6_000;
const RENEW_MS = 2_000;
/** A node that died is known to have at the latest so long after its membership lapsed. */
const LOOK_MS = 250;

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
  version: string;
  /** Digests of what all nodes are to have alike; absent in versions that do not tell it. */
  settings?: { readonly key: string; readonly digests: { readonly [variable: string]: string } };
  /** On its way out: a member until it has ended what it had under way, and home to nobody. */
  draining?: boolean;
}

export interface MembershipView {
  nodes: readonly NodeFacts[];
  /** Redis's clock less this machine's wall clock, milliseconds. */
  redisOffsetMs: number;
}

/**
 * Runs membership.lua: with the own incarnation, or an empty one to look only, the own facts as JSON, and the lifetime in ms, of which 0 leaves.
 * Answers what the script answers; rejects when Redis does not.
 */
export type MembershipScript = (incarnation: string, facts: string, lifetimeMs: number) => Promise<unknown>;

export function membershipScript(redis: Redis, keyPrefix: string): MembershipScript {
  const keys = [`${keyPrefix}nodes`, `${keyPrefix}node-facts`, `${keyPrefix}node-since`] as const;
  return (incarnation, facts, lifetimeMs) => redis.eval(SCRIPT, keys.length, ...keys, incarnation, facts, String(lifetimeMs));
}

export interface MembershipOptions {
  script: MembershipScript;
  self: NodeFacts;
  clock: Clock;
  timers: Timers;
  /** Called when the live nodes change (and once at the start). */
  changed(view: MembershipView): void;
  /** Called after each look, with Redis's clock as it was measured. */
  looked(view: MembershipView): void;
  /** The own membership lapsed: others may have taken over. Called again until it resolves; only then does the node count as live. */
  lapsed(): Promise<void>;
  /** The membership certainly stands until then, on the monotonic clock, and the node has done what a lapse asks for. */
  granted(untilMs: number): void;
  failed(error: unknown): void;
}

/** This node's place among the live nodes. */
export interface Membership {
  /** Joins; rejects when Redis cannot be reached. */
  join(): Promise<void>;
  /** Stays a member, which others tell and ask, and is home to nobody any more. Never rejects. */
  drain(): Promise<void>;
  /** Leaves at once, so that others take over without waiting for the lifetime. */
  leave(): Promise<void>;
  view(): MembershipView;
  /** The live nodes as they are at this moment; rejects when Redis does not tell. */
  look(): Promise<MembershipView>;
}

export function createMembership(options: MembershipOptions): Membership {
  const { script, self, clock, timers, changed, looked, lapsed, granted, failed } = options;
  let facts = JSON.stringify(self);
  let view: MembershipView = { nodes: [], redisOffsetMs: 0 };
  let known = "";
  let renewedAt = Number.NEGATIVE_INFINITY;
  /** Since when the membership has stood, as Redis told it last. */
  let knownSince = "";
  let joined = false;
  let running = false;
  /** A lapse that was not dealt with yet, and whether that is under way. */
  let lapseOwed = false;
  let recovering = false;
  let timer: Timer | null = null;

  async function call(lifetimeMs: number | null): Promise<{ since: string }> {
    const askedAtMs = clock.nowMs();
    const answer = await script(lifetimeMs === null ? "" : self.incarnation, facts, lifetimeMs ?? 0);
    if (!Array.isArray(answer)) throw new Error("the membership script answered nothing");
    const [now, since, ...live] = answer;
    const redisOffsetMs = Number(now) - (askedAtMs + clock.nowMs()) / 2;
    const nodes = live.map((text): NodeFacts => JSON.parse(String(text)));
    view = { nodes, redisOffsetMs };
    looked(view);
    const text = nodes.map(({ incarnation, draining }) => (draining === true ? `${incarnation} drains` : incarnation)).join(", ");
    if (text !== known) {
      known = text;
      changed(view);
    }
    return { since: String(since) };
  }

  async function renew(): Promise<void> {
    const startedAt = clock.monotonicMs();
    const { since } = await call(LIFETIME_MS);
    if (since !== knownSince) lapseOwed = true;
    knownSince = since;
    if (clock.monotonicMs() - startedAt > LIFETIME_MS) return;
    renewedAt = startedAt;
    grant();
  }

  function grant(): void {
    if (lapseOwed && !recovering) void recover();
    if (!lapseOwed && !recovering) granted(renewedAt + LIFETIME_MS);
  }

  /** Renewals go on meanwhile. */
  async function recover(): Promise<void> {
    recovering = true;
    lapseOwed = false;
    try {
      await lapsed();
    } catch (error) {
      lapseOwed = true;
      failed(error);
    }
    recovering = false;
    // What failed is tried again with the next renewal.
    if (!lapseOwed) grant();
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

  async function inTime(work: Promise<unknown>): Promise<void> {
    await Promise.race([work, new Promise<void>((resolve) => timers.set(CALL_TIMEOUT_MS, resolve))]).catch(failed);
  }

  return {
    join: async () => {
      const startedAt = clock.monotonicMs();
      knownSince = (await call(LIFETIME_MS)).since;
      renewedAt = startedAt;
      joined = true;
      grant();
      timer = timers.every(LOOK_MS, () => void tick());
    },
    drain: async () => {
      facts = JSON.stringify({ ...self, draining: true });
      if (joined) await inTime(renew());
    },
    leave: async () => {
      timer?.clear();
      timer = null;
      if (!joined) return;
      joined = false;
      await inTime(call(0));
    },
    view: () => view,
    look: async () => {
      await call(null);
      return view;
    },
  };
}
