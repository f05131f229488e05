import type { CardGateway, NotificationSignature } from "../gateway/card-gateway.ts";
import type { GatewayAnswer, GatewayCredentials, GatewayFollowedUp, GatewayPaymentState } from "../gateway/gateway.ts";
import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import { createDeadlineRunner, type DeadlineBounds } from "../kernel/deadline-runner.ts";
import { RelayError } from "../kernel/errors.ts";
import { KeyedMutex } from "../kernel/keyed-mutex.ts";
import { fromMinorUnits } from "../kernel/money.ts";
import { createPacer } from "../kernel/pacer.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { type PlaceBounds, SharedPlaces } from "../kernel/shared-places.ts";
import type { Stored } from "../kernel/stored.ts";
import type { LinkEffect, LinkEvent } from "./events.ts";
import type { GatewayAccounts } from "./gateway-accounts.ts";
import { amountOf, type FollowUp, isFinal, type LinkOrder, type LinkRecord, reversalIdOf } from "./link.ts";
import { linkChange, toldLateChange, unwantedChange } from "./link-change.ts";
import type { LinkCause, LinkCompanion } from "./link-companion.ts";
import type { LinkObserver, LinkStepped } from "./link-observer.ts";
import type { LinkChange, LinkStore } from "./link-store.ts";
import type { FollowUpOutcome, LinkCreated, Links } from "./links.ts";
import { mayVerify, newLink } from "./rules.ts";
import { stepLink } from "./step-link.ts";

/** Losing the race for a record this often in a row means that something is wrong; the caller gets "unavailable". */
const STALE_RETRIES_MAX = 8;

/** The same of what companions read, which many links may change: in a thread they then follow each other, and of several threads each wins in turn. */
const COMPANION_RETRIES_MAX = 256;

/**
 * Verifies that callers and notifications have under way, in all and of the payments of one merchant; beyond it a caller is told to come again, a notification waits for its
 * deadline.
 */
export const VERIFIES_ASKED: PlaceBounds = { all: 128, each: 64 };

/** Verifies at the gateway at once; others wait here, so that whoever creates a link does not have to wait behind all of them. */
const AT_GATEWAY_MAX = 256;

/** How far a deadline may be moved to keep the gateway's load even. */
const SLACK_MS = { created: 5_000, waiting: 30_000, watching: 3_000, expiry: 30_000, ended: 60_000 };

/** Verifies that a second takes without being thought full: below it everything is done just when it is due. */
const FREE_PER_SECOND = 20;

/**
 * So many held are caught up with at some 8,000 a second at most, within the time that a round of verifies takes. So many at once because on a slow disk
 * most of them wait for it; how many are at the gateway is bounded apart. On time they are paced when they are stored.
 */
const DEADLINES: Omit<DeadlineBounds, "pacer"> = { heldMax: 120_000, atOnceMax: 1_024, catchUpMs: 30_000, slackMs: 0 };

export interface LinksOptions {
  store: LinkStore;
  gateway: CardGateway;
  accounts: GatewayAccounts;
  signature: NotificationSignature;
  clock: Clock;
  homes: Homes;
  self: Address;
  /** Where the gateway posts its notifications. */
  notifyUrl(): string;
  /** Asked before each commit of a link, in this order. */
  companions?: readonly LinkCompanion[];
  /** Whether it was because of a dispute that a companion did not want something given back. */
  isUnderDispute?(payment: { merchantId: string; uuid: string }): Promise<boolean>;
  /** The gateway answered a verify, or could not be asked. */
  verified?(outcome: GatewayPaymentState["type"] | "unavailable"): void;
  observer?: LinkObserver;
  failed(what: string, error: unknown): void;
}

/** The links of one shard: it looks after the deadlines of those whose home it is, and carries out what it is asked of any. */
export interface ShardLinks {
  links: Links;
  /** Called by the owner every 50 ms or so. */
  tick(): void;
  /** Begins nothing more by itself, and waits for what is under way. */
  stop(): Promise<void>;
  counts(): { due: number; verifying: number };
}

/** A step with what its companions store with it, and what they are told once it is stored. */
interface AccompaniedChange {
  change: LinkChange;
  done: readonly (() => void)[];
}

interface Applied {
  stored: Stored<LinkRecord>;
  effects: readonly LinkEffect[];
}

