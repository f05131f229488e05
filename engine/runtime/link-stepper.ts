import { type ActorScope, type AnyEventObject, createActor, type SnapshotFrom } from "xstate";
import type { LinkEffect, LinkEvent } from "../actors/link-payment/events.ts";
import { linkMachine } from "../actors/link-payment/machine.ts";
import type { LinkContext, LinkRecord, LinkState } from "../domain/link.ts";

type LinkSnapshot = SnapshotFrom<typeof linkMachine>;

export interface LinkStepResult {
  record: LinkRecord;
  effects: readonly LinkEffect[];
  /** False where the event left everything as it was: there is nothing to store. */
  changed: boolean;
}

/**
 * Steps links without an XState actor for each of them, as engine/runtime/stepper.ts does terminals. `inert` is an order of any kind, which
 * the one actor that lends its scope stands in.
 */
export function createLinkStepper(inert: LinkRecord): (record: LinkRecord, event: LinkEvent) => LinkStepResult {
  const input = { state: inert.state, link: inert };
  const actor = createActor(linkMachine, { input });
  const resolve = (state: LinkState): LinkSnapshot => linkMachine.resolveState({ value: state, context: { ...input, state } });
  const resolved: Record<LinkState, LinkSnapshot> = {
    created: resolve("created"),
    waiting: resolve("waiting"),
    watching: resolve("watching"),
    success: resolve("success"),
    failed: resolve("failed"),
    expired: resolve("expired"),
  };
  let effects: LinkEffect[] = [];
  const scope: ActorScope<LinkSnapshot, LinkEvent, typeof actor.system, AnyEventObject> = {
    self: actor,
    id: actor.id,
    sessionId: actor.sessionId,
    system: actor.system,
    logger: () => {},
    defer: () => {},
    emit: () => {},
    stopChild: () => {},
    actionExecutor: (action) => {
      // The machine enqueues nothing but LinkEffect objects; XState hands them back with their type and params as they were.
      effects.push({ type: action.type, params: action.params } as LinkEffect);
    },
  };
  return (record, event) => {
    effects = [];
    const next = linkMachine.transition({ ...resolved[record.state], context: { state: record.state, link: record } }, event, scope);
    const { state, link } = next.context;
    const changed = state !== record.state || link !== record;
    return { record: changed ? toRecord(state, link) : record, effects, changed };
  };
}

function toRecord(state: LinkState, link: LinkContext): LinkRecord {
  return {
    schema: 1,
    state,
    order: link.order,
    inits: link.inits,
    paymentId: link.paymentId,
    paymentUrl: link.paymentUrl,
    nextAtMs: link.nextAtMs,
    verifiedAtMs: link.verifiedAtMs,
    notifications: link.notifications,
    outcome: link.outcome,
    late: link.late,
    overdue: link.overdue,
    followUps: link.followUps,
  };
}
