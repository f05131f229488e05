import { type ActorScope, type AnyEventObject, createActor, type SnapshotFrom, setup } from "xstate";
import type { LinkEffect, LinkEvent } from "./events.ts";
import type { LinkContext, LinkRecord, LinkState } from "./link.ts";
import { stepOf } from "./rules.ts";

/** Context of the machine: what is stored, the state that it was stored in, which the rules decide by, and the effects of the step that led here, as data. */
export interface LinkMachineContext {
  state: LinkState;
  link: LinkContext;
  effects: readonly LinkEffect[];
}

const setUp = setup({
  types: {} as { context: LinkMachineContext; input: LinkMachineContext; events: LinkEvent },
  guards: {
    leadsTo: ({ context, event }, { state }: { state: LinkState }) => stepOf(context.state, context.link, event).state === state,
  },
});

const step = setUp.assign(({ context, event }) => stepOf(context.state, context.link, event));

const to = (state: LinkState) => ({ guard: { type: "leadsTo", params: { state } }, target: `#link.${state}`, actions: step }) as const;

/** What a paid link still takes. */
const stays = { actions: step } as const;

/**
 * A payment link (infra/docs/links.md). Pure: time comes with the events, effects are data, carried out by the
 * runtime once the step is stored. The states list which events can lead where; the rules decide among them.
 */
export const linkMachine = setUp.createMachine({
  id: "link",
  context: ({ input }) => input,
  initial: "created",
  states: {
    created: {
      on: {
        "init.begun": stays,
        "init.answered": to("waiting"),
        "init.refused": [to("failed"), stays],
        "notification.received": stays,
        "verify.requested": stays,
        "deadline.passed": stays,
        "followUp.requested": stays,
        "verify.failed": [to("expired"), stays],
        "verify.answered": [to("waiting"), to("watching"), to("success"), to("failed"), to("expired"), stays],
      },
    },
    waiting: {
      on: {
        "init.answered": stays,
        "notification.received": [to("watching"), stays],
        "verify.requested": stays,
        "deadline.passed": stays,
        "followUp.requested": stays,
        "verify.failed": [to("watching"), to("expired"), stays],
        "verify.answered": [to("watching"), to("success"), to("failed"), to("expired"), stays],
      },
    },
    watching: {
      on: {
        "init.answered": stays,
        "notification.received": stays,
        "verify.requested": stays,
        "deadline.passed": stays,
        "followUp.requested": stays,
        "verify.failed": [to("expired"), stays],
        "verify.answered": [to("success"), to("failed"), to("expired"), stays],
      },
    },
    success: {
      on: {
        "followUp.requested": stays,
        "followUp.answered": stays,
        "followUp.refused": stays,
        "deadline.passed": stays,
        "verify.answered": stays,
        "verify.failed": stays,
      },
    },
    failed: {
      on: {
        "notification.received": stays,
        "verify.requested": stays,
        "deadline.passed": stays,
        "verify.failed": stays,
        "verify.answered": [to("success"), stays],
        "followUp.requested": stays,
      },
    },
    expired: {
      on: {
        "notification.received": stays,
        "verify.requested": stays,
        "deadline.passed": stays,
        "verify.failed": stays,
        "verify.answered": [to("success"), stays],
        "followUp.requested": stays,
      },
    },
  },
});

const NONE: readonly LinkEffect[] = [];

type LinkSnapshot = SnapshotFrom<typeof linkMachine>;

export interface LinkStepResult {
  record: LinkRecord;
  effects: readonly LinkEffect[];
  /** False where the event left everything as it was: there is nothing to store. */
  changed: boolean;
}

/**
 * Steps links without an XState actor for each of them, by one scope that all of them share. `inert` is an order of any kind, which
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