export function createShardLinks(options: LinksOptions): ShardLinks {
  const { store, gateway, accounts, signature, clock, homes, self, notifyUrl, companions = [], isUnderDispute } = options;
  const { verified, observer, failed } = options;
  const pacer = createPacer(FREE_PER_SECOND);
  const verifying = new Map<string, Promise<LinkRecord | null>>();
  const shopTurns = new KeyedMutex<string>();
  const turns: (() => void)[] = [];
  let atGateway = 0;
  const asked = new SharedPlaces(VERIFIES_ASKED);

  /** Steps a link and stores the step; loads again and steps again when somebody else was first. Null where there is no such link. */
  async function apply(
    txId: string,
    event: LinkEvent,
    known: Stored<LinkRecord> | null = null,
    cause: LinkCause | null = null,
  ): Promise<Applied | null> {
    const applied = await applyUnlessRefused(txId, event, known, cause);
    if (applied !== "refused") return applied;
    throw new Error(`a companion of the link ${txId} refused what only happened to it: ${event.type}`);
  }

  async function applyUnlessRefused(
    txId: string,
    event: LinkEvent,
    known: Stored<LinkRecord> | null,
    cause: LinkCause | null,
  ): Promise<Applied | "refused" | null> {
    let stored = known ?? (await store.load(txId));
    for (let tries = 0; tries < STALE_RETRIES_MAX; tries += 1) {
      if (stored === null) return null;
      const applied = await applyOnce(stored, event, cause);
      if (applied !== CONFLICT) return applied;
      const now = await store.load(txId);
      if (now?.version === stored.version) return applyInTurn(now, event, cause);
      stored = now;
    }
    throw contended();
  }

  /** Nobody has changed the link: what its companions keep is what others change, such as the account of an agent whose links all end at once. */
  function applyInTurn({ record }: Stored<LinkRecord>, event: LinkEvent, cause: LinkCause | null): Promise<Applied | "refused" | null> {
    const { txId, shop = txId } = record.order;
    const again = async () => {
      const stored = await store.load(txId);
      return stored === null ? null : applyOnce(stored, event, cause);
    };
    return shopTurns.runExclusive(shop, () => retryOnConflict(COMPANION_RETRIES_MAX, again, contended));
  }

  async function applyOnce(
    stored: Stored<LinkRecord>,
    event: LinkEvent,
    cause: LinkCause | null,
  ): Promise<Applied | "refused" | typeof CONFLICT> {
    const { record, effects, changed } = stepLink(stored.record, event);
    if (!changed) return { stored, effects };
    const all = await accompanied(linkChange(paced(record, stored.record, event.atMs), stored, effects, event.atMs), cause);
    if (all === "refused") {
      const { order, state } = stored.record;
      observer?.stepped({ order, event: event.type, from: state, to: state, atMs: event.atMs, refused: "not_wanted", cause });
      return "refused";
    }
    const version = await committed(all, event.type, cause);
    return version === null ? CONFLICT : { stored: { record: all.change.record, version }, effects };
  }

  /** A call to the gateway, of which the observer is told how long it took and what came of it. */
  async function called<Done>(
    operation: keyof CardGateway,
    order: LinkOrder,
    cause: LinkCause | null,
    call: () => Promise<GatewayAnswer<Done>>,
  ): Promise<GatewayAnswer<Done>> {
    const [atMs, begunMs] = [clock.nowMs(), clock.monotonicMs()];
    const answer = await call();
    observer?.asked({ order, operation, atMs, ms: clock.monotonicMs() - begunMs, answer, cause });
    return answer;
  }

  /** The step with what its companions store with it. Each reads what it needs anew, so a lost race is decided again from the start. */
  async function accompanied(change: LinkChange, cause: LinkCause | null): Promise<AccompaniedChange | "refused"> {
    let all = change;
    const done: (() => void)[] = [];
    for (const companion of companions) {
      const beside = await companion(all, cause);
      if (beside === "refused") return "refused";
      const before = all.alongside ?? NOTHING_ALONGSIDE;
      all = {
        ...all,
        alongside: { checks: [...before.checks, ...beside.checks], operations: [...before.operations, ...beside.operations] },
      };
      if (beside.unwanted === true) all = unwantedChange(all);
      if (beside.late !== undefined) all = toldLateChange(all, beside.late);
      if (beside.committed !== undefined) done.push(beside.committed);
    }
    return { change: all, done };
  }

  /** After the commit: a step that is told is one that happened. */
  async function committed(
    { change, done }: AccompaniedChange,
    event: LinkStepped["event"],
    cause: LinkCause | null,
  ): Promise<number | null> {
    const version = await store.commit(change);
    if (version === null) return null;
    const { record, before, atMs } = change;
    observer?.stepped({ order: record.order, event, from: before?.state ?? null, to: record.state, atMs, refused: null, cause });
    for (const tell of done) tell();
    return version;
  }

  function paced(after: LinkRecord, before: LinkRecord, atMs: number): LinkRecord {
    const { nextAtMs } = after;
    if (nextAtMs === null || nextAtMs <= atMs || nextAtMs === before.nextAtMs) return after;
    return { ...after, nextAtMs: pacer.place(nextAtMs, slackOf(after), atMs) };
  }

  /** Asks the gateway and stores what it says. One question at a time for each link; `fresh` wants one that begins after this call. */
  function verify(txId: string, stored: Stored<LinkRecord> | null, fresh: boolean): Promise<LinkRecord | null> {
    const running = verifying.get(txId);
    if (running !== undefined) {
      if (!fresh) return running;
      const next = () => verify(txId, null, false);
      return running.then(next, next);
    }
    const work = ask(txId, stored).finally(() => verifying.delete(txId));
    verifying.set(txId, work);
    return work;
  }

  async function ask(txId: string, known: Stored<LinkRecord> | null): Promise<LinkRecord | null> {
    const stored = known ?? (await store.load(txId));
    if (stored === null) return null;
    const { askedAtMs, answer } = await inTurn(async () => ({ askedAtMs: clock.nowMs(), answer: await askGateway(stored.record) }));
    verified?.(answer.type === "done" ? answer.value.type : "unavailable");
    const atMs = clock.nowMs();
    // A gateway that refuses to say has not said that it was not paid.
    const event: LinkEvent =
      answer.type === "done" ? { type: "verify.answered", atMs, askedAtMs, payment: answer.value } : { type: "verify.failed", atMs };
    const applied = await apply(txId, event, stored);
    return applied?.stored.record ?? null;
  }

  /** As many wait as links are looked after at once, and callers are let in. */
  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (atGateway < AT_GATEWAY_MAX) atGateway += 1;
    else await new Promise<void>((go) => turns.push(go));
    try {
      return await work();
    } finally {
      const next = turns.shift();
      if (next === undefined) atGateway -= 1;
      else next();
    }
  }

  async function askGateway({ order, paymentId }: LinkRecord): Promise<GatewayAnswer<GatewayPaymentState>> {
    const credentials = accountOf(order);
    if (credentials === null) return NO_ACCOUNT;
    return called("verify", order, null, () => gateway.verify(credentials, { txId: order.txId, paymentId }));
  }

  function accountOf({ partnerId, merchantId }: LinkOrder): GatewayCredentials | null {
    return accounts.ofPayment(partnerId, merchantId);
  }

  /** A verify that somebody asks for, within the bound on how many of these there are. */
  async function askedFor<T>({ order }: LinkRecord, work: () => Promise<T>): Promise<T> {
    const holder = order.shop ?? order.owner;
    if (asked.refusalOf(holder) !== null) {
      throw new RelayError("too_busy", "Too many payments are being verified; retry shortly", { retryAfterSeconds: 1 });
    }
    const giveBack = asked.take(holder);
    try {
      return await work();
    } finally {
      giveBack();
    }
  }

  async function due(txId: string): Promise<void> {
    const applied = await apply(txId, { type: "deadline.passed", atMs: clock.nowMs() });
    if (applied === null) return;
    const { stored, effects } = applied;
    if (wantsVerify(effects)) await verify(txId, stored, false);
    // Counted and stored before it is tried: whoever is home after a crash tries it again, under the same id.
    if (effects.some(({ type }) => type === "reverse")) {
      await links.followUp({ txId, operationId: reversalIdOf(txId), type: "reversal", amountMinor: null }, BY_RELAY);
    }
  }

  /** Goes on with a link that was stored before: by an attempt that died, or that was answered and whose caller asks again. */
  async function resume({ record }: Stored<LinkRecord>): Promise<Stored<LinkRecord> | LinkCreated> {
    if (record.state !== "created") return createdAs(record);
    if (record.inits > 0) {
      const found = await verify(record.order.txId, null, true);
      if (found === null) throw new Error(`the link ${record.order.txId} no longer exists`);
      if (found.state !== "created") return createdAs(found);
      // Also after a verify that said "absent": whether it said that is in when it was last answered.
      if (found.verifiedAtMs === null || found.verifiedAtMs === record.verifiedAtMs) return { type: "unavailable", record: found };
    }
    const again = await store.load(record.order.txId);
    if (again === null) throw new Error(`the link ${record.order.txId} no longer exists`);
    return again;
  }

  async function init(stored: Stored<LinkRecord>, cause: LinkCause | null): Promise<LinkCreated> {
    const { order } = stored.record;
    const begun = await apply(order.txId, { type: "init.begun", atMs: clock.nowMs() }, stored, cause);
    if (begun === null) throw new Error(`the link ${order.txId} no longer exists`);
    const { record } = begun.stored;
    if (record.state !== "created") return createdAs(record);
    const credentials = accountOf(order);
    if (credentials === null) return { type: "unavailable", record };
    const { txId, amount, currency, merchantReference, customerEmail, instrument, capture, returnUrl, expiresAtMs } = order;
    const description = order.description ?? "";
    const answer = await called("init", order, cause, () =>
      gateway.init(credentials, {
        ...{ txId, amount, currency, description, merchantReference, customerEmail, instrument, capture, returnUrl, expiresAtMs },
        notifyUrl: notifyUrl(),
      }),
    );
    const atMs = clock.nowMs();
    switch (answer.type) {
      case "done": {
        const applied = await apply(txId, { type: "init.answered", atMs, ...answer.value }, begun.stored, cause);
        return createdAs(applied?.stored.record ?? record);
      }
      case "refused": {
        const { resultCode, description: said } = answer;
        const refusal = { type: "init.refused", atMs, resultCode, description: said } as const;
        const applied = await apply(txId, { ...refusal, absent: false }, begun.stored, cause);
        const after = applied?.stored.record ?? record;
        if (after.state === "failed") return createdAs(after);
        // Refused as a repetition, perhaps of one that arrived: the gateway knows.
        const found = (await verify(txId, null, true)) ?? after;
        if (found.state !== "created" || found.verifiedAtMs === null || found.verifiedAtMs < atMs) return createdAs(found);
        const absent = await apply(txId, { ...refusal, absent: true }, null, cause);
        return createdAs(absent?.stored.record ?? found);
      }
      case "unavailable":
        return { type: "unavailable", record };
    }
  }

  async function execute(record: LinkRecord, followUp: FollowUp, cause: LinkCause | null): Promise<FollowUpOutcome> {
    const { order, outcome } = record;
    const credentials = accountOf(order);
    const origTranId = movementOf(record, followUp);
    if (credentials === null || origTranId === null || outcome === null) return { type: "unavailable", record, followUp };
    const { currency } = amountOf(record);
    const amount = fromMinorUnits(followUp.amountMinor, currency);
    const answer: GatewayAnswer<GatewayFollowedUp> = await called(followUp.type, order, cause, () =>
      gateway[followUp.type](credentials, { txId: followUp.id, origTranId, amount, currency }),
    );
    const atMs = clock.nowMs();
    // One that is known to be executed was only asked for its movement.
    if (answer.type === "unavailable")
      return followUp.state === "done" ? endedAs(record, followUp.id) : { type: "unavailable", record, followUp };
    const { resultCode, description } = answer.type === "done" ? answer.value : answer;
    const event: LinkEvent =
      answer.type === "done"
        ? { type: "followUp.answered", atMs, id: followUp.id, tranId: answer.value.tranId, resultCode, description }
        : { type: "followUp.refused", atMs, id: followUp.id, resultCode, description };
    const applied = await apply(order.txId, event, null, cause);
    const after = applied?.stored.record ?? record;
    // Refused as a repetition, perhaps of one that was executed: the gateway's totals know.
    const found = applied !== null && wantsVerify(applied.effects) ? await verify(order.txId, null, true) : null;
    return endedAs(found ?? after, followUp.id);
  }

  const deadlines = createDeadlineRunner({
    ...{ name: "link", index: store, homes, self, clock, failed },
    placeOf: (partition) => `links/${partition}`,
    bounds: { ...DEADLINES, pacer },
    fire: due,
  });

  /** Null where a companion refused it. */
  async function createdOrRefused(order: LinkOrder, cause: LinkCause | null): Promise<LinkCreated | null> {
    const fresh = newLink(order);
    for (let tries = 0; tries < STALE_RETRIES_MAX; tries += 1) {
      const change = { ...NOTHING_MORE, record: fresh, before: null, version: 0, atMs: order.createdAtMs };
      const all = await accompanied(change, cause);
      if (all === "refused") return null;
      const version = await committed(all, "link.created", cause);
      if (version !== null) return init({ record: fresh, version }, cause);
      const stored = await store.load(order.txId);
      if (stored !== null) return resumed(stored, cause);
      // What a companion had read was changed.
      if (companions.length === 0) throw new RelayError("conflict", "A payment with this id already exists");
    }
    throw contended();
  }

  async function resumed(stored: Stored<LinkRecord>, cause: LinkCause | null): Promise<LinkCreated> {
    const found = await resume(stored);
    return "type" in found ? found : init(found, cause);
  }

  async function verifiedNow(txId: string): Promise<{ record: LinkRecord; asked: boolean } | null> {
    const sinceMs = clock.nowMs();
    const stored = await store.load(txId);
    if (stored === null) return null;
    const record = await askedFor(stored.record, () => verify(txId, null, true));
    return record === null ? null : { record, asked: record.verifiedAtMs !== null && record.verifiedAtMs >= sinceMs };
  }

  const links: Links = {
    create: async (order, cause = null) => {
      const created = await createdOrRefused(order, cause);
      if (created === null) throw new RelayError("conflict", "This payment is not wanted");
      return created;
    },
    createUnlessRefused: createdOrRefused,
    resume: async (txId, cause) => {
      const stored = await store.load(txId);
      return stored === null ? null : resumed(stored, cause);
    },
    byTxId: async (txId) => (await store.load(txId))?.record ?? null,
    byPaymentId: async (partnerId, paymentId) => (await store.findByPaymentId(partnerId, paymentId))?.record ?? null,
    byTranId: async (partnerId, tranId) => (await store.findByTranId(partnerId, tranId))?.record ?? null,
    verify: async (txId) => {
      const applied = await apply(txId, { type: "verify.requested", atMs: clock.nowMs() });
      if (applied === null) return null;
      const { stored, effects } = applied;
      const record = wantsVerify(effects) ? await askedFor(stored.record, () => verify(txId, stored, false)) : stored.record;
      return record === null ? null : { record, isFresh: !mayVerify(record, clock.nowMs()) };
    },
    verifyNow: verifiedNow,
    revoke: async (txId, cause) => {
      const sinceMs = clock.nowMs();
      const found = await verifiedNow(txId);
      if (found === null) return null;
      const { record, asked } = found;
      if (record.revoked === true) return { type: "revoked", record };
      if (isFinal(record.state)) return { type: "ended", record };
      if (!asked) return { type: "unavailable", record };
      // Whatever became known in between, its version decides.
      const applied = await applyUnlessRefused(txId, { type: "revoke.requested", atMs: clock.nowMs(), sinceMs }, null, cause);
      if (applied === "refused" || applied === null) return { type: "refused", record };
      const after = applied.stored.record;
      if (after.revoked === true && after.state === "failed") return { type: "revoked", record: after };
      return { type: isFinal(after.state) ? "ended" : "unavailable", record: after };
    },
    notified: async (notification, given) => {
      const stored = await store.load(notification.txId);
      if (stored === null) return;
      if (given !== null && !isSigned(stored.record, notification, given)) return;
      // As it is stored, whatever letters the gateway writes it in.
      const { txId } = stored.record.order;
      const applied = await apply(txId, { type: "notification.received", atMs: clock.nowMs() }, stored);
      if (applied === null || !wantsVerify(applied.effects)) return;
      // What fails here, or finds no room, is made good by the stored deadline.
      askedFor(stored.record, () => verify(txId, null, true)).catch((error: unknown) => {
        if (!(error instanceof RelayError)) failed("link.notified", error);
      });
    },
    followUp: async ({ txId, operationId, type, amountMinor }, cause = null) => {
      const by = cause?.askedBy;
      const event: LinkEvent = {
        ...{ type: "followUp.requested", atMs: clock.nowMs(), id: operationId, followUp: type, amountMinor },
        ...(by === undefined ? {} : { by }),
      };
      const applied = await applyUnlessRefused(txId, event, null, cause);
      if (applied === null) return null;
      if (applied === "refused") {
        const stored = await store.load(txId);
        if (stored === null) return null;
        const isHeld = type !== "capture" && (await isDisputed(stored.record));
        return { type: "impossible", record: stored.record, reason: isHeld ? "under_dispute" : "under_way" };
      }
      const { record } = applied.stored;
      for (const effect of applied.effects) {
        if (effect.type === "refuseFollowUp") {
          const { reason } = effect.params;
          const [from, to] = [record.state, record.state];
          observer?.stepped({ order: record.order, event: event.type, from, to, atMs: event.atMs, refused: reason, cause });
          return { type: "impossible", record, reason };
        }
        if (effect.type === "repeatFollowUp") return endedAs(record, effect.params.followUp.id);
        if (effect.type === "executeFollowUp") return execute(record, effect.params.followUp, cause);
      }
      throw new Error(`${type} of ${txId} had no outcome`);
    },
  };

  async function isDisputed({ order: { shop, txId } }: LinkRecord): Promise<boolean> {
    if (shop === undefined || isUnderDispute === undefined) return false;
    return isUnderDispute({ merchantId: shop, uuid: txId });
  }

  function isSigned(record: LinkRecord, { merId, txId, paymentId }: Parameters<Links["notified"]>[0], given: string): boolean {
    const credentials = accountOf(record.order);
    if (credentials === null) return false;
    return signature.matches(credentials, { merId, txId, paymentId: paymentId ?? record.paymentId }, given);
  }

  return {
    links,
    tick: deadlines.tick,
    stop: deadlines.stop,
    counts: () => ({ due: deadlines.counts().held, verifying: verifying.size }),
  };
}

