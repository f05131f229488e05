import { LATEST_SENDERS_MAX, NACK_PAUSE_MS, QUEUED_COMMANDS_MAX, SENT_COMMANDS_MAX } from "../kernel/limits.ts";
import { type CommandKind, notBefore, unknownAfterMs } from "../payments/command.ts";
import type { Finished, NewEntry, TerminalContext, TerminalEffect, TerminalEvent, TerminalState } from "./events.ts";
import type { LatestEntry, QueuedEntry, SentEntry, TerminalRecord } from "./terminal-record.ts";

/** What an event does: members of the context that change, and what the runtime is to do once that is stored. */
export interface Step {
  context: Partial<TerminalContext>;
  effects: readonly TerminalEffect[];
}

const NOTHING: Step = { context: {}, effects: [] };

/** When the actor wants `deadline.passed` next, or null. Deadlines are data: re-armed from the record after a restart. */
export function nextDeadlineMs(context: TerminalContext): number | null {
  let next = Number.POSITIVE_INFINITY;
  for (const entry of context.queue) {
    next = Math.min(next, entry.expiresAtMs);
    if (entry.refusedBy !== null) next = Math.min(next, entry.refusedBy.untilMs);
  }
  for (const entry of context.sent) {
    next = Math.min(next, entry.unknownAtMs);
    if (entry.refusedBy !== null) next = Math.min(next, entry.refusedBy.untilMs);
  }
  return Number.isFinite(next) ? next : null;
}

/** The oldest command that may go out at `atMs` to this session (or to a poll), if the head of the queue is such a one. */
export function nextToSend(context: TerminalContext, atMs: number, sessionId: string | null): QueuedEntry | undefined {
  if (context.sent.length >= SENT_COMMANDS_MAX) return undefined;
  const head = context.queue.find((entry) => entry.expiresAtMs > atMs);
  return head !== undefined && isRefusedBy(head, sessionId, atMs) ? undefined : head;
}

/** The oldest command that this session, which remembers uuids, may get again at `atMs`. */
export function nextToRedeliver(context: TerminalContext, atMs: number, sessionId: string): SentEntry | undefined {
  return context.sent.find((entry) => isHeld(entry) && entry.expiresAtMs > atMs && !isRefusedBy(entry, sessionId, atMs));
}

/** No session has it. One that is to be cancelled is not sent again: the CANCEL is. */
export function isHeld({ held, session, redeliverable, cancelRequested }: SentEntry): boolean {
  return held && session === null && redeliverable && !cancelRequested;
}

function isRefusedBy({ refusedBy }: Pick<QueuedEntry, "refusedBy">, sessionId: string | null, atMs: number): boolean {
  return refusedBy !== null && refusedBy.session === sessionId && refusedBy.untilMs > atMs;
}

/**
 * The context of a record that the store may hold in an old version (ARCHITECTURE.md, promise 6): what waits there may have been sent.
 * So it counts as sent once and come back too late, which nobody sends again and which ends as `unknown`. What is sent there may have come back since and
 * gone to another device, so that whoever has it and gives it back, or is lost, nobody gets it again.
 */
export function doubted(context: TerminalContext): TerminalContext {
  const queue = context.queue.map((entry) => ({ ...entry, attempts: Math.max(entry.attempts, 1), expiresAtMs: 0, refusedBy: null }));
  const sent = context.sent.map((entry) => ({ ...entry, held: true, redeliverable: false }));
  return { ...context, queue, sent };
}

/** As long as what is in it: a list that is spread keeps room for sixteen more, which hundreds of thousands of terminals would hold. */
function appended<T>(list: readonly T[], item: T): readonly T[] {
  return list.length === 0 ? [item] : list.concat([item]);
}

function withLatest(latest: readonly LatestEntry[], newest: LatestEntry): readonly LatestEntry[] {
  const [first] = latest;
  if (first === undefined || (latest.length === 1 && first.sender === newest.sender)) return [newest];
  return [newest].concat(latest.filter((entry) => entry.sender !== newest.sender).slice(0, LATEST_SENDERS_MAX - 1));
}

