import { compile } from "../kernel/statechart.ts";
import { type Entry, isSent, queuedEntry } from "./command-entries.ts";
import { type CommandEvent, commandMachine, stateOfEntry } from "./command-machine.ts";
import type { TerminalContext, TerminalEffect, TerminalEvent } from "./events.ts";
import { countsAsLatest, latestAfterResult, withLatest } from "./latest-commands.ts";
import { nextDeadlineMs, nextToRedeliver, nextToSend } from "./rules.ts";
import { maySendMore, queueFullFor } from "./shares.ts";
import type { LatestEntry, QueuedEntry, SentEntry } from "./terminal-record.ts";

/** The outcome of a step: what to store, and what to do once it is stored. */
export interface TerminalStep {
  context: TerminalContext;
  effects: readonly TerminalEffect[];
}

/** A step while it is worked out. */
interface Draft {
  queue: readonly QueuedEntry[];
  sent: readonly SentEntry[];
  latest: readonly LatestEntry[];
  effects: readonly TerminalEffect[];
}

const NONE: readonly never[] = [];

const stepCommand = compile(commandMachine, ["deliver", "finished", "cancelQueued"]);

/**
 * A terminal is a queue of commands with bounds, and each command lives by its machine (command-machine.ts). Here stands which commands an event concerns,
 * which is next, and where in the queue one comes back to. Lists that an event leaves as they are stay the very same.
 */
export function stepTerminal({ queue, sent, latest }: TerminalContext, event: TerminalEvent): TerminalStep {
  const draft: Draft = { queue, sent, latest, effects: NONE };
  carryOut(draft, event);
  return { context: { queue: draft.queue, sent: draft.sent, latest: draft.latest }, effects: draft.effects };
}

/** The same for several events at once. */
export function stepThrough(context: TerminalContext, events: readonly TerminalEvent[]): TerminalStep {
  const [first] = events;
  if (first === undefined) return { context, effects: NONE };
  if (events.length === 1) return stepTerminal(context, first);
  const effects: TerminalEffect[] = [];
  let current = context;
  for (const event of events) {
    const next = stepTerminal(current, event);
    current = next.context;
    for (const effect of next.effects) effects.push(effect);
  }
  return { context: current, effects };
}

/** The context of a record that was stored before the store lost some of its history: what it says may no longer be true. */
export function afterHistoryLoss({ queue, sent, latest }: TerminalContext, atMs: number): TerminalContext {
  const draft: Draft = { queue, sent, latest, effects: NONE };
  for (const entry of [...queue, ...sent]) change(draft, entry, { type: "history.lost", atMs });
  return { queue: draft.queue, sent: draft.sent, latest: draft.latest };
}

function carryOut(draft: Draft, event: TerminalEvent): void {
  switch (event.type) {
    case "command.accepted":
      accept(draft, event);
      return;
    case "command.taken":
      changeIfAny(draft, nextToSend(draft, event.atMs, event.session === null ? null : event.session.id), event);
      return;
    case "command.redelivered":
      changeIfAny(draft, nextToRedeliver(draft, event.atMs, event.session.id), event);
      return;
    case "command.undelivered":
    case "command.acknowledged":
    case "command.refused":
      changeIfAny(draft, withUuid(draft.sent, event.uuid), event);
      return;
    case "session.lost":
      for (const entry of draft.sent) change(draft, entry, event);
      return;
    case "result.recorded":
      record(draft, event);
      return;
    case "cancel.requested":
      requestCancel(draft, event);
      return;
    case "deadline.passed":
      endOverdue(draft, event.atMs);
  }
}

function accept(draft: Draft, { atMs, entry }: Extract<TerminalEvent, { type: "command.accepted" }>): void {
  endOverdue(draft, atMs);
  const { uuid, kind, sender } = entry;
  const full = queueFullFor(draft, entry);
  if (full !== null) {
    tell(draft, { type: "refusedFull", params: { uuid, ...full } });
    return;
  }
  draft.queue = appended(draft.queue, queuedEntry(entry));
  if (countsAsLatest(kind)) draft.latest = withLatest(draft.latest, { sender, uuid, answered: false });
  tell(draft, { type: "accepted", params: { uuid } });
}