/** What nobody asks for. */
const BY_RELAY: LinkCause = { surface: "relay", askedBy: "relay" };

const NO_ACCOUNT = { type: "unavailable", reason: "the account of this payment no longer exists" } as const;

function contended(): RelayError {
  return new RelayError("unavailable", "Too many concurrent changes of this payment; retry shortly", { retryAfterSeconds: 1 });
}

const NOTHING_ALONGSIDE: CommitPart = { checks: [], operations: [] };

const NOTHING_MORE = { rows: [], attention: [], settled: [] } as const;

function slackOf({ state, nextAtMs, order }: LinkRecord): number {
  switch (state) {
    case "created":
      return SLACK_MS.created;
    case "waiting":
      return SLACK_MS.waiting;
    case "watching":
      return nextAtMs === order.expiresAtMs ? SLACK_MS.expiry : SLACK_MS.watching;
    default:
      return SLACK_MS.ended;
  }
}

function wantsVerify(effects: readonly LinkEffect[]): boolean {
  return effects.some(({ type }) => type === "verify");
}

/** What the creation of a link has come to, by how it stands. */
function createdAs(record: LinkRecord): LinkCreated {
  if (record.state === "created") return { type: "unavailable", record };
  if (record.revoked === true && record.state === "failed" && record.outcome !== null) {
    return { type: "refused", record, resultCode: record.outcome.resultCode, description: record.outcome.description };
  }
  // Ended before anybody had its address: there is nothing to send a buyer to.
  if ((record.state === "failed" || record.state === "expired") && record.paymentUrl === null && record.outcome !== null) {
    return { type: "refused", record, resultCode: record.outcome.resultCode, description: record.outcome.description };
  }
  return { type: "created", record };
}

function endedAs(record: LinkRecord, id: string): FollowUpOutcome {
  const followUp = record.followUps.find((entry) => entry.id === id);
  if (followUp === undefined) throw new Error(`the link ${record.order.txId} has lost a capture, reversal or refund`);
  if (followUp.state === "requested") return { type: "unavailable", record, followUp };
  return { type: followUp.state, record, followUp };
}

/** The movement of money that is undone or taken: a refund pays back what a later capture took, where there was one. */
function movementOf({ outcome, followUps }: LinkRecord, { type }: FollowUp): string | null {
  const captured = type === "refund" ? followUps.find((entry) => entry.type === "capture" && entry.state === "done") : undefined;
  return captured?.tranId ?? outcome?.payment?.tranId ?? null;
}
