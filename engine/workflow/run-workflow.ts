import type { ActivityLog, WorkflowEntry } from "../kernel/activity-log.ts";
import type { Clock } from "../kernel/clock.ts";
import { type CommitPart, NO_PART } from "../kernel/commit-part.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import { attentionKey, attentionOperation } from "../payments/attention.ts";
import { changedAtMs } from "../payments/object-row.ts";
import { portalEvent } from "../webhooks/portal-events.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import type {
  CommitGuard,
  EffectHandler,
  GuardPart,
  RequestContext,
  Step,
  TimedEvent,
  Transition,
  WorkflowDefinition,
  WorkflowRecord,
} from "./workflow.ts";
import type { WorkflowCommit, WorkflowStore } from "./workflow-store.ts";

/** Each conflict means that somebody else has changed the record; more of them mean that something is wrong. */
export const ATTEMPTS_MAX = 8;

export interface WorkflowOptions<R, F, Outcome> {
  readonly store: WorkflowStore<R>;
  readonly clock: Clock;
  readonly digest: Digest;
  /** What an event shows of a record: no personal data. */
  objectOf(record: R): object;
  /** The entries that store webhook events and lead to their deliveries. */
  eventOperations(events: readonly WebhookEvent[]): CommitPart["operations"];
  /** Called after the commit, as `count` is. */
  readonly activity: Pick<ActivityLog, "workflow">;
  count(outcome: Outcome): void;
  /** Absent: a commit depends on nothing but the record and what its caller adds. */
  readonly guard?: CommitGuard<R>;
  /** Called with each record that is stored. */
  stored?(record: R): void;
  /** The entries of a mail; null where mails have no room now. Absent: the machine has no mails. */
  mailOf?(record: R, effect: F): Promise<CommitPart["operations"] | null>;
}

export interface Applied<R, F> {
  readonly type: "accepted" | "refused";
  readonly record: R;
  /** Those of the step, for a caller that executes what comes after the commit. */
  readonly effects: readonly F[];
}

/** `guarded`: the guard refuses it. `conflict`: there is another version of the record, or a check of the caller's does not hold. */
export type Created<R, F> =
  | Applied<R, F>
  | { readonly type: "guarded"; readonly refused: string }
  | { readonly type: "conflict"; readonly key?: string };

export interface PreparedStep<R, F> {
  readonly record: R;
  readonly effects: readonly F[];
  readonly part: CommitPart;
  /** To be called once the part is stored. */
  committed(): void;
}

/** Steps records and stores the steps, for requests and deadlines alike. */
export interface Workflow<R, E, F> {
  readonly store: WorkflowStore<R>;
  /** Stores a new record with the effects of its first events. */
  create(
    step: Pick<Step<R, F>, "record" | "effects">,
    event: TimedEvent,
    request: RequestContext | null,
    part?: GuardPart,
  ): Promise<Created<R, F>>;
  /** One step from what was read; CONFLICT if that, or what `part` checks, has changed. */
  step(stored: Stored<R>, event: E, request: RequestContext | null, part?: CommitPart): Promise<Applied<R, F> | typeof CONFLICT>;
  /** Loads, decides, steps and commits, again after a conflict. `decide`: null for nothing to do. Null: there is no such record. */
  apply(id: string, decide: (record: R, atMs: number) => E | null, request: RequestContext | null): Promise<Applied<R, F> | null>;
  /** The record as it is at this time: where its deadline has passed unnoticed, that is stored first. */
  current(id: string): Promise<Stored<R> | null>;
  /** One step for the commit of another record; nothing is stored before the caller commits `part`. The guard is read once. */
  prepare(stored: Stored<R>, event: E, request: RequestContext | null): Promise<PreparedStep<R, F> | "refused">;
  /** Reports to the activity log that a request was refused. */
  refused(record: R, event: TimedEvent, request: RequestContext): void;
}

