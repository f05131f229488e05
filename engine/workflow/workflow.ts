import type { WorkflowEntry } from "../kernel/activity-log.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import type { DeadlineBounds } from "../kernel/deadline-runner.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import type { SchemaKind } from "../kernel/schemas.ts";
import type { Stepper } from "../kernel/statechart.ts";
import type { AttentionKind } from "../payments/attention-kinds.ts";
import type { ObjectRow } from "../payments/object-row.ts";
import { type PortalEventType, portalEvent } from "../webhooks/portal-events.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";

export interface WorkflowRecord {
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** Absent: `stateOf` of the definition derives it. */
  readonly state?: string;
  readonly createdAtMs: number;
  readonly updatedAtMs?: number;
  /** When the relay checks the record next without a request; null or absent if never again. */
  readonly nextAtMs?: number | null;
  readonly events: number;
}

/** An event of a machine. `atMs` is wall time in milliseconds UTC. */
export interface TimedEvent {
  readonly type: string;
  readonly atMs: number;
}

/** The result of one event. If the state does not accept the event, nothing is stored. */
export interface Step<R, F> {
  readonly record: R;
  readonly effects: readonly F[];
  readonly accepted: boolean;
}

/** A change of a record; `before` is null for a new one. */
export interface Transition<R> {
  readonly before: R | null;
  readonly record: R;
  readonly atMs: number;
}

export interface RequestContext {
  /** All attempts at one request have the same id. */
  readonly id: string;
  readonly requestId: string | null;
  readonly idempotencyKey?: string | null;
}

/**
 * The keys are `<prefix><path><13 digits of milliseconds>/<id>`, or `<prefix><path><id>` without a
 * time.
 */
export interface IndexDeclaration<R> {
  readonly prefix: string;
  /** The key has no id, so at most one record has it. */
  readonly exact?: true;
  /** Null: the index does not contain the record. */
  path(record: R): string | null;
  atMs?(record: R): number;
  /** The value of the entry; absent: the id. */
  value?(record: R): string;
}

/** The facts from which a webhook event is made. */
export interface EventFacts<R> {
  readonly record: R;
  /** The place among the events of the record, from 1. */
  readonly sequence: number;
  /** The event of the machine that caused the step. */
  readonly cause: TimedEvent;
  readonly request: RequestContext | null;
  readonly digest: Digest;
  objectOf(record: R): object;
}

export type EffectHandler<R, F> =
  /** Adds webhook events to the commit of the step. */
  | { readonly kind: "webhook"; eventsOf(effect: F): readonly ((facts: EventFacts<R>) => WebhookEvent)[] }
  /** Adds an item that operators check, under the id of the record or the result of `placeOf`. */
  | { readonly kind: "attention"; readonly item: AttentionKind; detailOf(record: R): string; placeOf?(event: TimedEvent): string }
  | { readonly kind: "resolve"; readonly item: AttentionKind; exists(before: R): boolean }
  /**
   * A step sends only the last of its mails. The record stores what `sent` returns, or what
   * `postponed` returns if mails have no room.
   */
  | { readonly kind: "mail"; postponed?(record: R, effect: F, atMs: number): Partial<R>; sent?(record: R): Partial<R> }
  /** The caller of the step executes the effect, or stores it in the same commit. */
  | { readonly kind: "caller" };

/** Adds one event of the portal's format. */
export function webhook<R extends WorkflowRecord, F>(typeOf: (effect: F) => PortalEventType): EffectHandler<R, F> {
  const eventOf = (effect: F, { record, sequence, cause: { atMs }, request, digest, objectOf }: EventFacts<R>) => {
    const { id: objectId, merchantId, partnerId, livemode } = record;
    const facts = { merchantId, partnerId, livemode, type: typeOf(effect), objectId, sequence, atMs, object: objectOf(record) };
    return portalEvent({ ...facts, requestId: request?.requestId ?? null }, digest);
  };
  return { kind: "webhook", eventsOf: (effect) => [(facts) => eventOf(effect, facts)] };
}

export function attention<R, F>(
  item: AttentionKind,
  detailOf: (record: R) => string,
  placeOf?: (event: TimedEvent) => string,
): EffectHandler<R, F> {
  return { kind: "attention", item, detailOf, ...(placeOf === undefined ? {} : { placeOf }) };
}

export function resolveAttention<R, F>(item: AttentionKind, exists: (before: R) => boolean): EffectHandler<R, F> {
  return { kind: "resolve", item, exists };
}

