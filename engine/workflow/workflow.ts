import type { WorkflowEntry } from "../kernel/activity-log.ts";
import type { CommitPart } from "../kernel/commit-part.ts";
import type { DeadlineBounds } from "../kernel/deadline-runner.ts";
import type { SchemaKind } from "../kernel/schemas.ts";
import type { Stepper } from "../kernel/statechart.ts";
import type { AttentionKind } from "../payments/attention-kinds.ts";
import type { ObjectRow } from "../payments/object-row.ts";
import type { PortalEventType } from "../webhooks/portal-events.ts";

/** What the record of every workflow has. */
export interface WorkflowRecord {
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly state: string;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** When the relay looks at the record next without a request; null: never again. */
  readonly nextAtMs: number | null;
  /** The number of webhook events so far. */
  readonly events: number;
}

/** An event of a machine. `atMs` is wall time in milliseconds UTC. */
export interface TimedEvent {
  readonly type: string;
  readonly atMs: number;
}

/** The result of one event. `accepted` is false where the state does not take the event: nothing is stored then. */
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

/** The request that caused a step. */
export interface RequestContext {
  /** All attempts at one request have the same id. */
  readonly id: string;
  readonly requestId: string | null;
}

/** An index: entries `<prefix><path><13 digits of milliseconds>/<id>`, or `<prefix><path><id>` without a time. */
export interface IndexDeclaration<R> {
  readonly prefix: string;
  /** The key is the prefix and the path alone: at most one record has it. */
  readonly exact?: true;
  /** Null: the index does not have this record. */
  path(record: R): string | null;
  atMs?(record: R): number;
  /** What the entry holds; absent: the id. */
  value?(record: R): string;
}

/** What becomes of an effect of the machine. Made by the functions below. */
export type EffectHandler<R, F> =
  /** A webhook event of this type, in the commit of the step. */
  | { readonly kind: "webhook"; typeOf(effect: F): PortalEventType }
  /** An item that operators look at. */
  | { readonly kind: "attention"; readonly item: AttentionKind; detailOf(record: R): string }
  /** Removes such an item, if it exists. */
  | { readonly kind: "resolve"; readonly item: AttentionKind; exists(before: R): boolean }
  /** A mail; `postponed` is what the record keeps where mails have no room now. A step sends the last of its mails. */
  | { readonly kind: "mail"; postponed?(record: R, effect: F, atMs: number): Partial<R> }
  /** The caller of the step executes the effect, or stores it in the same commit. */
  | { readonly kind: "caller" };

export function webhook<R, F>(typeOf: (effect: F) => PortalEventType): EffectHandler<R, F> {
  return { kind: "webhook", typeOf };
}

export function attention<R, F>(item: AttentionKind, detailOf: (record: R) => string): EffectHandler<R, F> {
  return { kind: "attention", item, detailOf };
}

export function resolveAttention<R, F>(item: AttentionKind, exists: (before: R) => boolean): EffectHandler<R, F> {
  return { kind: "resolve", item, exists };
}

export function mail<R, F>(postponed?: (record: R, effect: F, atMs: number) => Partial<R>): EffectHandler<R, F> {
  return { kind: "mail", ...(postponed === undefined ? {} : { postponed }) };
}

export function forCaller<R, F>(): EffectHandler<R, F> {
  return { kind: "caller" };
}

/**
 * A workflow: a stored record that a machine steps, with its indexes, its deadline, its webhook events, the items that operators
 * look at, its mails and its rows in reports, all written in one commit.
 */
export interface WorkflowDefinition<R extends WorkflowRecord, E extends TimedEvent, F extends { readonly type: string }, Outcome> {
  readonly kind: SchemaKind;
  /** Names a record in errors: "an alert". */
  readonly label: string;
  readonly objectType: WorkflowEntry["objectType"];
  /** Ids come out of requests as they are; others are not looked up. */
  readonly idPattern: RegExp;
  /** The key of a record is this prefix and its id. */
  readonly keyPrefix: string;
  step(record: R, event: E): Step<R, F>;
  /** The event that an overdue record gets before it is shown or changed; null where it is not overdue. */
  overdue(record: R, atMs: number): E | null;
  /** How `updatedAtMs` is set: it grows with each change, or it is the latest time of all. */
  readonly touch: "increasing" | "latest";
  /** How long the record and its index entries are stored. */
  expiresAtMs(transition: Transition<R>, retentionMs: number): number;
  readonly indexes: readonly IndexDeclaration<R>[];
  /** Whether the index entries that stay are written again, so that they are stored as long as the record. Absent: always. */
  renewIndexes?(transition: Transition<R>): boolean;
  /** Entries of the workflow's own in each commit; `untilMs` is when the record expires. */
  ownEntries?(transition: Transition<R>, untilMs: number): CommitPart["operations"];
  readonly deadlines: {
    /** Deadlines are stored under `due/<name>/`, and live where the place `<name>s/<partition>` is at home. */
    readonly name: string;
    readonly bounds: Omit<DeadlineBounds, "pacer">;
    /** Looks within one second before the rest is spread. */
    readonly freePerSecond: number;
  };
  /** The terminal under which operators see its items. */
  terminalOf(record: R): string;
  readonly effects: { readonly [T in F["type"]]: EffectHandler<R, Extract<F, { type: T }>> };
  reportRows(record: R): readonly ObjectRow[];
  /** What is counted of a step once it is stored. */
  outcomesOf(transition: Transition<R>, effects: readonly F[]): readonly Outcome[];
}

/** Steps a record by its machine. `nextAtMs` says when the relay looks at it next; absent: the machine sets it. */
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

/** What a commit depends on beside its record, and what is stored with it there. */
export interface CommitGuard<R> {
  applies(transition: Transition<R>): boolean;
  /** Reads it, again for each attempt at the commit. `refused` names why nothing is stored. */
  read(transition: Transition<R>): Promise<GuardPart | { readonly refused: string }>;
  /**
   * Absent: where it has changed, the record is read and decided again. Present: only the guard is read again, so many times, because the
   * step stays right.
   */
  readonly attemptsMax?: number;
  /** Runs the commit in turn with others of this thread that change the same. */
  inTurn<T>(record: R, commit: () => Promise<T>): Promise<T>;
}

export interface GuardPart extends CommitPart {
  /** Called once the commit is stored. */
  committed?(): void;
}
