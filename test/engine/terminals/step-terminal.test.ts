import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { QUEUED_COMMANDS_MAX, QUEUED_OF_SENDER_MAX, SENT_COMMANDS_MAX, SENT_OF_SENDER_MAX } from "../../../engine/kernel/limits.ts";
import type { TerminalContext, TerminalEffect, TerminalEvent } from "../../../engine/terminals/events.ts";
import { stepTerminal } from "../../../engine/terminals/step-terminal.ts";
import {
  accepted,
  cancelRequested,
  context,
  held,
  latest,
  NOW_MS,
  polled,
  pushed,
  pushedAgain,
  queued,
  resulted,
  sent,
} from "./step-terminal-world.ts";

interface Row {
  title: string;
  from: TerminalContext;
  event: TerminalEvent;
  /** Members of the context that change; absent: the event changes nothing at all. */
  to?: Partial<TerminalContext>;
  effects?: TerminalEffect[];
}

function table(title: string, rows: readonly Row[]): void {
  describe(title, () => {
    for (const { title, from, event, to, effects = [] } of rows) {
      it(title, () => {
        const next = stepTerminal(from, event);
        assert.deepEqual(next.effects, effects);
        if (to === undefined) {
          assert.ok(next.context.queue === from.queue && next.context.sent === from.sent && next.context.latest === from.latest);
        } else assert.deepEqual(next.context, { ...from, ...to });
      });
    }
  });
}

const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));
const finished = (
  uuid: string,
  state: "done" | "unknown" | "expired" | "cancelled",
  from: "queue" | "sent",
  changes: Partial<Extract<TerminalEffect, { type: "finished" }>["params"]> = {},
): TerminalEffect => ({
  type: "finished",
  params: {
    uuid,
    state,
    atMs: NOW_MS,
    sentAtMs: from === "queue" ? null : NOW_MS - 500,
    channel: from === "queue" ? null : "websocket",
    attempts: from === "queue" ? 0 : 1,
    kind: "payment",
    ...changes,
  },
});
const delivered = (uuid: string, session: string | null, attempt = 1): TerminalEffect => ({
  type: "deliver",
  params: { uuid, attempt, expiresAtMs: NOW_MS + 59_000, channel: session === null ? "poll" : "websocket", session },
});
const newlyQueued = (uuid: string) => queued(uuid, { acceptedAtMs: NOW_MS, expiresAtMs: NOW_MS + 60_000 });
/** A queue of two senders, so that neither has used up its share before it is full. */
const ofTwo = (count: number) => many(count, (index) => queued(`q${index}`, { sender: `partner:${2 + (index % 2)}` }));
const overdue = (uuid: string, attempts = 0) => queued(uuid, { expiresAtMs: NOW_MS, attempts });

