import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import { refusalBeside, type Version, VersionRefused } from "../../schemas/agreement.ts";

/** A node is live while its key is; it renews well before. Everything of a dead node is usable elsewhere within 7 s. */
export const LIFETIME_MS = 6_000;
const RENEW_MS = 2_000;
/** A node that died is known to have at the latest so long after its membership expired. */
const LOOK_MS = 250;

/** What the script answers in the place of the time since when who is none has been a member. */
const NO_MEMBER = "0";

/** Above this a renewal does not count as having been in time. */
const CALL_TIMEOUT_MS = 1_500;

const SCRIPT = readFileSync(new URL("./membership.lua", import.meta.url), "utf8");

/** What a node tells about itself, its version and the numbers that it reads and writes among it. */
export interface NodeFacts extends Version {
  /** RELAY_NODE_ID; weighs in the choice of homes, so it should stay the same over restarts. */
  nodeId: string;
  /** Names one life of a node; its stream and its sessions end with it. */
  incarnation: string;
  shards: number;
  startedAtMs: number;
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
  const names = ["members", "member-facts", "member-since", "nodes", "node-facts"];
  const keys = names.map((name) => keyPrefix + name);
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
  /** The own membership expired: others may have taken over. Called again until it resolves; only then does the node count as live. */
  membershipExpired(): Promise<void>;
  /** The membership certainly stands until then, on the monotonic clock, and the node has done what an expiry asks for. */
  granted(untilMs: number): void;
  failed(error: unknown): void;
}

/** This node's place among the live nodes. */
export interface Membership {
  /**
   * Resolves when all live nodes, if any, read what this one writes, and it reads what they write. Those that do not are waited for as long as a node that
   * died is a member. Before anything is written.
   * @throws VersionRefused where such a one is live
   */
  admit(): Promise<void>;
  /**
   * Whether a node lives, before this one joins: one that renews its membership. A store that was restored may still hold memberships of nodes that are gone,
   * which expire without; it takes a moment to tell one from the other. Rejects when Redis does not tell.
   */
  othersLive(): Promise<boolean>;
  /** Joins; rejects when Redis cannot be reached, and with VersionRefused when a node has come meanwhile that this one cannot run beside. */
  join(): Promise<void>;
  /** Stays a member, which others send to and request from, and is home to nobody any more. Never rejects. */
  drain(): Promise<void>;
  /** Leaves at once, so that others take over without waiting for the lifetime. */
  leave(): Promise<void>;
  view(): MembershipView;
  /** The live nodes as they are at this moment; rejects when Redis does not tell. */
  look(): Promise<MembershipView>;
}

export function createMembership(options: MembershipOptions): Membership {
  const { script, self, clock, timers, changed, looked, membershipExpired, granted, failed } = options;
  let facts = JSON.stringify(self);
  let view: MembershipView = { nodes: [], redisOffsetMs: 0 };
  let known = "";
  let renewedAt = Number.NEGATIVE_INFINITY;
  /** Since when the membership has stood, as Redis told it last. */
  let knownSince = "";
  let joined = false;
  let running = false;
  /** An expiry that was not dealt with yet, and whether that is under way. */
  let expiryPending = false;
  let recovering = false;
  let timer: Timer | null = null;

  async function ask(lifetimeMs: number | null): Promise<{ since: string; lastEndsAtMs: number; found: MembershipView }> {
    const askedAtMs = clock.nowMs();
    const answer = await script(lifetimeMs === null ? "" : self.incarnation, facts, lifetimeMs ?? 0);
    if (!Array.isArray(answer)) throw new Error("the membership script answered nothing");
    const [now, since, lastEndsAtMs, ...live] = answer;
    const redisOffsetMs = Number(now) - (askedAtMs + clock.nowMs()) / 2;
    const nodes = live.map((text): NodeFacts => JSON.parse(String(text)));
    return { since: String(since), lastEndsAtMs: Number(lastEndsAtMs), found: { nodes, redisOffsetMs } };
  }

  async function call(lifetimeMs: number | null): Promise<{ since: string }> {
    const { since, found } = await ask(lifetimeMs);
    take(found);
    return { since };
  }

  function take(found: MembershipView): void {
    view = found;
    const { nodes } = found;
    looked(view);
    const text = nodes.map(({ incarnation, draining }) => (draining === true ? `${incarnation} drains` : incarnation)).join(", ");
    if (text !== known) {
      known = text;
      changed(view);
    }
  }

  /** Why this node must not run beside those; null where it may. */
  function refusal({ nodes }: MembershipView): string | null {
    for (const node of nodes) {
      const reason = node.incarnation === self.incarnation ? null : refusalBeside(self, node);
      if (reason !== null) return reason;
    }
    return null;
  }

  async function renew(): Promise<void> {
    const startedAt = clock.monotonicMs();
    const { since } = await call(LIFETIME_MS);
    if (since === NO_MEMBER) throw new Error(refusal(view) ?? "this node could not become a member");
    if (since !== knownSince) expiryPending = true;
    knownSince = since;
    if (clock.monotonicMs() - startedAt > LIFETIME_MS) return;
    renewedAt = startedAt;
    grant();
  }

  function grant(): void {
    if (expiryPending && !recovering) void recover();
    if (!expiryPending && !recovering) granted(renewedAt + LIFETIME_MS);
  }

  /** Renewals go on meanwhile. */
  async function recover(): Promise<void> {
    recovering = true;
    expiryPending = false;
    try {
      await membershipExpired();
    } catch (error) {
      expiryPending = true;
      failed(error);
    }
    recovering = false;
    // What failed is tried again with the next renewal.
    if (!expiryPending) grant();
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
    admit: async () => {
      const startedAt = clock.monotonicMs();
      for (;;) {
        const reason = refusal((await ask(null)).found);
        if (reason === null) return;
        if (clock.monotonicMs() - startedAt > LIFETIME_MS + RENEW_MS) throw new VersionRefused(reason);
        await new Promise<void>((resolve) => timers.set(LOOK_MS, resolve));
      }
    },
    othersLive: async () => {
      const startedAt = clock.monotonicMs();
      let first: number | null = null;
      // Whoever lives has renewed by then.
      while (clock.monotonicMs() - startedAt <= LIFETIME_MS + RENEW_MS) {
        const { lastEndsAtMs, found } = await ask(null);
        if (found.nodes.length === 0) return false;
        first ??= lastEndsAtMs;
        if (lastEndsAtMs > first) return true;
        await new Promise<void>((resolve) => timers.set(LOOK_MS, resolve));
      }
      return false;
    },
    join: async () => {
      const startedAt = clock.monotonicMs();
      const { since, found } = await ask(LIFETIME_MS);
      const reason = refusal(found);
      if (reason !== null) {
        // Whoever came at the same time finds this one, and does the same.
        await ask(0);
        throw new VersionRefused(reason);
      }
      take(found);
      knownSince = since;
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