/**
 * What a result does to `status`: its own command is answered; one that nobody asked for is the last transaction only where no
 * command still waits for an answer, so that it never passes for that answer.
 */
function latestAfterResult(latest: readonly LatestEntry[], uuid: string, unsolicited: boolean): readonly LatestEntry[] {
  if (unsolicited) return latest[0]?.answered === false ? latest : withLatest(latest, { sender: "", uuid, answered: true });
  if (!latest.some((entry) => entry.uuid === uuid && !entry.answered)) return latest;
  return latest.map((entry) => (entry.uuid === uuid ? { ...entry, answered: true } : entry));
}

/** SCAN and PRINT count for `status`, administrator commands and CANCEL do not. */
export function countsAsLatest(kind: CommandKind): boolean {
  return kind === "payment" || kind === "scan" || kind === "print";
}

function finishedFromQueue(entry: QueuedEntry, state: Finished["state"], atMs: number): TerminalEffect {
  return {
    type: "finished",
    params: {
      uuid: entry.uuid,
      state,
      atMs: notBefore(atMs, entry.acceptedAtMs),
      sentAtMs: null,
      channel: null,
      attempts: entry.attempts,
      kind: entry.kind,
    },
  };
}

function finishedFromSent(entry: SentEntry, state: Finished["state"], atMs: number): TerminalEffect {
  const sentAtMs = notBefore(entry.sentAtMs, entry.acceptedAtMs);
  return {
    type: "finished",
    params: {
      uuid: entry.uuid,
      state,
      atMs: notBefore(atMs, sentAtMs),
      sentAtMs,
      channel: entry.channel,
      attempts: entry.attempts,
      kind: entry.kind,
    },
  };
}

function accept(context: TerminalContext, event: Extract<TerminalEvent, { type: "command.accepted" }>): Step {
  const { entry } = event;
  const overdue = expire(context, event.atMs);
  const queue = overdue.context.queue ?? context.queue;
  if (queue.length >= QUEUED_COMMANDS_MAX) {
    return { context: overdue.context, effects: [...overdue.effects, { type: "refusedFull", params: { uuid: entry.uuid } }] };
  }
  const latest = countsAsLatest(entry.kind)
    ? withLatest(context.latest, { sender: entry.sender, uuid: entry.uuid, answered: false })
    : context.latest;
  return {
    context: { queue: appended(queue, queued(entry, 0, null)), sent: overdue.context.sent ?? context.sent, latest },
    effects: appended<TerminalEffect>(overdue.effects, { type: "accepted", params: { uuid: entry.uuid } }),
  };
}

// Entries are written out member by member: objects of one shape, which the pay path makes several times faster than by spreading.
function take(context: TerminalContext, event: Extract<TerminalEvent, { type: "command.taken" }>): Step {
  const sessionId = event.session === null ? null : event.session.id;
  const head = nextToSend(context, event.atMs, sessionId);
  if (head === undefined) return NOTHING;
  const sent: SentEntry = {
    uuid: head.uuid,
    kind: head.kind,
    service: head.service,
    sender: head.sender,
    acceptedAtMs: head.acceptedAtMs,
    expiresAtMs: head.expiresAtMs,
    attempts: head.attempts + 1,
    sentAtMs: event.atMs,
    channel: event.channel,
    unknownAtMs: event.atMs + unknownAfterMs(head.kind),
    session: sessionId,
    redeliverable: event.session?.redeliver === true,
    held: false,
    refusedBy: null,
    awaitingAck: event.session?.acknowledges === true,
    cancels: head.cancels,
    cancelRequested: false,
  };
  const { uuid, expiresAtMs } = head;
  return {
    context: { queue: context.queue.filter((entry) => entry !== head), sent: appended(context.sent, sent), latest: context.latest },
    effects: [{ type: "deliver", params: { uuid, attempt: sent.attempts, expiresAtMs, channel: event.channel, session: sessionId } }],
  };
}