table("command.accepted", [
  {
    title: "queues the first command and makes it the latest",
    from: context(),
    event: accepted("a"),
    to: { queue: [newlyQueued("a")], latest: [latest("a", false)] },
    effects: [{ type: "accepted", params: { uuid: "a" } }],
  },
  {
    title: "queues behind what waits and beside what was sent",
    from: context({ queue: [queued("a")], sent: [sent("b")], latest: [latest("a", false)] }),
    event: accepted("c"),
    to: { queue: [queued("a"), newlyQueued("c")], latest: [latest("c", false)] },
    effects: [{ type: "accepted", params: { uuid: "c" } }],
  },
  {
    title: "replaces an answered latest: an older result never passes for the new command's",
    from: context({ latest: [latest("old", true)] }),
    event: accepted("a"),
    to: { queue: [newlyQueued("a")], latest: [latest("a", false)] },
    effects: [{ type: "accepted", params: { uuid: "a" } }],
  },
  {
    title: "keeps the latest of other senders behind it",
    from: context({ latest: [latest("x", true, "partner:2"), latest("y", true, "partner:1")] }),
    event: accepted("a"),
    to: { queue: [newlyQueued("a")], latest: [latest("a", false), latest("x", true, "partner:2")] },
    effects: [{ type: "accepted", params: { uuid: "a" } }],
  },
  {
    title: "forgets the least recent sender beyond eight",
    from: context({ latest: many(8, (index) => latest(`u${index}`, true, `partner:${index + 2}`)) }),
    event: accepted("a"),
    to: {
      queue: [newlyQueued("a")],
      latest: [latest("a", false), ...many(7, (index) => latest(`u${index}`, true, `partner:${index + 2}`))],
    },
    effects: [{ type: "accepted", params: { uuid: "a" } }],
  },
  {
    title: "does not count an administrator's command as the latest",
    from: context({ latest: [latest("old", true)] }),
    event: accepted("a", { kind: "administrative", service: "LOGCAT" }),
    to: { queue: [{ ...newlyQueued("a"), kind: "administrative", service: "LOGCAT" }] },
    effects: [{ type: "accepted", params: { uuid: "a" } }],
  },
  {
    title: "is refused when the queue is full, and changes nothing",
    from: context({ queue: ofTwo(QUEUED_COMMANDS_MAX) }),
    event: accepted("a"),
    effects: [{ type: "refusedFull", params: { uuid: "a", bound: "terminal", freeAtMs: NOW_MS + 59_000 } }],
  },
  {
    title: "is refused when eight of its sender wait, whatever room there is, and is told when the first of these expires",
    from: context({
      queue: [...many(QUEUED_OF_SENDER_MAX - 1, (index) => queued(`q${index}`)), queued("soon", { expiresAtMs: NOW_MS + 5_000 })],
    }),
    event: accepted("a"),
    effects: [{ type: "refusedFull", params: { uuid: "a", bound: "sender", freeAtMs: NOW_MS + 5_000 } }],
  },
  {
    title: "finds a place beside eight of another sender",
    from: context({ queue: many(QUEUED_OF_SENDER_MAX, (index) => queued(`q${index}`, { sender: "partner:2", byAny: true })) }),
    event: accepted("a"),
    to: {
      queue: [...many(QUEUED_OF_SENDER_MAX, (index) => queued(`q${index}`, { sender: "partner:2", byAny: true })), newlyQueued("a")],
      latest: [latest("a", false)],
    },
    effects: [{ type: "accepted", params: { uuid: "a" } }],
  },
  {
    title: "of a sender whom only rule ANY admits is refused when eight of all such senders wait",
    from: context({
      queue: [
        queued("named", { expiresAtMs: NOW_MS + 1_000 }),
        ...many(QUEUED_OF_SENDER_MAX, (index) => queued(`q${index}`, { sender: `partner:${index + 2}`, byAny: true })),
      ],
    }),
    event: accepted("a", { sender: "partner:99", byAny: true }),
    effects: [{ type: "refusedFull", params: { uuid: "a", bound: "any", freeAtMs: NOW_MS + 59_000 } }],
  },
  {
    title: "finds a place where what a sender's refused commands take up is more than its share: they take no place of others",
    from: context({ queue: many(40, (index) => queued(`q${index}`, { sender: "partner:2", byAny: true, attempts: 1 })) }),
    event: accepted("a"),
    to: {
      queue: [...many(40, (index) => queued(`q${index}`, { sender: "partner:2", byAny: true, attempts: 1 })), newlyQueued("a")],
      latest: [latest("a", false)],
    },
    effects: [{ type: "accepted", params: { uuid: "a" } }],
  },
  {
    title: "is told of the end of a pause, and of a sent command's time, where that frees its place",
    from: context({
      queue: many(QUEUED_OF_SENDER_MAX, (index) => queued(`q${index}`)),
      sent: many(SENT_OF_SENDER_MAX, (index) => sent(`s${index}`, { unknownAtMs: NOW_MS + 30_000 + index })),
    }),
    event: accepted("a"),
    effects: [{ type: "refusedFull", params: { uuid: "a", bound: "sender", freeAtMs: NOW_MS + 30_000 } }],
  },
  {
    title: "ends what is overdue first, and takes its place in a full queue",
    from: context({ queue: [overdue("q0"), ...ofTwo(QUEUED_COMMANDS_MAX - 1)] }),
    event: accepted("a"),
    to: { queue: [...ofTwo(QUEUED_COMMANDS_MAX - 1), newlyQueued("a")], latest: [latest("a", false)] },
    effects: [finished("q0", "expired", "queue"), { type: "accepted", params: { uuid: "a" } }],
  },
]);

