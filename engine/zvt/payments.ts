import { type Caller, maySend } from "../access/caller.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Ids } from "../kernel/ids.ts";
import { KeyedMutex } from "../kernel/keyed-mutex.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Timers } from "../kernel/timers.ts";
import type { AttentionItem } from "../payments/attention.ts";
import { buildPayment, readPaymentRequest } from "../payments/payment-request.ts";
import type { CommandView } from "../terminals/terminals.ts";
import { type BeginDecision, decideBegin } from "./begin-decision.ts";
import { outcomeOf } from "./payment-outcome.ts";
import { type PaymentRun, type RelayForZvt, startPaymentRun } from "./payment-run.ts";
import { paymentUuid, type Sha1 } from "./payment-uuid.ts";
import { ZVT_CODES } from "./result-codes.ts";
import { createRouteChanges, type RouteDecision } from "./route-changes.ts";
import {
  attachmentOf,
  newRouteRecord,
  undeliveredOf,
  withOpened,
  withOutcome,
  withoutOpen,
  withReattached,
  type ZvtAttachment,
  type ZvtOpen,
  type ZvtRouteRecord,
} from "./route-record.ts";
import { type RouteSelector, selectRoute } from "./route-selection.ts";
import type { LoadedRoute, ZvtRouteStore } from "./route-store.ts";
import { tidOf, type ZvtConfig, type ZvtRouteConfig } from "./zvt-config.ts";
import type { ZvtBegun, ZvtFollower, ZvtOutcome, ZvtPayment, ZvtPaymentRequest, ZvtPayments, ZvtStatus } from "./zvt-payments.ts";

/** What is counted of payments; the words are few. */
export interface ZvtObserver {
  paymentEnded(outcome: string, durationMs: number): void;
  reattached(): void;
  failed(what: string, error: unknown): void;
}

/** How many results wait for their registers, and how many routes are held by an unknown one; of all nodes. */
export interface ZvtCounts {
  undelivered: number;
  unknownHolds: number;
}

/** The payments of registers at this node. */
export interface RunningZvtPayments extends ZvtPayments {
  /** Looks at all routes: ends what nobody follows any more, clears holds whose result has come, tells operators. To be called every few seconds. */
  tend(): Promise<void>;
  counts(): ZvtCounts;
  /** From now on each 06-01 is `busy`. */
  drain(): void;
  /** Payments that are followed. */
  running(): number;
}

export interface ZvtPaymentsOptions {
  config: Pick<ZvtConfig, "routes" | "timeoutSeconds" | "reattachSeconds" | "disconnectGraceSeconds">;
  selectors: readonly RouteSelector[];
  store: ZvtRouteStore;
  relay: RelayForZvt;
  /** The partner of a name as it is now; null for one that is not, or is disabled. */
  partnerCaller(username: string): Caller | null;
  /** This shard, in its present life. */
  self: Pick<ZvtAttachment, "shard" | "writer">;
  /** Whether that life of another node's shard may still go on, its node drains or has just joined. Rejects with RelayError `unavailable` where nobody can say it. */
  isLive(attached: ZvtAttachment): Promise<boolean>;
  clock: Clock;
  timers: Timers;
  ids: Ids;
  sha1: Sha1;
  observe: ZvtObserver;
}

/** A 06-01 that waited longer is not taken on any more: its register waits 5 s for its acknowledgement, and then sends it again. */
const BEGIN_WITHIN_MS = 4_000;

/** Decisions about one 06-01 in a row, each of which stored something first. */
const DECISIONS_MAX = 16;

/** A diagnosis says that all is well only of a terminal that was heard within this time. */
const ANSWERED_WITHIN_MS = 120_000;

const BUSY = { type: "busy" } as const;
const NOT_THERE: ZvtStatus = { state: "offline", answers: false };