function redeliver(context: TerminalContext, { atMs, session }: Extract<TerminalEvent, { type: "command.redelivered" }>): Step {
  const held = session.redeliver ? nextToRedeliver(context, atMs, session.id) : undefined;
  if (held === undefined) return NOTHING;
  const { uuid, expiresAtMs, kind } = held;
  const again: SentEntry = {
    ...held,
    attempts: held.attempts + 1,
    sentAtMs: atMs,
    channel: "websocket",
    unknownAtMs: atMs + unknownAfterMs(kind),
    session: session.id,
    refusedBy: null,
    awaitingAck: true,
  };
  return {
    context: { sent: replaced(context.sent, held, again) },
    effects: [{ type: "deliver", params: { uuid, attempt: again.attempts, expiresAtMs, channel: "websocket", session: session.id } }],
  };
}

/** As no session has it. */
function heldAgain(entry: SentEntry, changes: Pick<SentEntry, "refusedBy"> & Partial<SentEntry>): SentEntry {
  return { ...entry, session: null, awaitingAck: false, held: true, ...changes };
}

function replaced(sent: readonly SentEntry[], entry: SentEntry, by: SentEntry): readonly SentEntry[] {
  return sent.map((other) => (other === entry ? by : other));
}

function queued(entry: NewEntry, attempts: number, refusedBy: QueuedEntry["refusedBy"]): QueuedEntry {
  const { uuid, kind, service, sender, acceptedAtMs, expiresAtMs, cancels } = entry;
  return { uuid, kind, service, sender, acceptedAtMs, expiresAtMs, attempts, refusedBy, cancels };
}

function undelivered(context: TerminalContext, event: Extract<TerminalEvent, { type: "command.undelivered" }>): Step {
  const sent = context.sent.find((entry) => entry.uuid === event.uuid && hasTaken(entry, event));
  if (sent === undefined) return NOTHING;
  if (sent.held) {
    const held = heldAgain(sent, { refusedBy: null, attempts: sent.attempts - 1 });
    return { context: { sent: replaced(context.sent, sent, held) }, effects: [] };
  }
  // Several that did not leave are told of one by one, the oldest first: each finds its place again.
  const later = context.queue.findIndex((entry) => entry.acceptedAtMs >= sent.acceptedAtMs);
  const place = later === -1 ? context.queue.length : later;
  return {
    context: {
      queue: [...context.queue.slice(0, place), queued(sent, sent.attempts - 1, null), ...context.queue.slice(place)],
      sent: context.sent.filter((entry) => entry !== sent),
    },
    effects: [],
  };
}

function hasTaken(entry: SentEntry, { session, sentAtMs }: Extract<TerminalEvent, { type: "command.undelivered" }>): boolean {
  return entry.session === session && (session !== null || (entry.channel === "poll" && entry.sentAtMs === sentAtMs));
}

/** Who refuses a first attempt has not executed it, nor has anyone else: anyone may get it next. Of a held one that is known of this session alone. */
function refuse(context: TerminalContext, event: Extract<TerminalEvent, { type: "command.refused" }>): Step {
  const refused = context.sent.find((entry) => entry.uuid === event.uuid && entry.session === event.session && entry.awaitingAck);
  if (refused === undefined) return NOTHING;
  const refusedBy = { session: event.session, untilMs: event.atMs + NACK_PAUSE_MS };
  if (refused.held) return { context: { sent: replaced(context.sent, refused, heldAgain(refused, { refusedBy })) }, effects: [] };
  return {
    context: {
      queue: [queued(refused, refused.attempts, refusedBy), ...context.queue],
      sent: context.sent.filter((entry) => entry !== refused),
    },
    effects: [],
  };
}