table("command.taken", [
  { title: "changes nothing where nothing waits", from: context(), event: polled() },
  { title: "changes nothing where only results are awaited", from: context({ sent: [sent("a")] }), event: polled() },
  {
    title: "hands the oldest to a poll, awaiting its result for five minutes",
    from: context({ queue: [queued("a"), queued("b")] }),
    event: polled(),
    to: {
      queue: [queued("b")],
      sent: [sent("a", { sentAtMs: NOW_MS, channel: "poll", session: null, unknownAtMs: NOW_MS + 300_000 })],
    },
    effects: [delivered("a", null)],
  },
  {
    title: "awaits a SCAN's result for one minute",
    from: context({ queue: [queued("a", { kind: "scan", service: "SCAN" })] }),
    event: polled(),
    to: {
      queue: [],
      sent: [sent("a", { kind: "scan", service: "SCAN", sentAtMs: NOW_MS, channel: "poll", session: null, unknownAtMs: NOW_MS + 60_000 })],
    },
    effects: [delivered("a", null)],
  },
  {
    title: "remembers what a session declared",
    from: context({ queue: [queued("a", { attempts: 1 })] }),
    event: pushed("s1", { acknowledges: true, redeliver: true }),
    to: {
      queue: [],
      sent: [sent("a", { attempts: 2, sentAtMs: NOW_MS, unknownAtMs: NOW_MS + 300_000, awaitingAck: true, redeliverable: true })],
    },
    effects: [delivered("a", "s1", 2)],
  },
  {
    title: "passes over an overdue command, which is not sent",
    from: context({ queue: [overdue("a"), queued("b")] }),
    event: pushed("s1"),
    to: { queue: [overdue("a")], sent: [sent("b", { sentAtMs: NOW_MS, unknownAtMs: NOW_MS + 300_000 })] },
    effects: [delivered("b", "s1")],
  },
  {
    title: "passes over a sender who has as many sent as it may: the next one's goes out",
    from: context({
      queue: [queued("a"), queued("b", { sender: "partner:2" })],
      sent: many(SENT_OF_SENDER_MAX, (index) => sent(`s${index}`)),
    }),
    event: polled(),
    to: {
      queue: [queued("a")],
      sent: [
        ...many(SENT_OF_SENDER_MAX, (index) => sent(`s${index}`)),
        sent("b", { sender: "partner:2", sentAtMs: NOW_MS, channel: "poll", session: null, unknownAtMs: NOW_MS + 300_000 }),
      ],
    },
    effects: [delivered("b", null)],
  },
  {
    title: "hands out nothing of a sender whom only rule ANY admits where all such senders together have as many sent as they may",
    from: context({
      queue: [queued("a", { byAny: true })],
      sent: many(SENT_OF_SENDER_MAX, (index) => sent(`s${index}`, { sender: `partner:${index + 2}`, byAny: true })),
    }),
    event: polled(),
  },
  {
    title: "remembers whom only rule ANY admitted",
    from: context({ queue: [queued("a", { byAny: true })] }),
    event: polled(),
    to: {
      queue: [],
      sent: [sent("a", { sentAtMs: NOW_MS, channel: "poll", session: null, unknownAtMs: NOW_MS + 300_000, byAny: true })],
    },
    effects: [delivered("a", null)],
  },
  { title: "hands out nothing where all is overdue", from: context({ queue: [overdue("a")] }), event: polled() },
  {
    title: "offers nothing to the session that refused the head a moment ago",
    from: context({ queue: [queued("a", { refusedBy: { session: "s1", untilMs: NOW_MS + 1 } }), queued("b")] }),
    event: pushed("s1"),
  },
  {
    title: "offers it to the same session when the pause is over",
    from: context({ queue: [queued("a", { attempts: 1, refusedBy: { session: "s1", untilMs: NOW_MS } })] }),
    event: pushed("s1"),
    to: { queue: [], sent: [sent("a", { attempts: 2, sentAtMs: NOW_MS, unknownAtMs: NOW_MS + 300_000 })] },
    effects: [delivered("a", "s1", 2)],
  },
  {
    title: "offers it to another session at once",
    from: context({ queue: [queued("a", { attempts: 1, refusedBy: { session: "s1", untilMs: NOW_MS + 1_000 } })] }),
    event: pushed("s2"),
    to: { queue: [], sent: [sent("a", { attempts: 2, sentAtMs: NOW_MS, unknownAtMs: NOW_MS + 300_000, session: "s2" })] },
    effects: [delivered("a", "s2", 2)],
  },
  {
    title: "hands out nothing at the bound of unanswered commands",
    from: context({ queue: [queued("a")], sent: many(SENT_COMMANDS_MAX, (index) => sent(`s${index}`)) }),
    event: polled(),
  },
]);