export function createZvtPayments(options: ZvtPaymentsOptions): RunningZvtPayments {
  const { config, selectors, relay, partnerCaller, self, isLive, clock, timers, ids, sha1, observe } = options;
  const { failed } = observe;
  const store = asAfterLoss(options.store, { epoch, nowMs: clock.nowMs });
  const routes = new Map(config.routes.map((route) => [route.id, route]));
  // One for both: a 06-01 waits until it is stored that the result before it was delivered.
  const mutex = new KeyedMutex<string>();
  const changes = createRouteChanges({ store, mutex, timers, failed });
  const runs = new Map<string, PaymentRun>();
  /** Which of this node's connections a payment is attached to, and whether it gets intermediate status. */
  const attached = new Map<string, { connection: string; intermediateStatus: boolean; open: ZvtOpen }>();
  let counts: ZvtCounts = { undelivered: 0, unknownHolds: 0 };
  let draining = false;

  function callerFor(route: ZvtRouteConfig, terminalId: string): Caller | null {
    const caller = partnerCaller(route.partnerUsername);
    return caller !== null && maySend(caller, terminalId) ? caller : null;
  }

  function tidFor(routeId: string, terminalId: string): string {
    const route = routes.get(routeId);
    return tidOf(route?.terminalId === terminalId ? route : { tid: null, terminalId });
  }

  async function isAttachedOpen({ uuid, attached: at }: ZvtOpen): Promise<boolean> {
    return at.writer === self.writer ? attached.get(uuid)?.connection === at.connection : isLive(at);
  }

  function isOwnAttachment({ attached: at }: ZvtOpen, connection: string | undefined): boolean {
    return at.writer === self.writer && at.connection === connection;
  }

  function outcomeIn(routeId: string, open: ZvtOpen, view: CommandView | null): ZvtOutcome | null {
    return view === null ? null : outcomeOf(view, { ...open, tid: tidFor(routeId, open.terminalId) });
  }

  /** The open payment of a record, with what the relay knows of it by now. */
  async function lookAt(routeId: string, open: ZvtOpen): Promise<{ isKnown: boolean; news: ZvtOutcome | null; endedAtMs: number }> {
    if (open.outcome !== null && open.outcome.type !== "unknown") return { isKnown: true, news: null, endedAtMs: 0 };
    const view = await relay.terminals.command(open.uuid, 0);
    const outcome = outcomeIn(routeId, open, view);
    const news = outcome?.type === open.outcome?.type ? null : outcome;
    const endedAtMs = view?.transaction?.createdAtMs ?? view?.finishedAtMs ?? clock.nowMs();
    return { isKnown: view !== null, news, endedAtMs };
  }

  function change<T>(routeId: string, uuid: string, step: (record: ZvtRouteRecord, open: ZvtOpen) => RouteDecision<T>, otherwise: T) {
    return changes.change(routeId, (stored) => ofOpen(stored, uuid, step, otherwise));
  }

  function insist<T>(
    what: string,
    { routeId, uuid }: ZvtPayment,
    step: (record: ZvtRouteRecord, open: ZvtOpen) => RouteDecision<T>,
    otherwise: T,
  ): Promise<T> {
    return changes
      .insist(routeId, what, (stored) => ofOpen(stored, uuid, step, otherwise), otherwise)
      .catch((error: unknown) => {
        failed(what, error);
        return otherwise;
      });
  }

  /** True where its uuid is no payment's from now on; false where it was accepted first. */
  async function giveUp({ uuid, terminalId, amountCents, acceptedAtMs }: ZvtOpen): Promise<boolean> {
    const body = { uuid, amount: amountCents, service: "PAYCC" };
    const command = buildPayment(readPaymentRequest(body, terminalId), null, { sender: "", acceptedAtMs, request: ids.uuid() });
    return (await relay.claimCancelled(command)) === "claimed";
  }

  function undeliveredItem({ uuid, terminalId }: ZvtOpen, atMs: number): AttentionItem {
    const detail = "A payment of a cash register was approved, but the register did not get the result; it can get it with repeat receipt";
    return { kind: "zvt_undelivered", terminalId, uuid, atMs, detail, raw: null };
  }

  function unknownItem({ uuid, terminalId }: ZvtOpen, atMs: number): AttentionItem {
    const detail =
      "The outcome of a cash register's payment was unknown when the route's next sale began: the register did not get a result";
    return { kind: "zvt_undelivered", terminalId, uuid, atMs, detail, raw: null };
  }

  function untoldItems(open: ZvtOpen | null, atMs: number): AttentionItem[] {
    if (open === null || open.flagged || open.delivered) return [];
    // Its late result would settle the command's own item, and nobody would know that its register was never told.
    if (open.outcome?.type === "unknown") return [unknownItem(open, atMs)];
    return open.outcome?.type === "paid" ? [undeliveredItem(open, atMs)] : [];
  }

  async function begin(route: ZvtRouteConfig, request: ZvtPaymentRequest): Promise<ZvtBegun | typeof CONFLICT> {
    const { routeId, connection, amountCents, currency, intermediateStatus } = request;
    const stored = await store.load(routeId);
    const record = stored?.record ?? newRouteRecord(epoch());
    const version = stored?.version ?? 0;
    const { open } = record;
    const at = attachmentOf(connection, self);
    const known = open === null ? null : await lookAt(routeId, open);
    if (open !== null && known !== null && known.news !== null) {
      await store.commit({ routeId, version, record: withOutcome(record, open, known.news, known.endedAtMs) });
      return CONFLICT;
    }
    const decision = decideBegin(open, {
      ...{ amountCents, currency, attached: at, atMs: clock.nowMs() },
      isAttachedOpen: open !== null && (await isAttachedOpen(open)),
      isKnown: known?.isKnown ?? false,
      reattachMs: config.reattachSeconds * 1_000,
    });
    if (decision.type === "busy") return decision;
    if (decision.type === "new") {
      const refusal = await refusalOf(route);
      if (refusal !== null) {
        // It stores nothing that another node's payment could conflict with: this may be the repeat of one that was begun meanwhile, and be paid.
        if (((await store.load(routeId))?.version ?? 0) !== version) return CONFLICT;
        observe.paymentEnded(refusal.word, 0);
        return { type: "refused", code: refusal.code };
      }
    }
    if (decision.type === "giveUp" && open !== null) {
      if (await giveUp(open)) await store.commit({ routeId, version, record: withoutOpen(record) });
      return CONFLICT;
    }
    const atMs = clock.nowMs();
    const next = nextOf(decision, { route, record, at, request, atMs });
    if (next === null) return { type: "busy" };
    const attention = decision.type === "new" ? untoldItems(open, atMs) : [];
    if (!(await store.commit({ routeId, version, record: next, attention }))) return CONFLICT;
    const payment = { routeId, uuid: next.open.uuid };
    const before = attached.get(payment.uuid)?.connection ?? null;
    attached.set(payment.uuid, { connection: connection.id, intermediateStatus, open: next.open });
    const replaces = before === connection.id ? null : before;
    if (decision.type === "new") return { type: "begun", payment };
    observe.reattached();
    if (decision.type === "deliver") return { type: "deliver", payment, outcome: decision.outcome, replaces };
    return { type: "reattached", payment, replaces };
  }

  function epoch(): string {
    return ids.uuid().replaceAll("-", "");
  }

  interface NextFacts {
    route: ZvtRouteConfig;
    record: ZvtRouteRecord;
    at: ZvtAttachment;
    request: ZvtPaymentRequest;
    atMs: number;
  }

  function nextOf(decision: BeginDecision, { route, record, at, request, atMs }: NextFacts): (ZvtRouteRecord & { open: ZvtOpen }) | null {
    const { amountCents, currency } = request;
    if (decision.type === "new") {
      const order = { terminalId: route.terminalId, amountCents, currency };
      const uuidOf = (seq: number) => paymentUuid(sha1, { routeId: route.id, epoch: record.epoch, seq });
      return withOpened(record, { order, attached: at, uuidOf, atMs });
    }
    if (record.open === null) return null;
    const resend = decision.type === "reattach" && decision.resend;
    return withReattached(record, record.open, { attached: at, resend, atMs });
  }

  /** What of a new payment is known to fail before it is stored. */
  async function refusalOf(route: ZvtRouteConfig): Promise<{ word: string; code: number } | null> {
    if (callerFor(route, route.terminalId) === null) return { word: "not_permitted", code: ZVT_CODES.notPermitted };
    const { connected } = await relay.terminals.view(route.terminalId);
    return connected ? null : { word: "offline", code: ZVT_CODES.offline };
  }

  async function statusOf(terminalId: string): Promise<ZvtStatus> {
    try {
      const { connected, lastActivityMs } = await relay.terminals.view(terminalId);
      if (!connected) return NOT_THERE;
      return { state: "ready", answers: lastActivityMs !== undefined && clock.nowMs() - lastActivityMs <= ANSWERED_WITHIN_MS };
    } catch (error) {
      failed("zvt status", error);
      return NOT_THERE;
    }
  }

  function startRun(routeId: string, open: ZvtOpen, maySendIt: boolean): PaymentRun {
    const route = routes.get(routeId);
    const { uuid, terminalId } = open;
    const run = startPaymentRun(
      { open, service: route?.service ?? "PAYCC", tid: tidFor(routeId, terminalId), maySendIt },
      {
        ...{ relay, clock, timers, ids, failed },
        timeoutMs: config.timeoutSeconds * 1_000,
        graceMs: config.disconnectGraceSeconds * 1_000,
        isAbandoned: async () => {
          const current = (await store.load(routeId))?.record.open ?? null;
          return current === null || current.uuid !== uuid || current.disconnectedAtMs !== null || !(await isAttachedOpen(current));
        },
        callerOf: () => (route === undefined ? null : partnerCaller(route.partnerUsername)),
      },
    );
    runs.set(uuid, run);
    const forget = () => {
      if (runs.get(uuid) === run) runs.delete(uuid);
    };
    run.ended
      .then(async (outcome) => {
        if (outcome !== null) {
          await end({ routeId, uuid }, open, run, outcome);
          return;
        }
        // Who came to it just now asks again, and then gets a run that goes on.
        forget();
        run.follower()?.replaced();
      })
      .catch((error: unknown) => failed("zvt payment", error))
      .finally(forget);
    return run;
  }

  /** Stores the end, and tells it to whom it belongs then: the connection that the record names. */
  async function end(payment: ZvtPayment, open: ZvtOpen, run: PaymentRun, outcome: ZvtOutcome): Promise<void> {
    const atMs = clock.nowMs();
    const stored = await insist<ZvtOpen | null>(
      "zvt end",
      payment,
      (record, current) => {
        // Another node may have stored it.
        if (current.outcome !== null && current.outcome.type !== "unknown") return { change: null, result: current };
        const ended = withOutcome(record, current, outcome, atMs);
        return { change: { record: ended }, result: ended.open };
      },
      null,
    );
    observe.paymentEnded(wordOf(outcome), atMs - open.acceptedAtMs);
    const follower = run.follower();
    if (follower === null) return;
    const own = attached.get(payment.uuid);
    // Without a record the outcome is still true, and its register is to hear it.
    if (stored !== null && !isOwnAttachment(stored, own?.connection)) {
      attached.delete(payment.uuid);
      follower.replaced();
      return;
    }
    const final = stored?.outcome ?? outcome;
    if (final.type === "unknown") attached.delete(payment.uuid);
    follower.ended(final);
  }

  /** This node's connection is gone; where another has taken the payment over, it is that one's. */
  function disconnected(payment: ZvtPayment, connection: string): Promise<void> {
    if (attached.get(payment.uuid)?.connection === connection) attached.delete(payment.uuid);
    const atMs = clock.nowMs();
    return insist(
      "zvt disconnect",
      payment,
      (record, open) => {
        if (!isOwnAttachment(open, connection) || open.disconnectedAtMs !== null) return { change: null, result: undefined };
        return { change: { record: { ...record, open: { ...open, disconnectedAtMs: atMs } } }, result: undefined };
      },
      undefined,
    );
  }

  /** Also of one that is no longer open: it was asked for by its repeat receipt. */
  function delivered(payment: ZvtPayment, attention: (terminalId: string) => readonly AttentionItem[]): Promise<void> {
    const { routeId, uuid } = payment;
    return changes
      .insist(
        routeId,
        "zvt delivery",
        (stored) => {
          const open = stored?.record.open ?? null;
          if (stored === null || open === null || open.uuid !== uuid) return { change: null, result: undefined };
          const { record } = stored;
          const settled = [{ kind: "zvt_undelivered", terminalId: open.terminalId, uuid }] as const;
          const change = { record: { ...record, open: { ...open, delivered: true } }, settled, attention: attention(open.terminalId) };
          return { change: open.delivered ? null : change, result: undefined };
        },
        undefined,
      )
      .catch((error: unknown) => failed("zvt delivery", error))
      .finally(() => attached.delete(uuid));
  }

  /**
   * It was stored, and its node stopped or its register left before it was sent. Nobody has asked again for it: it is not paid, and must not show as running for
   * ever, since some registers ask before each payment whether one runs.
   */
  async function isNeverSent(routeId: string, open: ZvtOpen): Promise<boolean> {
    const atMs = clock.nowMs();
    const sinceMs = Math.max(open.acceptedAtMs, open.disconnectedAtMs ?? 0);
    if (atMs <= sinceMs + config.reattachSeconds * 1_000) return false;
    // Of a store that has lost some of its history it reads as unknown here: its command may have been lost, and not the payment.
    const current = (await store.load(routeId))?.record.open ?? null;
    if (current?.uuid !== open.uuid || current.outcome !== null || !(await giveUp(open))) return false;
    const outcome = { type: "notPaid", code: ZVT_CODES.expired, receipt: null } as const;
    await change(
      routeId,
      open.uuid,
      (current, still) => ({
        change: still.outcome === null ? { record: withOutcome(current, still, outcome, atMs) } : null,
        result: undefined,
      }),
      undefined,
    );
    return true;
  }

  async function tendRoute(routeId: string, record: ZvtRouteRecord): Promise<void> {
    const { open } = record;
    if (open === null || open.delivered) return;
    const { uuid } = open;
    if (open.outcome === null) {
      if (runs.has(uuid) || (await isAttachedOpen(open))) return;
      if (await isNeverSent(routeId, open)) return;
      // Somebody may have come for it meanwhile.
      if (runs.has(uuid)) return;
      const run = startRun(routeId, open, false);
      run.disconnect();
      return;
    }
    if (open.outcome.type === "unknown") {
      const { news, endedAtMs } = await lookAt(routeId, open);
      if (news === null) return;
      await change(
        routeId,
        uuid,
        (current, still) =>
          still.outcome?.type === "unknown"
            ? { change: { record: withOutcome(current, still, news, endedAtMs) }, result: undefined }
            : { change: null, result: undefined },
        undefined,
      );
      return;
    }
    const atMs = clock.nowMs();
    const untilMs = Math.max(open.endedAtMs ?? 0, open.disconnectedAtMs ?? 0) + config.reattachSeconds * 1_000;
    if (open.flagged || open.outcome.type !== "paid" || atMs <= untilMs || (await isAttachedOpen(open))) return;
    await change(
      routeId,
      uuid,
      (current, still) =>
        still.flagged || still.delivered
          ? { change: null, result: undefined }
          : {
              change: { record: { ...current, open: { ...still, flagged: true } }, attention: untoldItems(still, atMs) },
              result: undefined,
            },
      undefined,
    );
  }

  return {
    route: (connection, password) => selectRoute(selectors, connection, password),
    begin: async (request) => {
      const route = routes.get(request.routeId);
      if (draining || route === undefined) return { type: "busy" };
      const askedAtMs = clock.monotonicMs();
      let isLate = false;
      const begun = mutex
        .runExclusive(request.routeId, () =>
          retryOnConflict<ZvtBegun>(DECISIONS_MAX, async () => {
            if (draining || isLate || clock.monotonicMs() - askedAtMs > BEGIN_WITHIN_MS) return BUSY;
            return begin(route, request);
          }),
        )
        .catch((error: unknown) => {
          failed("zvt begin", error);
          return BUSY;
        });
      return new Promise<ZvtBegun>((resolve) => {
        const timer = timers.set(BEGIN_WITHIN_MS, () => {
          isLate = true;
          resolve(BUSY);
        });
        void begun.then((outcome) => {
          timer.clear();
          if (!isLate) resolve(outcome);
          // It was told that it is not taken on: nothing is sent, and the next 06-01 decides anew.
          else if ("payment" in outcome) void disconnected(outcome.payment, request.connection.id);
        });
      });
    },
    follow: (payment, follower) => {
      const own = attached.get(payment.uuid);
      if (own === undefined) return followNothing(follower, timers);
      const { connection, intermediateStatus, open } = own;
      const run = runs.get(payment.uuid) ?? startRun(payment.routeId, open, true);
      run.attach(follower, intermediateStatus);
      const isFollowed = () => run.follower() === follower;
      let heard = false;
      return {
        heard: () => {
          if (heard || !isFollowed()) return;
          heard = true;
          const noteHeard = (record: ZvtRouteRecord, current: ZvtOpen) => {
            const change =
              isOwnAttachment(current, connection) && !current.heard ? { record: { ...record, open: { ...current, heard: true } } } : null;
            return { change, result: undefined };
          };
          void insist("zvt heard", payment, noteHeard, undefined);
        },
        cancel: () => {
          if (isFollowed()) run.cancel();
        },
        disconnected: () => {
          if (isFollowed()) run.disconnect();
          void disconnected(payment, connection);
        },
      };
    },
    delivered: (payment) => delivered(payment, () => []),
    undelivered: async (payment) => {
      const own = attached.get(payment.uuid);
      if (own !== undefined) await disconnected(payment, own.connection);
    },
    refusedByRegister: (payment, code) => {
      const detail = `A payment was approved, but the cash register rejected the result with code ${code.toString(16).padStart(2, "0").toUpperCase()}`;
      return delivered(payment, (terminalId) => [
        { kind: "zvt_refused_by_ecr", terminalId, uuid: payment.uuid, atMs: clock.nowMs(), detail, raw: null },
      ]);
    },
    lastReceipt: async (routeId) => {
      try {
        const stored = await store.load(routeId);
        if (stored === null) return { type: "none" };
        const { open, lastReceipt } = stored.record;
        if (open !== null && !open.delivered && (open.outcome === null || open.outcome.type === "unknown")) return { type: "live" };
        // The register has not heard that its payment came to nothing, and would take an older receipt for the one of it.
        if (lastReceipt === null || (open !== null && !open.delivered && lastReceipt.uuid !== open.uuid)) return { type: "none" };
        return { type: "receipt", payment: { routeId, uuid: lastReceipt.uuid }, receipt: lastReceipt.receipt };
      } catch (error) {
        failed("zvt repeat receipt", error);
        return { type: "live" };
      }
    },
    status: async (routeId) => {
      const route = routes.get(routeId);
      if (route === undefined) return NOT_THERE;
      try {
        const open = (await store.load(routeId))?.record.open ?? null;
        const status = await statusOf(route.terminalId);
        return open !== null && open.outcome === null ? { ...status, state: "paying" } : status;
      } catch (error) {
        failed("zvt status", error);
        return NOT_THERE;
      }
    },
    tend: async () => {
      const all = await store.all();
      const held = all.flatMap(({ record: { open } }) => (open === null || open.delivered ? [] : [open]));
      counts = {
        unknownHolds: held.filter(({ outcome }) => outcome?.type === "unknown").length,
        undelivered: held.filter((open) => undeliveredOf(open)?.type === "paid").length,
      };
      for (const { routeId, record } of all) await tendRoute(routeId, record);
    },
    counts: () => counts,
    drain: () => {
      draining = true;
    },
    running: () => runs.size,
  };
}

