import { type ActorScope, type AnyEventObject, createActor, type SnapshotFrom } from "xstate";
import type { LinkEffect, LinkEvent } from "./events.ts";
import type { LinkContext, LinkRecord, LinkState } from "./link.ts";
import { linkMachine } from "./machine.ts";

const NONE: readonly LinkEffect[] = [];

type LinkSnapshot = SnapshotFrom<typeof linkMachine>;

export interface LinkStepResult {
  record: LinkRecord;
  effects: readonly LinkEffect[];
  /** False where the event left everything as it was: there is nothing to store. */
  changed: boolean;
}

/**
 * Steps links without an XState actor for each of them, as engine/terminals/stepper.ts does terminals. `inert` is an order of any kind, which
 * the one actor that lends its scope stands in.
 */
export function createLinkStepper(inert: LinkRecord): (record: LinkRecord, event: LinkEvent) => LinkStepResult {
  const input = { state: inert.state, link: inert, effects: NONE };
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
  const scope: ActorScope<LinkSnapshot, LinkEvent, typeof actor.system, AnyEventObject> = {
    self: actor,
    id: actor.id,
    sessionId: actor.sessionId,
    system: actor.system,
    logger: () => {},
    defer: () => {},
    emit: () => {},
    stopChild: () => {},
    actionExecutor: () => {},
  };
  return (record, event) => {
    const before = { state: record.state, link: record, effects: NONE };
    const { context } = linkMachine.transition({ ...resolved[record.state], context: before }, event, scope);
    const { state, link, effects } = context;
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