table("command.undelivered", [
  {
    title: "puts the command back as if it had never left",
    from: context({ queue: [queued("b", { acceptedAtMs: NOW_MS })], sent: [sent("a")] }),
    event: { type: "command.undelivered", atMs: NOW_MS, uuid: "a", session: "s1", sentAtMs: null },
    to: { queue: [queued("a"), queued("b", { acceptedAtMs: NOW_MS })], sent: [] },
  },
  {
    title: "puts a later one behind an earlier one that is back already",
    from: context({
      queue: [queued("a", { acceptedAtMs: NOW_MS - 3_000 }), queued("c")],
      sent: [sent("b", { acceptedAtMs: NOW_MS - 2_000 })],
    }),
    event: { type: "command.undelivered", atMs: NOW_MS, uuid: "b", session: "s1", sentAtMs: null },
    to: {
      queue: [queued("a", { acceptedAtMs: NOW_MS - 3_000 }), queued("b", { acceptedAtMs: NOW_MS - 2_000 }), queued("c")],
      sent: [],
    },
  },
  {
    title: "is held again where it was given again",
    from: context({ queue: [queued("z")], sent: [held("a", { session: "s1", attempts: 2, awaitingAck: true })] }),
    event: { type: "command.undelivered", atMs: NOW_MS, uuid: "a", session: "s1", sentAtMs: null },
    to: { sent: [held("a")] },
  },
  {
    title: "of a poll goes back where it was that poll that took it",
    from: context({ sent: [sent("a", { session: null, channel: "poll" })] }),
    event: { type: "command.undelivered", atMs: NOW_MS, uuid: "a", session: null, sentAtMs: NOW_MS - 500 },
    to: { queue: [queued("a")], sent: [] },
  },
  {
    title: "of a poll changes nothing where another one has taken it since",
    from: context({ sent: [sent("a", { session: null, channel: "poll" })] }),
    event: { type: "command.undelivered", atMs: NOW_MS, uuid: "a", session: null, sentAtMs: NOW_MS - 900 },
  },
  {
    title: "of a poll changes nothing of what is held",
    from: context({ sent: [held("a")] }),
    event: { type: "command.undelivered", atMs: NOW_MS, uuid: "a", session: null, sentAtMs: NOW_MS - 500 },
  },
  {
    title: "changes nothing when it was sent to another session since",
    from: context({ sent: [sent("a", { session: "s2" })] }),
    event: { type: "command.undelivered", atMs: NOW_MS, uuid: "a", session: "s1", sentAtMs: null },
  },
  {
    title: "changes nothing when it has ended",
    from: context(),
    event: { type: "command.undelivered", atMs: NOW_MS, uuid: "a", session: "s1", sentAtMs: null },
  },
]);

const acknowledged: TerminalEvent = { type: "command.acknowledged", atMs: NOW_MS, uuid: "a", session: "s1" };
table("command.acknowledged", [
  {
    title: "ends redelivery and keeps awaiting the result",
    from: context({ sent: [sent("a", { awaitingAck: true, redeliverable: true }), sent("b")] }),
    event: acknowledged,
    to: { sent: [sent("a"), sent("b")] },
  },
  { title: "changes nothing where no ACK was awaited", from: context({ sent: [sent("a")] }), event: acknowledged },
  {
    title: "changes nothing from another session",
    from: context({ sent: [sent("a", { awaitingAck: true, session: "s2" })] }),
    event: acknowledged,
  },
  { title: "changes nothing for a command that waits", from: context({ queue: [queued("a")] }), event: acknowledged },
  { title: "changes nothing where nothing is outstanding", from: context(), event: acknowledged },
]);