/** Decides about the payment of this uuid while it is the open one. */
function ofOpen<T>(
  stored: LoadedRoute | null,
  uuid: string,
  step: (record: ZvtRouteRecord, open: ZvtOpen) => RouteDecision<T>,
  otherwise: T,
): RouteDecision<T> {
  const open = stored?.record.open ?? null;
  return stored === null || open === null || open.uuid !== uuid ? { change: null, result: otherwise } : step(stored.record, open);
}

/**
 * Numbers that a lost part of the store's history has seen are not used again: a route goes on with others. A payment that had not ended may have been sent, and
 * its command lost: its outcome is unknown until the relay knows of one.
 */
function asAfterLoss(store: ZvtRouteStore, { epoch, nowMs }: { epoch(): string; nowMs(): number }): ZvtRouteStore {
  return {
    ...store,
    load: async (routeId) => {
      const stored = await store.load(routeId);
      if (stored === null || !stored.historyLost) return stored;
      const record = { ...stored.record, epoch: epoch() };
      const { open } = record;
      const isLive = open !== null && open.outcome === null;
      return { ...stored, record: isLive ? withOutcome(record, open, { type: "unknown" }, nowMs()) : record };
    },
  };
}

/** A payment that is no longer this connection's. */
function followNothing(follower: ZvtFollower, timers: Timers) {
  timers.soon(() => follower.replaced());
  return { heard: () => {}, cancel: () => {}, disconnected: () => {} };
}

/** For the metrics. */
function wordOf(outcome: ZvtOutcome): string {
  if (outcome.type !== "notPaid") return outcome.type;
  switch (outcome.code) {
    case ZVT_CODES.cancelled:
      return "cancelled";
    case ZVT_CODES.expired:
      return "expired";
    case ZVT_CODES.busy:
      return "busy";
    case ZVT_CODES.notPermitted:
      return "not_permitted";
    case ZVT_CODES.currency:
      return "currency";
    default:
      return "declined";
  }
}
