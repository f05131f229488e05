import assert from "node:assert/strict";
import type { WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Commit } from "../../../engine/kernel/kv.ts";
import { recordText } from "../../../engine/kernel/schemas.ts";
import type { PortalLinkEvent } from "../../../engine/portal-links/events.ts";
import { portalLinkMachine } from "../../../engine/portal-links/machine.ts";
import type { PortalLinkAttempt, PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import { ACCOUNT_ATTEMPTS_MAX, type PortalLinkKeeper } from "../../../engine/portal-links/portal-link-keeper.ts";
import { FakeGateway } from "../../engine/links/world.ts";
import { attempt, NOW_MS, portalLink, tokenOf } from "../../engine/portal-links/machine-world.ts";
import { member, OWNER, openShard, operation, PortalLinkWorld } from "../../engine/portal-links/world.ts";
import { ManualClock } from "../../engine/world.ts";
import { fireDeadline } from "./fired.ts";
import { commitBeside, linkOfPortalAttempt } from "./linked.ts";
import { type Heard, holdToTape, type TapeKv } from "./tape.ts";

const EXPIRES_MS = portalLink().order.expiresAtMs;
const PAID_BACK = attempt(1, "paid", { refund: "done" });

const ended = (state: PortalLinkRecord["state"], attempts: readonly PortalLinkAttempt[]) =>
  portalLink(attempts, { state, nextAtMs: null, events: 1 });

const records = {
  new: portalLink(),
  opening: portalLink([attempt(1, "opening")]),
  open: portalLink([attempt(1, "open")]),
  failed: portalLink([attempt(1, "failed")]),
  "open for the second time": portalLink([attempt(1, "failed"), attempt(2, "open")]),
  "mailed as often as it may be": portalLink([], { mails: Array.from({ length: 5 }, (_, n) => ({ id: `plm_${n}`, atMs: n })) }),
  "made by an agent, for nobody in particular": portalLink([], {
    createdBy: { type: "agent", agentId: "ac_1" },
    order: { ...portalLink().order, customerEmail: null, reference: null },
    livemode: true,
  }),
  "made by a member": portalLink([attempt(1, "open")], { createdBy: { type: "user", userId: "usr_2" } }),
  paid: ended("PAID", [attempt(1, "paid")]),
  "paid, another attempt open": ended("PAID", [attempt(1, "paid"), attempt(2, "open")]),
  "paid, another attempt failed": ended("PAID", [attempt(1, "failed"), attempt(2, "paid")]),
  "given back, another attempt open": ended("PAID", [PAID_BACK, attempt(2, "open")]),
  "paid twice": ended("PAID", [attempt(1, "paid"), attempt(2, "paid")]),
  "cancelled while open": ended("CANCELLED", [attempt(1, "open")]),
  "cancelled after a failure": ended("CANCELLED", [attempt(1, "failed")]),
  "expired while open": ended("EXPIRED", [attempt(1, "open")]),
  "expired after a failure": ended("EXPIRED", [attempt(1, "failed")]),
};

const changed = (now: PortalLinkAttempt, atMs = NOW_MS) => ({ type: "attempt.changed", atMs, attempt: now }) as const;

const events = {
  "cancel.requested": { type: "cancel.requested", atMs: NOW_MS, operationId: "o1" },
  "mail.owed": { type: "mail.owed", atMs: NOW_MS, mailId: "plm_1" },
  "deadline.passed": { type: "deadline.passed", atMs: EXPIRES_MS },
  "attempt.begun": { type: "attempt.begun", atMs: NOW_MS, attempt: attempt(1, "opening") },
  "attempt.begun again": { type: "attempt.begun", atMs: NOW_MS, attempt: attempt(2, "opening") },
  "attempt.changed to open": changed(attempt(1, "open")),
  "attempt.changed to paid": changed(attempt(1, "paid")),
  "attempt.changed to failed": changed(attempt(1, "failed")),
  "attempt.changed to failed after the link's time": changed(attempt(1, "failed"), EXPIRES_MS),
  "attempt.changed, its refund unknown": changed(attempt(1, "paid", { refund: "unknown" })),
  "attempt.changed, given back": changed(PAID_BACK),
  "the second attempt paid": changed(attempt(2, "paid")),
} satisfies Record<string, PortalLinkEvent>;

const stored = (record: PortalLinkRecord) => ({ key: `portal-link/${record.id}`, value: recordText("portalLink", record) });

/** Returns a commit participant that tracks links in an account. */
function keeperOn(kv: TapeKv): PortalLinkKeeper {
  return {
    attemptsMax: ACCOUNT_ATTEMPTS_MAX,
    applies: ({ record, before }) => record.state !== before?.state,
    read: async ({ record, before }) => ({
      checks: [{ key: ACCOUNT_KEY, version: (await kv.get(ACCOUNT_KEY))?.version ?? 0 }],
      operations: [{ type: "put", key: ACCOUNT_KEY, value: `${before?.state} ${record.state}` }],
    }),
    inTurn: (_, work) => work(),
  };
}

const ACCOUNT_KEY = "account/1";

function open(kv: TapeKv, record: PortalLinkRecord, { hasRoom = true, keeper }: { hasRoom?: boolean; keeper?: PortalLinkKeeper } = {}) {
  const heard = { workflow: [] as WorkflowEntry[], became: [] as string[], leftOut: 0 };
  const clock = new ManualClock();
  const failures: unknown[] = [];
  let guards: Commit["checks"] = [];
  const guard: PortalLinkKeeper = {
    attemptsMax: ACCOUNT_ATTEMPTS_MAX,
    applies: () => guards.length > 0,
    read: async () => ({ checks: guards, operations: [] }),
    inTurn: (_, work) => work(),
  };
  const { portalLinks, companion, tick } = openShard({
    ...{ kv, clock, heard, gateway: new FakeGateway(clock.nowMs), failed: (_, error) => void failures.push(error) },
    circumstances: { hasAccount: true, isInactive: false, hasRoom, team: [member(1), member(2, { locale: "it" })] },
    keeper: keeper ?? guard,
  });
  const { id, attempts } = record;
  return {
    heard,
    apply: async (event: PortalLinkEvent, requestId: string | null, checks: Commit["checks"]): Promise<{ type: string } | null> => {
      guards = checks;
      clock.wallMs = event.atMs;
      switch (event.type) {
        case "cancel.requested":
          return portalLinks.cancel(record, id, { id: event.operationId, requestId });
        case "mail.owed":
          return portalLinks.send(record, id, "ada@example.org", "en", { id: "o1", requestId });
        case "deadline.passed":
          return fireDeadline({ kv, clock, failures, tick }, "due/portal-link/", id, event.atMs);
        case "attempt.begun":
        case "attempt.changed": {
          const before = attempts.find(({ txId }) => txId === event.attempt.txId);
          if ((before === undefined) === (event.type === "attempt.changed")) return null;
          const linkBefore = before === undefined ? null : linkOfPortalAttempt(record, before);
          const link = linkOfPortalAttempt(record, event.attempt);
          if (link.order.txId !== event.attempt.txId) return null;
          return commitBeside(kv, companion, { record: link, before: linkBefore, atMs: event.atMs });
        }
      }
    },
  };
}

type Applied = Parameters<ReturnType<typeof open>["apply"]>[0];

/** Applies one transition to a record in another test setup. */
async function stepped(kv: TapeKv, record: PortalLinkRecord, event: Applied, options: Parameters<typeof open>[2]): Promise<Heard> {
  const { key, value } = stored(record);
  await kv.seed(key, value);
  const { heard, apply } = open(kv, record, options);
  await apply(event, "req_1", []);
  return heard;
}

/** Walks through portal links with their links at the gateway. */
async function walked(kv: TapeKv, walk: (world: PortalLinkWorld) => Promise<unknown>): Promise<Heard> {
  let tokens = 0;
  const world = new PortalLinkWorld(1, {
    kv,
    newToken: () => {
      tokens += 1;
      return tokenOf(tokens);
    },
  });
  await walk(world);
  return world.heard;
}

const cancelled = events["cancel.requested"];
const kept = portalLink([attempt(1, "open")]);

holdToTape<PortalLinkRecord, PortalLinkEvent>({
  subject: "portal-links",
  machine: portalLinkMachine,
  records,
  stored,
  stateOf: ({ state }) => state,
  events,
  guarded: true,
  open,
  walks: {
    "a payment while no mail has room": (kv) =>
      stepped(kv, records["open for the second time"], events["the second attempt paid"], { hasRoom: false }),
    "a mail to the customer that finds no room": async (kv) => {
      const { key, value } = stored(records.new);
      await kv.seed(key, value);
      const { heard, apply } = open(kv, records.new, { hasRoom: false });
      await assert.rejects(
        apply(events["mail.owed"], "req_1", []),
        (error) => error instanceof RelayError && error.code === "rate_limited",
      );
      return heard;
    },
    "a keeper beside a cancellation": (kv) => stepped(kv, kept, cancelled, { keeper: keeperOn(kv) }),
    "a keeper beside a deadline": (kv) => stepped(kv, records.failed, events["deadline.passed"], { keeper: keeperOn(kv) }),
    "a keeper beside the commit of a link": (kv) => stepped(kv, kept, events["attempt.changed to paid"], { keeper: keeperOn(kv) }),
    "a keeper whose account is changed meanwhile": (kv) => {
      kv.seedBeforeCommit(ACCOUNT_KEY, "changed");
      return stepped(kv, kept, cancelled, { keeper: keeperOn(kv) });
    },
    "a keeper while the portal link is changed meanwhile": (kv) => {
      const { key, value } = stored(kept);
      kv.seedBeforeCommit(key, value);
      return stepped(kv, kept, cancelled, { keeper: keeperOn(kv) });
    },
    "created, and once more by the same operation": (kv) =>
      walked(kv, async (world) => {
        for (let times = 0; times < 2; times += 1) {
          await world.portalLinks.create(OWNER, world.order(), { type: "key" }, operation("o1"));
        }
      }),
    "created without counting for the limit": (kv) =>
      walked(kv, (world) => world.portalLinks.createUncounted(OWNER, world.order(), { type: "user", userId: "usr_1" }, operation("o1"))),
    "opened, paid and given back": (kv) =>
      walked(kv, async (world) => {
        const { txId } = await world.paid();
        await world.shard(0).links.followUp({ txId, operationId: "r1", type: "refund", amountMinor: null });
      }),
    "the gateway refuses to open an attempt": (kv) =>
      walked(kv, async (world) => {
        const { token } = await world.create();
        world.gateway.refuses = { resultCode: "GW_1", description: "no" };
        await world.portalLinks.pay(token);
      }),
    "cancelled while the gateway is away, and paid": (kv) =>
      walked(kv, async (world) => {
        const { id, txId } = await world.open();
        world.gateway.mode = "away";
        await world.portalLinks.cancel(OWNER, id, world.next());
        world.gateway.mode = "there";
        world.gateway.pay(txId);
        await world.verified(txId);
      }),
    "paid twice, and one of the payments is given back": (kv) =>
      walked(kv, async (world) => {
        const { id, token, txId } = await world.open();
        world.fail(txId);
        await world.verified(txId);
        await world.portalLinks.pay(token);
        for (const paid of [`${id}.2`, txId]) {
          world.gateway.pay(paid);
          await world.verified(paid);
        }
        await world.shard(0).links.followUp({ txId, operationId: "r1", type: "refund", amountMinor: null });
      }),
  },
});