export function mail<R, F>(
  postponed?: (record: R, effect: F, atMs: number) => Partial<R>,
  sent?: (record: R) => Partial<R>,
): EffectHandler<R, F> {
  return { kind: "mail", ...(postponed === undefined ? {} : { postponed }), ...(sent === undefined ? {} : { sent }) };
}

export function forCaller<R, F>(): EffectHandler<R, F> {
  return { kind: "caller" };
}

/**
 * A workflow is a stored record that a machine steps. Its indexes, deadline, webhook events,
 * attention items, mails and report rows are written in the same commit.
 */
export interface WorkflowDefinition<R extends WorkflowRecord, E extends TimedEvent, F extends { readonly type: string }, Outcome> {
  readonly kind: SchemaKind;
  /** Names a record in errors: "an alert". */
  readonly label: string;
  readonly objectType: WorkflowEntry["objectType"];
  /** Ids come from requests unchecked. An id that does not match is not looked up. */
  readonly idPattern: RegExp;
  readonly keyPrefix: string;
  step(record: R, event: E): Step<R, F>;
  /** Absent: the member `state`. */
  stateOf?(record: R): string;
  /** Returns the event that an overdue record needs before it is shown or changed, else null. */
  overdue(record: R, atMs: number): E | null;
  /** Limits decisions after conflicts; absent: ATTEMPTS_MAX (run-workflow.ts). */
  readonly attemptsMax?: number;
  /** The steps that metrics and the activity log report; absent: all, and rejected requests. */
  readonly reports?: "state changes";
  /**
   * `increasing`: `updatedAtMs` grows with each change. `latest`: it is the maximum of all times.
   * `none`: there is no such member.
   */
  readonly touch: "increasing" | "latest" | "none";
  /** Returns changes of the record that its machine does not make. */
  noted?(transition: Transition<R>): Partial<R>;
  /** Null: the record is stored until a later commit sets its expiry. */
  expiresAtMs(transition: Transition<R>, retentionMs: number): number | null;
  readonly indexes: readonly IndexDeclaration<R>[];
  /** False: unchanged index entries keep their expiry. Absent: they expire with the record. */
  renewIndexes?(transition: Transition<R>): boolean;
  /** Returns further entries of each commit. `untilMs` is when the record expires. */
  ownEntries?(transition: Transition<R>, untilMs: number | null, retentionMs: number): CommitPart["operations"];
  /** Absent: the records have no deadline. */
  readonly deadlines?: {
    /**
     * Deadlines are stored under `due/<name>/`. The home of the place `<name>s/<partition>` fires
     * them.
     */
    readonly name: string;
    readonly bounds: Omit<DeadlineBounds, "pacer">;
    /** Deadlines that fire within one second before further ones are delayed. */
    readonly freePerSecond: number;
  };
  /** The terminal under which operators see the attention items. */
  terminalOf(record: R): string;
  readonly effects: { readonly [T in F["type"]]: EffectHandler<R, Extract<F, { type: T }>> };
  reportRows(record: R): readonly ObjectRow[];
  /** Returns what metrics count after the commit. */
  outcomesOf(transition: Transition<R>, effects: readonly F[]): readonly Outcome[];
}

/** Without `nextAtMs`, the machine sets the time of the next check. */
export function stepRecords<
  State extends string,
  R extends { readonly state: State; readonly nextAtMs: number | null },
  E extends TimedEvent,
  F,
>(machine: Stepper<State, R, E, F>, nextAtMs?: (record: R) => number | null): (record: R, event: E) => Step<R, F> {
  return (record, event) => {
    const { state, context, effects } = machine(record.state, record, event);
    const accepted = context !== record || effects.length > 0;
    if (!accepted) return { record, effects, accepted };
    const stepped = { ...context, state };
    return { record: nextAtMs === undefined ? stepped : { ...stepped, nextAtMs: nextAtMs(stepped) }, effects, accepted };
  };
}

/** A commit may depend on more than its record, for instance on the disputes of a payment. */
export interface CommitGuard<R> {
  applies(transition: Transition<R>): boolean;
  /** Called for each attempt to commit. `refused` names why nothing is stored. */
  read(transition: Transition<R>): Promise<GuardPart | { readonly refused: string }>;
  /**
   * How often only the guard is read again if it has changed, because the step stays valid. Absent:
   * the record is read and decided again.
   */
  readonly attemptsMax?: number;
  /** Runs commits of this thread that change the same guard one after the other. */
  inTurn<T>(record: R, commit: () => Promise<T>): Promise<T>;
}

export interface GuardPart extends CommitPart {
  committed?(): void;
}
