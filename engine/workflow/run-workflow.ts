import type { ActivityLog, WorkflowEntry } from "../kernel/activity-log.ts";
import type { Clock } from "../kernel/clock.ts";
import { type CommitPart, NO_PART } from "../kernel/commit-part.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import { changedAtMs } from "../payments/object-row.ts";
import type { WebhookEvent } from "../webhooks/webhook-event.ts";
import { createEffects, type EffectOptions, type Mailed, type Stepped } from "./effects.ts";
import type { CommitGuard, GuardPart, RequestContext, TimedEvent, Transition, WorkflowDefinition, WorkflowRecord } from "./workflow.ts";
import type { WorkflowCommit, WorkflowStore } from "./workflow-store.ts";

/** More conflicts than this indicate a fault. */
export const ATTEMPTS_MAX = 8;

export interface WorkflowOptions<R, F, Outcome> extends EffectOptions<R, F> {
  readonly store: WorkflowStore<R>;
  readonly clock: Clock;
  eventOperations(events: readonly WebhookEvent[]): CommitPart["operations"];
  /** Called only after the commit, like `count`. */
  readonly activity: Pick<ActivityLog, "workflow">;
  count(outcome: Outcome): void;
  readonly guard?: CommitGuard<R>;
  stored?(record: R): void;
}

export interface Applied<R, F> {
  readonly type: "accepted" | "refused";
  readonly record: R;
  /** For a caller that executes some of them after the commit. */
  readonly effects: readonly F[];
}

/**
 * `guarded`: the guard rejects the commit. `conflict`: the record or what a check reads has
 * changed.
 */
export type Created<R, F> =
  | Applied<R, F>
  | { readonly type: "guarded"; readonly refused: string }
  | { readonly type: "conflict"; readonly key: string };

export interface PreparedStep<R, F> {
  readonly record: R;
  readonly effects: readonly F[];
  readonly part: CommitPart;
  /** The caller calls it once the part is stored. */
  committed(): void;
}

export interface Workflow<R, E, F> {
  readonly store: WorkflowStore<R>;
  create(step: Stepped<R, F>, event: TimedEvent, request: RequestContext | null, part?: GuardPart): Promise<Created<R, F>>;
  /** Makes one step. Returns CONFLICT if the record, or what `part` checks, has changed. */
  step(stored: Stored<R>, event: E, request: RequestContext | null, part?: CommitPart): Promise<Applied<R, F> | typeof CONFLICT>;
  /**
   * Loads, decides, steps and commits, and repeats this after a conflict. `decide` returns null if
   * there is nothing to do.
   */
  apply(id: string, decide: (record: R, atMs: number) => E | null, request: RequestContext | null): Promise<Applied<R, F> | null>;
  /** Returns the record after any step that its deadline has made due. */
  current(id: string): Promise<Stored<R> | null>;
  /**
   * Makes one step for the commit of another record. The caller commits `part`. The guard is read
   * once. Without a mail and a guard the result is no promise, so that many requests that step one
   * record at once conflict less often.
   */
  prepare(
    stored: Stored<R>,
    event: E,
    request: RequestContext | null,
  ): PreparedStep<R, F> | "refused" | Promise<PreparedStep<R, F> | "refused">;
  /** Reports a rejected request to the activity log. */
  refused(record: R, event: TimedEvent, request: RequestContext): void;
}