export function createWorkflow<R extends WorkflowRecord, E extends TimedEvent, F extends { readonly type: string }, Outcome>(
  definition: WorkflowDefinition<R, E, F, Outcome>,
  options: WorkflowOptions<R, F, Outcome>,
): Workflow<R, E, F> {
  const { objectType, terminalOf, outcomesOf, touch } = definition;
  const { store, clock, digest, objectOf, eventOperations, activity, count, guard, mailOf } = options;
  const handlers: { readonly [type: string]: EffectHandler<R, F> } = definition.effects;

  function handlerOf({ type }: F): EffectHandler<R, F> {
    const handler = handlers[type];
    if (handler === undefined) throw new Error(`${definition.label} has no handler for the effect ${type}`);
    return handler;
  }

  /** The operations of the step's mail, and what the record keeps of a mail that found no room. */
  async function mailed(record: R, effects: readonly F[], atMs: number): Promise<{ record: R; operations: CommitPart["operations"] }> {
    for (const effect of effects.toReversed()) {
      const handler = handlerOf(effect);
      if (handler.kind !== "mail") continue;
      const operations = (await mailOf?.(record, effect)) ?? null;
      if (operations !== null) return { record, operations };
      return { record: { ...record, ...handler.postponed?.(record, effect, atMs) }, operations: [] };
    }
    return { record, operations: [] };
  }

  function eventsOf(record: R, effects: readonly F[], before: number, atMs: number, requestId: string | null): WebhookEvent[] {
    const { id: objectId, merchantId, partnerId, livemode } = record;
    const facts = { merchantId, partnerId, livemode, objectId, atMs, object: objectOf(record), requestId };
    return typesOf(effects).map((type, index) => portalEvent({ ...facts, type, sequence: before + index + 1 }, digest));
  }

  function typesOf(effects: readonly F[]) {
    return effects.flatMap((effect) => {
      const handler = handlerOf(effect);
      return handler.kind === "webhook" ? [handler.typeOf(effect)] : [];
    });
  }

  function attentionOf(record: R, effects: readonly F[], before: R | null, atMs: number): CommitPart["operations"] {
    const [terminalId, uuid] = [terminalOf(record), record.id];
    return effects.flatMap((effect) => {
      const handler = handlerOf(effect);
      if (handler.kind === "attention") {
        return [attentionOperation({ kind: handler.item, terminalId, uuid, atMs, detail: handler.detailOf(record), raw: null })];
      }
      const isResolved = handler.kind === "resolve" && before !== null && handler.exists(before);
      return isResolved ? [{ type: "delete", key: attentionKey(handler.item, terminalId, uuid) } as const] : [];
    });
  }

  /** A step with everything that is stored with it but for what the guard adds. */
  async function commitOf(
    { record: stepped, effects }: Pick<Step<R, F>, "record" | "effects">,
    stored: Stored<R> | null,
    { atMs }: TimedEvent,
    request: RequestContext | null,
    part: CommitPart,
  ): Promise<WorkflowCommit<R>> {
    const before = stored?.record ?? null;
    const mails = await mailed(stepped, effects, atMs);
    const record = {
      ...mails.record,
      updatedAtMs: touch === "latest" ? Math.max(stepped.updatedAtMs, atMs) : changedAtMs(before?.updatedAtMs ?? null, atMs),
      events: stepped.events + typesOf(effects).length,
    };
    const operations = [
      ...eventOperations(eventsOf(record, effects, stepped.events, atMs, request?.requestId ?? null)),
      ...part.operations,
      ...mails.operations,
      ...attentionOf(record, effects, before, atMs),
    ];
    return { before, record, atMs, version: stored?.version ?? 0, part: { checks: part.checks, operations } };
  }

  async function guarded(commit: WorkflowCommit<R>): Promise<GuardPart | { readonly refused: string }> {
    return guard?.applies(commit) === true ? guard.read(commit) : NO_PART;
  }

  async function commit(
    step: Pick<Step<R, F>, "record" | "effects">,
    stored: Stored<R> | null,
    event: TimedEvent,
    request: RequestContext | null,
    part: CommitPart,
  ): Promise<Created<R, F>> {
    const own = await commitOf(step, stored, event, request, part);

    /** CONFLICT: only what the guard has read has changed. */
    async function attempt(): Promise<Created<R, F> | typeof CONFLICT> {
      const more = await guarded(own);
      if ("refused" in more) return { type: "guarded", refused: more.refused };
      const result = await store.commit(joined(own, more));
      if (result.type === "conflict") return more.checks.some(({ key }) => key === result.key) ? CONFLICT : result;
      committed(own, step.effects, event, request, more);
      return { type: "accepted", record: own.record, effects: step.effects };
    }

    const { attemptsMax, inTurn } = guard ?? {};
    if (attemptsMax === undefined || inTurn === undefined || guard?.applies(own) !== true) {
      const once = await attempt();
      return once === CONFLICT ? { type: "conflict" } : once;
    }
    return inTurn(own.record, () => retryOnConflict(attemptsMax, attempt));
  }

  function committed(
    transition: Transition<R>,
    effects: readonly F[],
    event: TimedEvent,
    request: RequestContext | null,
    { committed: guardCommitted }: GuardPart,
  ): void {
    report(transition, event, request, "done");
    for (const outcome of outcomesOf(transition, effects)) count(outcome);
    guardCommitted?.();
    options.stored?.(transition.record);
  }

  function report({ before, record }: Transition<R>, event: TimedEvent, request: RequestContext | null, outcome: WorkflowEntry["outcome"]) {
    const { id: objectId, merchantId, state: to } = record;
    const { type, atMs } = event;
    const requestId = request?.requestId ?? null;
    activity.workflow({ atMs, merchantId, objectType, objectId, event: type, from: before?.state ?? null, to, requestId, outcome });
  }

  const refused: Workflow<R, E, F>["refused"] = (record, event, request) =>
    report({ before: record, record, atMs: event.atMs }, event, request, "refused");

  const step: Workflow<R, E, F>["step"] = async (stored, event, request, part = NO_PART) => {
    const stepped = definition.step(stored.record, event);
    if (!stepped.accepted) {
      // A deadline that does not apply any more was nobody's request.
      if (request !== null) refused(stored.record, event, request);
      return { type: "refused", record: stored.record, effects: [] };
    }
    const applied = await commit(stepped, stored, event, request, part);
    return applied.type === "conflict" || applied.type === "guarded" ? CONFLICT : applied;
  };

  const prepare: Workflow<R, E, F>["prepare"] = async (stored, event, request) => {
    const stepped = definition.step(stored.record, event);
    if (!stepped.accepted) return "refused";
    const own = await commitOf(stepped, stored, event, request, NO_PART);
    const more = await guarded(own);
    if ("refused" in more) return "refused";
    const { effects } = stepped;
    return {
      ...{ record: own.record, effects, part: store.part(joined(own, more)) },
      committed: () => committed(own, effects, event, request, more),
    };
  };

  return {
    store,
    step,
    prepare,
    refused,
    create: (first, event, request, part = NO_PART) => commit(first, null, event, request, part),
    apply: (id, decide, request) =>
      retryOnConflict(ATTEMPTS_MAX, async () => {
        const stored = await store.load(id);
        if (stored === null) return null;
        const event = decide(stored.record, clock.nowMs());
        return event === null ? { type: "refused", record: stored.record, effects: [] } : step(stored, event, request);
      }),
    current: (id) =>
      retryOnConflict(ATTEMPTS_MAX, async () => {
        const stored = await store.load(id);
        const event = stored === null ? null : definition.overdue(stored.record, clock.nowMs());
        if (stored === null || event === null) return stored;
        await step(stored, event, null);
        return CONFLICT;
      }),
  };
}

function joined<R>(own: WorkflowCommit<R>, { checks, operations }: CommitPart): WorkflowCommit<R> {
  const { part } = own;
  return { ...own, part: { checks: [...part.checks, ...checks], operations: [...part.operations, ...operations] } };
}