const refused: TerminalEvent = { type: "command.refused", atMs: NOW_MS, uuid: "a", session: "s1" };
table("command.refused", [
  {
    title: "puts the command to the head of the queue, with a pause for that session",
    from: context({ queue: [queued("b")], sent: [sent("a", { awaitingAck: true })] }),
    event: refused,
    to: { queue: [queued("a", { attempts: 1, refusedBy: { session: "s1", untilMs: NOW_MS + 1_000 } }), queued("b")], sent: [] },
  },
  { title: "changes nothing after an ACK", from: context({ sent: [sent("a")] }), event: refused },
  {
    title: "changes nothing from another session",
    from: context({ sent: [sent("a", { awaitingAck: true, session: "s2" })] }),
    event: refused,
  },
  { title: "changes nothing for a command that waits", from: context({ queue: [queued("a")] }), event: refused },
  {
    title: "may lengthen a full queue, by what was sent",
    from: context({ queue: many(QUEUED_COMMANDS_MAX, (index) => queued(`q${index}`)), sent: [sent("a", { awaitingAck: true })] }),
    event: refused,
    to: {
      queue: [
        queued("a", { attempts: 1, refusedBy: { session: "s1", untilMs: NOW_MS + 1_000 } }),
        ...many(QUEUED_COMMANDS_MAX, (index) => queued(`q${index}`)),
      ],
      sent: [],
    },
  },
]);

table("command.refused, of what is held", [
  {
    title: "stays held, with a pause for that session, and goes to nobody else",
    from: context({ queue: [queued("b")], sent: [held("a", { session: "s1", attempts: 2, awaitingAck: true })] }),
    event: refused,
    to: { sent: [held("a", { attempts: 2, refusedBy: { session: "s1", untilMs: NOW_MS + 1_000 } })] },
  },
]);

const again: TerminalEvent = {
  type: "command.redelivered",
  atMs: NOW_MS,
  session: { id: "s2", acknowledges: true, redeliver: true },
};
const given = { sentAtMs: NOW_MS, unknownAtMs: NOW_MS + 300_000, session: "s2", attempts: 2, awaitingAck: true };
const told = (uuid: string): TerminalEffect => ({
  type: "deliver",
  params: { uuid, attempt: 2, expiresAtMs: NOW_MS + 59_000, channel: "websocket", session: "s2" },
});
table("command.redelivered", [
  {
    title: "gives the oldest that is held again",
    from: context({ queue: [queued("z")], sent: [sent("x"), held("a"), held("b")] }),
    event: again,
    to: { sent: [sent("x"), held("a", given), held("b")] },
    effects: [told("a")],
  },
  {
    title: "passes over one that this session has just refused, one that is to be cancelled and one that is overdue",
    from: context({
      sent: [
        held("a", { refusedBy: { session: "s2", untilMs: NOW_MS + 1 } }),
        held("b", { cancelRequested: true }),
        held("c", { expiresAtMs: NOW_MS }),
        held("d"),
      ],
    }),
    event: again,
    to: {
      sent: [
        held("a", { refusedBy: { session: "s2", untilMs: NOW_MS + 1 } }),
        held("b", { cancelRequested: true }),
        held("c", { expiresAtMs: NOW_MS }),
        held("d", given),
      ],
    },
    effects: [told("d")],
  },
  { title: "gives nothing to a session without the declaration", from: context({ sent: [held("a")] }), event: pushedAgain("s2", false) },
  {
    title: "gives nothing that a session has, or that was acknowledged",
    from: context({ sent: [held("a", { session: "s1" }), held("b", { redeliverable: false })] }),
    event: again,
  },
  { title: "changes nothing where nothing is outstanding", from: context(), event: again },
]);

const lost: TerminalEvent = { type: "session.lost", atMs: NOW_MS, session: "s1" };
table("session.lost", [
  {
    title: "holds what a redelivering session had not acknowledged, in its place, and nothing else; what waits is not held up",
    from: context({
      queue: [queued("d")],
      sent: [
        sent("a", { redeliverable: true, awaitingAck: true }),
        sent("b"),
        sent("c", { redeliverable: true, awaitingAck: true }),
        sent("e", { redeliverable: true, session: "s2" }),
      ],
    }),
    event: lost,
    to: { sent: [held("a"), sent("b"), held("c"), sent("e", { redeliverable: true, session: "s2" })] },
  },
  {
    title: "holds again what was given again",
    from: context({ sent: [held("a", { session: "s1", attempts: 2, awaitingAck: true })] }),
    event: lost,
    to: { sent: [held("a", { attempts: 2 })] },
  },
  {
    title: "never holds what a client without the declaration got",
    from: context({ sent: [sent("a", { awaitingAck: true })] }),
    event: lost,
  },
  {
    title: "holds nothing after the deadline",
    from: context({ sent: [sent("a", { redeliverable: true, expiresAtMs: NOW_MS })] }),
    event: lost,
  },
  { title: "changes nothing where nothing is outstanding", from: context(), event: lost },
]);