function record(draft: Draft, event: Extract<TerminalEvent, { type: "result.recorded" }>): void {
  const { atMs, uuid, status, unsolicited, cancels } = event;
  changeIfAny(draft, withUuid(draft.queue, uuid), event);
  changeIfAny(draft, withUuid(draft.sent, uuid), event);
  if (cancels !== null && status === "OK") {
    const confirmed = { type: "cancel.confirmed", atMs } as const;
    changeIfAny(draft, withUuid(draft.queue, cancels), confirmed);
    changeIfAny(draft, withUuid(draft.sent, cancels), confirmed);
  }
  draft.latest = latestAfterResult(draft.latest, uuid, unsolicited);
}

function requestCancel(draft: Draft, event: Extract<TerminalEvent, { type: "cancel.requested" }>): void {
  const { atMs, uuid, cancel } = event;
  const waiting = withUuid(draft.queue, uuid);
  const entry = waiting ?? withUuid(draft.sent, uuid);
  if (entry === undefined) return;
  // One that waits makes room for its CANCEL.
  const full = waiting === undefined ? queueFullFor(draft, cancel) : null;
  if (full !== null) {
    tell(draft, { type: "refusedFull", params: { uuid: cancel.uuid, ...full } });
    return;
  }
  change(draft, entry, { type: "cancel.requested", atMs, uuid, cancel, hasRoom: maySendMore(draft.sent, entry) });
  if (draft.effects.some(({ type }) => type === "cancelQueued")) draft.queue = appended(draft.queue, queuedEntry(cancel));
}

function endOverdue(draft: Draft, atMs: number): void {
  const deadlineMs = nextDeadlineMs(draft);
  if (deadlineMs === null || deadlineMs > atMs) return;
  const { queue, sent } = draft;
  const passed = { type: "deadline.passed", atMs } as const;
  for (const entry of queue) change(draft, entry, passed);
  for (const entry of sent) change(draft, entry, passed);
}

function changeIfAny(draft: Draft, entry: Entry | undefined, event: CommandEvent): void {
  if (entry !== undefined) change(draft, entry, event);
}

/** Steps one command by its machine, and puts it where its state belongs. */
function change(draft: Draft, entry: Entry, event: CommandEvent): void {
  const { state, context, effects } = stepCommand(stateOfEntry(entry), { entry }, event);
  for (const effect of effects) tell(draft, effect);
  const after = context.entry;
  switch (state) {
    case "queued":
    case "returned":
      if (isSent(after) || after === entry) return;
      if (isSent(entry)) {
        draft.sent = without(draft.sent, entry);
        draft.queue = event.type === "command.undelivered" ? inOrder(draft.queue, after) : [after, ...draft.queue];
      } else draft.queue = replaced(draft.queue, entry, after);
      return;
    case "sent":
    case "held":
    case "resent":
    case "withdrawn":
      if (!isSent(after) || after === entry) return;
      if (isSent(entry)) draft.sent = replaced(draft.sent, entry, after);
      else {
        draft.queue = without(draft.queue, entry);
        draft.sent = appended(draft.sent, after);
      }
      return;
    default:
      if (isSent(entry)) draft.sent = without(draft.sent, entry);
      else draft.queue = without(draft.queue, entry);
  }
}

function tell(draft: Draft, effect: TerminalEffect): void {
  draft.effects = appended(draft.effects, effect);
}

function withUuid<One extends Entry>(list: readonly One[], uuid: string): One | undefined {
  return list.find((entry) => entry.uuid === uuid);
}

/** As long as what is in it: a list that is spread keeps room for sixteen more, which hundreds of thousands of terminals would hold. */
function appended<T>(list: readonly T[], item: T): readonly T[] {
  return list.length === 0 ? [item] : list.concat([item]);
}

function without<One extends Entry>(list: readonly One[], entry: One): readonly One[] {
  return list.filter((other) => other !== entry);
}

function replaced<One extends Entry>(list: readonly One[], entry: One, by: One): readonly One[] {
  return list.map((other) => (other === entry ? by : other));
}

/** Several that did not leave are told of one by one, the oldest first: each finds its place again. */
function inOrder(queue: readonly QueuedEntry[], entry: QueuedEntry): readonly QueuedEntry[] {
  const later = queue.findIndex((other) => other.acceptedAtMs >= entry.acceptedAtMs);
  const place = later === -1 ? queue.length : later;
  return [...queue.slice(0, place), entry, ...queue.slice(place)];
}
