import { readFileSync } from "node:fs";
import type { Redis } from "ioredis";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { StorageUnavailable } from "../../../engine/kernel/kv.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import { refusalBeside, type Version, VersionRefused } from "../../schemas/agreement.ts";

/** Lifetime of a membership; a node renews it well before. Everything that a dead node did works on other nodes within 7 s. */
export const LIFETIME_MS = 6_000;
const RENEW_MS = 2_000;
/** The death of a node is noticed at most this long after its membership has expired. */
const LOOK_MS = 250;

/** The script's value for "member since" if the node is not a member. */
const NO_MEMBER = "0";

/** A renewal that takes longer does not count as in time. */
const CALL_TIMEOUT_MS = 1_500;

const SCRIPT = readFileSync(new URL("./membership.lua", import.meta.url), "utf8");

/** What a node publishes about itself, including its version and the schema numbers that it reads and writes. */
export interface NodeFacts extends Version {
  /** RELAY_NODE_ID; it determines the choice of homes, so it should stay the same over restarts. */
  nodeId: string;
  /** Identifies one run of a node; its stream and its sessions end with it. */
  incarnation: string;
  shards: number;
  startedAtMs: number;
  /** Digests of the settings that have to be the same on all nodes; absent in versions that do not publish them. */
  settings?: { readonly key: string; readonly digests: { readonly [variable: string]: string } };
  /** The node is shutting down: it is a member until it has finished its requests, and it is no terminal's home. */
  draining?: boolean;
}

export interface MembershipView {
  nodes: readonly NodeFacts[];
  /** Redis's clock minus this machine's wall clock, milliseconds. */
  redisOffsetMs: number;
}

/**
 * Runs membership.lua with the own incarnation (empty to look only), the own facts as JSON, and the lifetime in ms (0 leaves). Resolves
 * with the script's result; rejects with StorageUnavailable if Redis does not answer.
 */
export type MembershipScript = (incarnation: string, facts: string, lifetimeMs: number) => Promise<unknown>;

export function membershipScript(redis: Redis, keyPrefix: string): MembershipScript {
  const names = ["members", "member-facts", "member-since", "nodes", "node-facts"];
  const keys = names.map((name) => keyPrefix + name);
  return async (incarnation, facts, lifetimeMs) => {
    try {
      return await redis.eval(SCRIPT, keys.length, ...keys, incarnation, facts, String(lifetimeMs));
    } catch (error) {
      throw new StorageUnavailable("Redis did not answer about the members", { cause: error });
    }
  };
}

export interface MembershipOptions {
  script: MembershipScript;
  self: NodeFacts;
  clock: Clock;
  timers: Timers;
  /** Called when the live nodes change (and once at the start). */
  changed(view: MembershipView): void;
  /** Called after each look, with the measured clock of Redis. */
  looked(view: MembershipView): void;
  /** The own membership expired, so other nodes may have taken over. Called again until it resolves; only then the node counts as live. */
  membershipExpired(): Promise<void>;
  /** The membership is certainly valid until then, on the monotonic clock, and an earlier expiry has been handled. */
  granted(untilMs: number): void;
  failed(error: unknown): void;
}

/** This node's place among the live nodes. */
export interface Membership {
  /**
   * Resolves if all live nodes read what this node writes, and it reads what they write. Otherwise it waits for the lifetime of a
   * membership, because the other node may have died. To be called before anything is written. @throws VersionRefused if an incompatible
   * node is live
   */
  admit(): Promise<void>;
  /**
   * Whether another node is live, before this one joins: a node that renews its membership. A restored store may contain memberships of
   * nodes that no longer run, which expire; it takes a moment to distinguish the two. Rejects if Redis does not answer.
   */
  othersLive(): Promise<boolean>;
  /** Joins; rejects if Redis cannot be reached, and with VersionRefused if an incompatible node has joined meanwhile. */
  join(): Promise<void>;
  /** Stays a member, to which others send messages and requests, but is no longer any terminal's home. Never rejects. */
  drain(): Promise<void>;
  /**
   * The same, unless no other node is live that stays: then false, and this one stays too. Of nodes that ask at once, each is told of those before it. Rejects with
   * StorageUnavailable if Redis does not answer; then it stays.
   */
  drainUnlessLast(): Promise<boolean>;
  /** Leaves at once, so that other nodes take over without waiting for the lifetime to end. */
  leave(): Promise<void>;
  view(): MembershipView;
  /** The live nodes at this moment; rejects if Redis does not answer. */
  look(): Promise<MembershipView>;
}

export function createMembership(options: MembershipOptions): Membership {
  const { script, self, clock, timers, changed, looked, membershipExpired, granted, failed } = options;
  const [staying, draining] = [JSON.stringify(self), JSON.stringify({ ...self, draining: true })];
  let facts = staying;
  /** It drains, and no longer stays whatever happens. */
  let leaving = false;
  let view: MembershipView = { nodes: [], redisOffsetMs: 0 };
  let known = "";
  let renewedAt = Number.NEGATIVE_INFINITY;
  /** Start of the uninterrupted membership, as last returned by Redis. */
  let knownSince = "";
  let joined = false;
  let running = false;
  /** An expiry that was not handled yet, and whether its handling is in progress. */
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

  async function call(lifetimeMs: number | null): Promise<void> {
    take((await ask(lifetimeMs)).found);
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

  /** Why this node must not run together with those; null if it may. */
  function refusal({ nodes }: MembershipView): string | null {
    for (const node of nodes) {
      const reason = node.incarnation === self.incarnation ? null : refusalBeside(self, node);
      if (reason !== null) return reason;
    }
    return null;
  }

  function stayOutOf(found: MembershipView): void {
    const reason = refusal(found);
    if (reason !== null) throw new VersionRefused(reason);
  }

  async function renew(): Promise<void> {
    const startedAt = clock.monotonicMs();
    // It slept, and nodes of another version may have started meanwhile: they should not even hear of this one.
    if (startedAt - renewedAt > LIFETIME_MS) stayOutOf((await ask(null)).found);
    const { since, found } = await ask(LIFETIME_MS);
    if (since === NO_MEMBER) throw new Error(refusal(found) ?? "this node could not become a member");
    if (since !== knownSince && refusal(found) !== null) {
      await ask(0);
      stayOutOf(found);
    }
    take(found);
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

  /** Renewals continue meanwhile. */
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
    // If it failed, it is tried again with the next renewal.
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
      // Every live node has renewed by then.
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
        // A node that joined at the same time finds this one, and does the same.
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
      leaving = true;
      facts = draining;
      if (joined) await inTime(renew());
    },
    drainUnlessLast: async () => {
      if (!joined || leaving) return true;
      facts = draining;
      try {
        // It says that it drains and sees who else does in one step, so one of two has to be the second. It is told to nobody here before that is known.
        const { nodes } = (await ask(LIFETIME_MS)).found;
        leaving ||= nodes.some((node) => node.incarnation !== self.incarnation && node.draining !== true);
        return leaving;
      } finally {
        facts = leaving ? draining : staying;
        // Where Redis has not answered, the next renewal says it.
        if (!leaving) await inTime(renew());
      }
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