table("result.recorded", [
  {
    title: "ends a sent command as done and answers its sender's latest",
    from: context({ queue: [queued("b")], sent: [sent("a")], latest: [latest("a", false)] }),
    event: resulted("a"),
    to: { sent: [], latest: [latest("a", true)] },
    effects: [finished("a", "done", "sent")],
  },
  {
    title: "ends a command that waits as done: somebody has executed it",
    from: context({ queue: [queued("a"), queued("b")], latest: [latest("a", false)] }),
    event: resulted("a", { status: "KO" }),
    to: { queue: [queued("b")], latest: [latest("a", true)] },
    effects: [finished("a", "done", "queue")],
  },
  {
    title: "tells times that never run backwards, whatever clock wrote them",
    from: context({
      queue: [queued("b", { acceptedAtMs: NOW_MS + 9 })],
      sent: [sent("a", { acceptedAtMs: NOW_MS + 9, sentAtMs: NOW_MS + 5, cancels: "b" })],
    }),
    event: resulted("a", { cancels: "b" }),
    to: { queue: [], sent: [] },
    effects: [
      finished("a", "done", "sent", { atMs: NOW_MS + 9, sentAtMs: NOW_MS + 9 }),
      finished("b", "cancelled", "queue", { atMs: NOW_MS + 9 }),
    ],
  },
  {
    title: "of a command that had ended answers its latest and ends nothing",
    from: context({ latest: [latest("a", false)] }),
    event: resulted("a"),
    to: { latest: [latest("a", true)] },
  },
  {
    title: "of an older command leaves the newer one unanswered",
    from: context({ sent: [sent("b")], latest: [latest("b", false)] }),
    event: resulted("a"),
  },
  {
    title: "that nobody asked for is the last transaction where no command waits for an answer",
    from: context({ latest: [latest("a", true)] }),
    event: resulted("z", { unsolicited: true }),
    to: { latest: [latest("z", true, ""), latest("a", true)] },
  },
  {
    title: "that nobody asked for does not stand in for an unanswered command",
    from: context({ latest: [latest("a", false)] }),
    event: resulted("z", { unsolicited: true }),
  },
  {
    title: "OK of a CANCEL ends its target as cancelled",
    from: context({
      sent: [sent("a", { cancelRequested: true }), sent("c", { kind: "cancel", cancels: "a" })],
      latest: [latest("a", false)],
    }),
    event: resulted("c", { cancels: "a" }),
    to: { sent: [] },
    effects: [finished("c", "done", "sent", { kind: "cancel" }), finished("a", "cancelled", "sent")],
  },
  {
    title: "OK of a CANCEL that has become unknown itself still ends its target",
    from: context({ sent: [sent("a", { cancelRequested: true })] }),
    event: resulted("c", { cancels: "a" }),
    to: { sent: [] },
    effects: [finished("a", "cancelled", "sent")],
  },
  {
    title: "OK of a CANCEL ends a target that was put back meanwhile",
    from: context({ queue: [queued("a", { attempts: 1 })], sent: [sent("c", { kind: "cancel", cancels: "a" })] }),
    event: resulted("c", { cancels: "a" }),
    to: { queue: [], sent: [] },
    effects: [finished("c", "done", "sent", { kind: "cancel" }), finished("a", "cancelled", "queue", { attempts: 1 })],
  },
  {
    title: "KO of a CANCEL leaves its target as it was",
    from: context({ sent: [sent("a", { cancelRequested: true }), sent("c", { kind: "cancel", cancels: "a" })] }),
    event: resulted("c", { status: "KO", cancels: "a" }),
    to: { sent: [sent("a", { cancelRequested: true })] },
    effects: [finished("c", "done", "sent", { kind: "cancel" })],
  },
]);