export function createWorkflow<R extends WorkflowRecord, E extends TimedEvent, F extends { readonly type: string }, Outcome>(
  definition: WorkflowDefinition<R, E, F, Outcome>,
  options: WorkflowOptions<R, F, Outcome>,
): Workflow<R, E, F> {
  const { objectType, outcomesOf, attemptsMax = ATTEMPTS_MAX, reports, stateOf = ({ state = "" }) => state } = definition;
  const { store, clock, eventOperations, activity, count, guard } = options;
  const effectsOf = createEffects(definition, options);

  function commitOf(
    { record: stepped, effects }: Stepped<R, F>,
    mails: Mailed<R>,
    stored: Stored<R> | null,
    event: TimedEvent,
    request: RequestContext | null,
    part: CommitPart,
  ): WorkflowCommit<R> {
    const { atMs } = event;
    const before = stored?.record ?? null;
    const touched = {
      ...mails.record,
      ...touchedAt(definition.touch, stepped, before, atMs),
      events: stepped.events + effectsOf.eventCount(effects),
    };
    const record = { ...touched, ...definition.noted?.({ before, record: touched, atMs }) };
    const operations = [
      ...eventOperations(effectsOf.events(record, effects, stepped.events, event, request)),
      ...part.operations,
      ...mails.operations,
      ...effectsOf.attention(record, effects, before, event),
    ];
    return { before, record, atMs, version: stored?.version ?? 0, part: { checks: part.checks, operations } };
  }

  async function commit(
    step: Stepped<R, F>,
    stored: Stored<R> | null,
    event: TimedEvent,
    request: RequestContext | null,
    part: GuardPart,
  ): Promise<Created<R, F>> {
    const mails = effectsOf.hasMail(step)
      ? await effectsOf.mailed(step, stored?.record ?? null, event.atMs)
      : { record: step.record, operations: [] };
    const unguarded = commitOf(step, mails, stored, event, request, part);
    const isGuarded = guard?.applies(unguarded) === true;

    async function attempt(): Promise<{ readonly applied: Created<R, F>; readonly isGuardStale: boolean }> {
      const guardPart = isGuarded ? await guard.read(unguarded) : NO_PART;
      if ("refused" in guardPart) return { applied: { type: "guarded", refused: guardPart.refused }, isGuardStale: false };
      const result = await store.commit(withPart(unguarded, guardPart));
      if (result.type === "conflict") return { applied: result, isGuardStale: guardPart.checks.some(({ key }) => key === result.key) };
      committed(unguarded, step.effects, event, request, [part, guardPart]);
      return { applied: { type: "accepted", record: unguarded.record, effects: step.effects }, isGuardStale: false };
    }

    const guardAttemptsMax = guard?.attemptsMax;
    if (!isGuarded || guardAttemptsMax === undefined) return (await attempt()).applied;
    // The step stays valid while only what the guard reads has changed.
    return guard.inTurn(unguarded.record, () =>
      retryOnConflict(guardAttemptsMax, async () => {
        const { applied, isGuardStale } = await attempt();
        return isGuardStale ? CONFLICT : applied;
      }),
    );
  }

  function committed(
    transition: Transition<R>,
    effects: readonly F[],
    event: TimedEvent,
    request: RequestContext | null,
    parts: readonly GuardPart[],
  ): void {
    if (reports === undefined || stateIn(transition.before, stateOf) !== stateOf(transition.record)) {
      report(transition, event, request, "done");
      for (const outcome of outcomesOf(transition, effects)) count(outcome);
    }
    for (const part of parts) part.committed?.();
    options.stored?.(transition.record);
  }

  function report({ before, record }: Transition<R>, event: TimedEvent, request: RequestContext | null, outcome: WorkflowEntry["outcome"]) {
    const { id: objectId, merchantId } = record;
    const { type, atMs } = event;
    const entry = { atMs, merchantId, objectType, objectId, event: type, requestId: request?.requestId ?? null, outcome };
    activity.workflow({ ...entry, from: stateIn(before, stateOf), to: stateOf(record) });
  }

  const refused: Workflow<R, E, F>["refused"] = (record, event, request) =>
    report({ before: record, record, atMs: event.atMs }, event, request, "refused");

  const step: Workflow<R, E, F>["step"] = async (stored, event, request, part = NO_PART) => {
    const stepped = definition.step(stored.record, event);
    if (!stepped.accepted) {
      // No request causes a deadline, so one that no longer applies is not reported.
      if (request !== null && reports === undefined) refused(stored.record, event, request);
      return { type: "refused", record: stored.record, effects: [] };
    }
    const applied = await commit(stepped, stored, event, request, part);
    return applied.type === "conflict" || applied.type === "guarded" ? CONFLICT : applied;
  };

  const prepare: Workflow<R, E, F>["prepare"] = (stored, event, request) => {
    const stepped = definition.step(stored.record, event);
    if (!stepped.accepted) return "refused";
    const { effects } = stepped;

    function withGuard(unguarded: WorkflowCommit<R>, guardPart: GuardPart | { readonly refused: string }): PreparedStep<R, F> | "refused" {
      if ("refused" in guardPart) return "refused";
      return {
        ...{ record: unguarded.record, effects, part: store.part(withPart(unguarded, guardPart)) },
        committed: () => committed(unguarded, effects, event, request, [guardPart]),
      };
    }

    function withMails(mails: Mailed<R>): ReturnType<Workflow<R, E, F>["prepare"]> {
      const unguarded = commitOf(stepped, mails, stored, event, request, NO_PART);
      return guard?.applies(unguarded) === true
        ? guard.read(unguarded).then((guardPart) => withGuard(unguarded, guardPart))
        : withGuard(unguarded, NO_PART);
    }

    return effectsOf.hasMail(stepped)
      ? effectsOf.mailed(stepped, stored.record, event.atMs).then(withMails)
      : withMails({ record: stepped.record, operations: [] });
  };

  return {
    store,
    step,
    prepare,
    refused,
    create: (first, event, request, part = NO_PART) => commit(first, null, event, request, part),
    apply: (id, decide, request) =>
      retryOnConflict(attemptsMax, async () => {
        const stored = await store.load(id);
        if (stored === null) return null;
        const event = decide(stored.record, clock.nowMs());
        return event === null ? { type: "refused", record: stored.record, effects: [] } : step(stored, event, request);
      }),
    current: (id) =>
      retryOnConflict(attemptsMax, async () => {
        const stored = await store.load(id);
        const event = stored === null ? null : definition.overdue(stored.record, clock.nowMs());
        if (stored === null || event === null) return stored;
        await step(stored, event, null);
        return CONFLICT;
      }),
  };
}

function stateIn<R>(record: R | null, stateOf: (record: R) => string): string | null {
  return record === null ? null : stateOf(record);
}

function touchedAt(
  touch: "increasing" | "latest" | "none",
  { updatedAtMs = 0 }: Pick<WorkflowRecord, "updatedAtMs">,
  before: Pick<WorkflowRecord, "updatedAtMs"> | null,
  atMs: number,
): Pick<WorkflowRecord, "updatedAtMs"> {
  if (touch === "none") return {};
  return { updatedAtMs: touch === "latest" ? Math.max(updatedAtMs, atMs) : changedAtMs(before?.updatedAtMs ?? null, atMs) };
}

function withPart<R>(unguarded: WorkflowCommit<R>, { checks, operations }: CommitPart): WorkflowCommit<R> {
  const { part } = unguarded;
  return { ...unguarded, part: { checks: [...part.checks, ...checks], operations: [...part.operations, ...operations] } };
}