function loseSession(context: TerminalContext, event: Extract<TerminalEvent, { type: "session.lost" }>): Step {
  const isLost = (entry: SentEntry) => entry.session === event.session && entry.redeliverable && entry.expiresAtMs > event.atMs;
  if (!context.sent.some(isLost)) return NOTHING;
  return { context: { sent: context.sent.map((entry) => (isLost(entry) ? heldAgain(entry, { refusedBy: null }) : entry)) }, effects: [] };
}

function acknowledge(context: TerminalContext, event: Extract<TerminalEvent, { type: "command.acknowledged" }>): Step {
  const concerns = (entry: SentEntry) => entry.uuid === event.uuid && entry.session === event.session && entry.awaitingAck;
  if (!context.sent.some(concerns)) return NOTHING;
  return {
    context: {
      sent: context.sent.map((entry) => (concerns(entry) ? { ...entry, awaitingAck: false, redeliverable: false } : entry)),
    },
    effects: [],
  };
}

function record(context: TerminalContext, event: Extract<TerminalEvent, { type: "result.recorded" }>): Step {
  const waiting = context.queue.find((entry) => entry.uuid === event.uuid);
  const sent = context.sent.find((entry) => entry.uuid === event.uuid);
  const effects: TerminalEffect[] = [];
  let { queue, sent: awaited } = context;
  if (waiting !== undefined) {
    queue = queue.filter((entry) => entry !== waiting);
    effects.push(finishedFromQueue(waiting, "done", event.atMs));
  }
  if (sent !== undefined) {
    awaited = awaited.filter((entry) => entry !== sent);
    effects.push(finishedFromSent(sent, "done", event.atMs));
  }
  const { cancels } = event;
  if (cancels !== null && event.status === "OK") {
    const cancelled = { queued: queue.find((entry) => entry.uuid === cancels), sent: awaited.find((entry) => entry.uuid === cancels) };
    if (cancelled.queued !== undefined) effects.push(finishedFromQueue(cancelled.queued, "cancelled", event.atMs));
    if (cancelled.sent !== undefined) effects.push(finishedFromSent(cancelled.sent, "cancelled", event.atMs));
    queue = queue.filter((entry) => entry.uuid !== cancels);
    awaited = awaited.filter((entry) => entry.uuid !== cancels);
  }
  return { context: { queue, sent: awaited, latest: latestAfterResult(context.latest, event.uuid, event.unsolicited) }, effects };
}

/**
 * A command that came back (NACK), as one that was sent and is not sent again: the terminal may be executing it. When it was sent last is
 * not known any more; it was before now. Only sessions give commands back.
 */
function withdrawn(entry: QueuedEntry, atMs: number): SentEntry {
  return {
    ...entry,
    sentAtMs: atMs,
    channel: "websocket",
    unknownAtMs: atMs + unknownAfterMs(entry.kind),
    session: null,
    redeliverable: false,
    held: false,
    refusedBy: null,
    awaitingAck: false,
    cancelRequested: false,
  };
}

function requestCancel(context: TerminalContext, event: Extract<TerminalEvent, { type: "cancel.requested" }>): Step {
  const waiting = context.queue.find((entry) => entry.uuid === event.uuid);
  if (waiting !== undefined) {
    const queue = context.queue.filter((entry) => entry !== waiting);
    if (waiting.attempts === 0) return { context: { queue }, effects: [finishedFromQueue(waiting, "cancelled", event.atMs)] };
    if (waiting.expiresAtMs <= event.atMs || context.sent.length >= SENT_COMMANDS_MAX) {
      return { context: { queue }, effects: [finishedFromQueue(waiting, "unknown", event.atMs)] };
    }
    return {
      context: {
        queue: [...queue, queued(event.cancel, 0, null)],
        sent: appended(context.sent, { ...withdrawn(waiting, event.atMs), cancelRequested: true }),
      },
      effects: [{ type: "cancelQueued", params: { uuid: event.uuid, cancelUuid: event.cancel.uuid } }],
    };
  }
  const sent = context.sent.find((entry) => entry.uuid === event.uuid);
  if (sent === undefined) return NOTHING;
  if (context.queue.length >= QUEUED_COMMANDS_MAX) {
    return { context: {}, effects: [{ type: "refusedFull", params: { uuid: event.cancel.uuid } }] };
  }
  return {
    context: {
      queue: [...context.queue, queued(event.cancel, 0, null)],
      sent: context.sent.map((entry) => (entry === sent ? { ...entry, cancelRequested: true } : entry)),
    },
    effects: [{ type: "cancelQueued", params: { uuid: event.uuid, cancelUuid: event.cancel.uuid } }],
  };
}