table("cancel.requested", [
  {
    title: "ends a command that never left as cancelled",
    from: context({ queue: [queued("a"), queued("b")], latest: [latest("a", false)] }),
    event: cancelRequested("a", "c"),
    to: { queue: [queued("b")] },
    effects: [finished("a", "cancelled", "queue")],
  },
  {
    title: "ends one that never left though the queue is full",
    from: context({ queue: many(QUEUED_COMMANDS_MAX, (index) => queued(`q${index}`)) }),
    event: cancelRequested("q0", "c"),
    to: { queue: many(QUEUED_COMMANDS_MAX - 1, (index) => queued(`q${index + 1}`)) },
    effects: [finished("q0", "cancelled", "queue")],
  },
  {
    title: "keeps a command that came back from being sent again, and queues a CANCEL for it: it may be being executed",
    from: context({ queue: [queued("a", { attempts: 2 }), queued("b")] }),
    event: cancelRequested("a", "c"),
    to: {
      queue: [queued("b"), queued("c", { kind: "cancel", service: "CANCEL", cancels: "a" })],
      sent: [sent("a", { attempts: 2, sentAtMs: NOW_MS, unknownAtMs: NOW_MS + 300_000, session: null, cancelRequested: true })],
    },
    effects: [{ type: "cancelQueued", params: { uuid: "a", cancelUuid: "c" } }],
  },
  {
    title: "ends one that came back and is overdue, or finds no place among those that were sent, as unknown",
    from: context({
      queue: [queued("a", { attempts: 1 })],
      sent: many(SENT_COMMANDS_MAX, (index) => sent(`s${index}`)),
    }),
    event: cancelRequested("a", "c"),
    to: { queue: [] },
    effects: [finished("a", "unknown", "queue", { attempts: 1 })],
  },
  {
    title: "queues a CANCEL for a command that was sent",
    from: context({ sent: [sent("a"), sent("b")] }),
    event: cancelRequested("a", "c"),
    to: {
      queue: [queued("c", { kind: "cancel", service: "CANCEL", cancels: "a" })],
      sent: [sent("a", { cancelRequested: true }), sent("b")],
    },
    effects: [{ type: "cancelQueued", params: { uuid: "a", cancelUuid: "c" } }],
  },
  {
    title: "is refused when the queue is full",
    from: context({ queue: ofTwo(QUEUED_COMMANDS_MAX), sent: [sent("a")] }),
    event: cancelRequested("a", "c"),
    effects: [{ type: "refusedFull", params: { uuid: "c", bound: "terminal", freeAtMs: NOW_MS + 59_000 } }],
  },
  {
    title: "is refused when eight of the command's sender wait",
    from: context({ queue: many(QUEUED_OF_SENDER_MAX, (index) => queued(`q${index}`)), sent: [sent("a")] }),
    event: cancelRequested("a", "c"),
    effects: [{ type: "refusedFull", params: { uuid: "c", bound: "sender", freeAtMs: NOW_MS + 59_000 } }],
  },
  {
    title: "ends one that came back as unknown where its sender has as many sent as it may",
    from: context({ queue: [queued("a", { attempts: 1 })], sent: many(SENT_OF_SENDER_MAX, (index) => sent(`s${index}`)) }),
    event: cancelRequested("a", "c"),
    to: { queue: [] },
    effects: [finished("a", "unknown", "queue", { attempts: 1 })],
  },
  { title: "changes nothing for a command that has ended", from: context({ sent: [sent("b")] }), event: cancelRequested("a", "c") },
]);

const deadline: TerminalEvent = { type: "deadline.passed", atMs: NOW_MS };
table("deadline.passed", [
  {
    title: "expires only what never left; what came back becomes unknown",
    from: context({ queue: [overdue("a"), overdue("b", 1), queued("c")], latest: [latest("a", false)] }),
    event: deadline,
    to: { queue: [queued("c")] },
    effects: [finished("a", "expired", "queue"), finished("b", "unknown", "queue", { attempts: 1 })],
  },
  {
    title: "makes a sent command without a result unknown, never expired",
    from: context({ sent: [sent("a", { unknownAtMs: NOW_MS, expiresAtMs: NOW_MS - 1 }), sent("b", { expiresAtMs: NOW_MS - 1 })] }),
    event: deadline,
    to: { sent: [sent("b", { expiresAtMs: NOW_MS - 1 })] },
    effects: [finished("a", "unknown", "sent")],
  },
  {
    title: "ends the pause after a NACK",
    from: context({ queue: [queued("a", { attempts: 1, refusedBy: { session: "s1", untilMs: NOW_MS } })] }),
    event: deadline,
    to: { queue: [queued("a", { attempts: 1 })] },
  },
  { title: "changes nothing a moment too early", from: context({ queue: [queued("a")], sent: [sent("b")] }), event: deadline },
  { title: "changes nothing where nothing is outstanding", from: context({ latest: [latest("a", false)] }), event: deadline },
]);