/**
 * Ends what is overdue. A command that was sent before and came back (NACK) may have been executed, so it ends as
 * `unknown`: `expired` is said only of what never left.
 */
function expire(context: TerminalContext, atMs: number): Step {
  const deadlineMs = nextDeadlineMs(context);
  if (deadlineMs === null || deadlineMs > atMs) return NOTHING;
  const expired = context.queue.filter((entry) => entry.expiresAtMs <= atMs);
  const silent = context.sent.filter((entry) => entry.unknownAtMs <= atMs);
  return {
    context: {
      queue: context.queue.filter((entry) => entry.expiresAtMs > atMs).map((entry) => rest(entry, atMs)),
      sent: context.sent.filter((entry) => entry.unknownAtMs > atMs).map((entry) => rest(entry, atMs)),
    },
    effects: [
      ...expired.map((entry) => finishedFromQueue(entry, entry.attempts === 0 ? "expired" : "unknown", atMs)),
      ...silent.map((entry) => finishedFromSent(entry, "unknown", atMs)),
    ],
  };
}

/** The pause after a NACK is over. */
function rest<Entry extends QueuedEntry | SentEntry>(entry: Entry, atMs: number): Entry {
  return entry.refusedBy === null || entry.refusedBy.untilMs > atMs ? entry : { ...entry, refusedBy: null };
}

let lastContext: TerminalContext | null = null;
let lastEvent: TerminalEvent | null = null;
let lastStep: Step = NOTHING;

/** The guards and the action of one transition ask for the same step, one after the other: it is worked out once. */
export function stepOf(context: TerminalContext, event: TerminalEvent): Step {
  if (context === lastContext && event === lastEvent) return lastStep;
  lastStep = workOut(context, event);
  lastContext = context;
  lastEvent = event;
  return lastStep;
}

function workOut(context: TerminalContext, event: TerminalEvent): Step {
  switch (event.type) {
    case "command.accepted":
      return accept(context, event);
    case "command.taken":
      return take(context, event);
    case "command.redelivered":
      return redeliver(context, event);
    case "command.undelivered":
      return undelivered(context, event);
    case "command.acknowledged":
      return acknowledge(context, event);
    case "command.refused":
      return refuse(context, event);
    case "session.lost":
      return loseSession(context, event);
    case "result.recorded":
      return record(context, event);
    case "cancel.requested":
      return requestCancel(context, event);
    case "deadline.passed":
      return expire(context, event.atMs);
  }
}

export function stateAfter(context: TerminalContext, event: TerminalEvent): TerminalState {
  const { queue = context.queue, sent = context.sent } = stepOf(context, event).context;
  return stateOf({ queue, sent });
}

/** The state that a stored record stands in. */
export function stateOf(context: Pick<TerminalContext, "queue" | "sent">): TerminalState {
  if (context.queue.length > 0) return "waiting";
  return context.sent.length > 0 ? "executing" : "idle";
}

/** The stored part of the actor as the record of `terminalId`. */
export function toRecord(terminalId: string, context: TerminalContext): TerminalRecord {
  return { terminalId, queue: context.queue, sent: context.sent, latest: context.latest };
}
