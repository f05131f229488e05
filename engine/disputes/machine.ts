import { assign, setup } from "xstate";
import type { DisputeRecord } from "./dispute.ts";
import type { DisputeEvent, DisputeNews } from "./events.ts";
import {
  begunAt,
  checkedAt,
  isAbandoned,
  isInTime,
  mayAdd,
  mayBeginSending,
  mayCheckSending,
  mayDrop,
  mayRemove,
  maySettle,
  mayStage,
  maySubmit,
  refusesLast,
  reminderDue,
  remindersFrom,
  SENDING_FLAG_CHECKS,
  submissionOf,
  withSubmission,
} from "./rules.ts";

interface Args {
  context: DisputeRecord;
  event: DisputeEvent;
}

/**
 * The machine of a dispute (drawn in infra/docs/machines/dispute.md). It is pure: events carry the
 * time, and effects are data. `nextAtMs` (rules.ts) derives the next check.
 */
const setUp = setup({
  types: {} as { context: DisputeRecord; input: DisputeRecord; events: DisputeEvent; tags: "ended" },
  guards: {
    isNew: ({ context }) => context.events === 0,
    leavesTime: ({ event }) => event.type === "evidence.requested" && event.respondByMs > event.atMs,
    mayStage: ({ context, event }) => event.type === "file.staged" && mayStage(context, event),
    mayAdd: ({ context, event }) => event.type === "file.added" && mayAdd(context, event),
    mayRemove: ({ context, event }) => event.type === "file.removed" && mayRemove(context, event),
    isAbandoned: ({ context, event }) => event.type === "file.abandoned" && isAbandoned(context, event),
    mayDrop: ({ context, event }) => event.type === "file.dropped" && mayDrop(context, event),
    maySubmit: ({ context, event }) => event.type === "response.submitted" && maySubmit(context, event),
    mayBegin: ({ context, event }) => event.type === "sending.begun" && mayBeginSending(context, event),
    /** Operators are notified once. */
    isDoubtful: ({ context, event }) =>
      event.type === "sending.checked" &&
      mayCheckSending(context, event) &&
      submissionOf(context, event.submissionId)?.checks === SENDING_FLAG_CHECKS,
    mayCheck: ({ context, event }) => event.type === "sending.checked" && mayCheckSending(context, event),
    isUnsettled: ({ context, event }) =>
      (event.type === "network.accepted" || event.type === "network.refused") && maySettle(context, event),
    isRefusedInTime: ({ context, event }) =>
      event.type === "network.refused" && refusesLast(context, event) && isInTime(context, event.atMs),
    isUndelivered: ({ context, event }) => event.type === "network.refused" && refusesLast(context, event) && !event.delivered,
    isRefused: ({ context, event }) => event.type === "network.refused" && refusesLast(context, event),
    isWon: ({ event }) => event.type === "verdict.received" && event.result === "WON",
    isLost: ({ event }) => event.type === "verdict.received" && event.result === "LOST",
    isTimeOver: ({ context, event: { atMs } }) => !isInTime(context, atMs),
    isReminderDue: ({ context, event: { atMs } }) => reminderDue(context, atMs) !== null,
    isMailDue: ({ context: { mailOwed = null }, event: { atMs } }) => mailOwed !== null && mailOwed.atMs <= atMs,
  },
  actions: {
    tell: (_, _params: { news: DisputeNews }) => {},
    mailReceived: (_, _params: Record<string, never>) => {},
    mailReminder: (_, _params: { leadMs: number | null }) => {},
    flagUndelivered: (_, _params: Record<string, never>) => {},
    require: assign(({ context, event }) =>
      event.type === "evidence.requested"
        ? {
            respondByMs: event.respondByMs,
            stage: event.stage ?? context.stage,
            reminders: remindersFrom(event.respondByMs, event.atMs),
            outcome: null,
            mailOwed: null,
          }
        : {},
    ),
    saveDraft: assign(({ event }) => (event.type === "draft.saved" ? { draft: event.draft } : {})),
    stage: assign(({ context, event }) =>
      event.type === "file.staged" ? { files: [...context.files.filter(({ id }) => id !== event.file.id), event.file] } : {},
    ),
    add: assign(({ context, event }) =>
      event.type === "file.added"
        ? { files: context.files.map((file) => (file.id === event.fileId ? { ...file, state: "kept" as const, untilMs: null } : file)) }
        : {},
    ),
    remove: assign(({ context, event }) =>
      event.type === "file.removed" || event.type === "file.abandoned"
        ? {
            files: context.files.map((file) =>
              file.id === event.fileId ? { ...file, state: "removed" as const, untilMs: event.atMs } : file,
            ),
          }
        : {},
    ),
    drop: assign(({ context, event }) =>
      event.type === "file.dropped" ? { files: context.files.filter(({ id }) => id !== event.fileId) } : {},
    ),
    submit: assign(({ context, event }) =>
      event.type === "response.submitted" ? { submissions: [...context.submissions, event.submission], reminders: [] } : {},
    ),
    begin: assign(({ context, event }) =>
      event.type === "sending.begun" ? { submissions: withSubmission(context, event.submissionId, () => begunAt(event.atMs)) } : {},
    ),
    check: assign(({ context, event }) =>
      event.type === "sending.checked"
        ? { submissions: withSubmission(context, event.submissionId, (one) => checkedAt(one, event.atMs)) }
        : {},
    ),
    settle: assign(({ context, event }) => {
      if (event.type !== "network.accepted" && event.type !== "network.refused") return {};
      const { atMs: endedAtMs } = event;
      const state = event.type === "network.accepted" ? "taken" : event.delivered ? "refused" : "undelivered";
      const submissionId = event.submissionId ?? context.submissions.at(-1)?.id ?? null;
      return { submissions: withSubmission(context, submissionId, () => ({ state, endedAtMs, nextAtMs: null })) };
    }),
    remindAgain: assign(({ context, event }) => ({ reminders: remindersFrom(context.respondByMs, event.atMs) })),
    accept: assign(({ event }) => ({ outcome: { result: "LOST" as const, by: "accepted" as const, atMs: event.atMs }, reminders: [] })),
    conclude: assign(({ event }) =>
      event.type === "verdict.received"
        ? { outcome: { result: event.result, by: "network" as const, atMs: event.atMs }, reminders: [] }
        : {},
    ),
    expire: assign(() => ({ reminders: [] })),
    clearMail: assign(() => ({ mailOwed: null })),
    remind: assign(({ context, event }) => ({
      reminders: context.reminders.filter((leadMs) => context.respondByMs - leadMs > event.atMs),
    })),
  },
});

const tell = (news: DisputeNews) => ({ type: "tell", params: { news } }) as const;
const mailReceived = { type: "mailReceived", params: {} } as const;
const flagUndelivered = { type: "flagUndelivered", params: {} } as const;
/** The parameters come from the reminders before `remind` removes them. */
const mailReminder = {
  type: "mailReminder",
  params: ({ context, event }: Args) => ({ leadMs: reminderDue(context, event.atMs) ?? 0 }),
} as const;

const mailAgain = {
  type: "mailReminder",
  params: ({ context }: Args) => ({ leadMs: context.mailOwed?.leadMs ?? null }),
} as const;

const evidence = {
  guard: "leavesTime",
  target: "EVIDENCE_REQUIRED",
  actions: ["require", tell("dispute.evidence_required")],
} as const;
const verdict = [
  { guard: "isWon", target: "WON", actions: ["conclude", tell("dispute.closed")] },
  { guard: "isLost", target: "LOST", actions: ["conclude", tell("dispute.closed")] },
] as const;

/** The outcome of a response is stored even after it decides nothing. */
const following = {
  "file.abandoned": { guard: "isAbandoned", actions: "remove" },
  "file.dropped": { guard: "mayDrop", actions: "drop" },
  "sending.checked": [
    { guard: "isDoubtful", actions: ["check", flagUndelivered] },
    { guard: "mayCheck", actions: "check" },
  ],
  "network.accepted": { guard: "isUnsettled", actions: "settle" },
} as const;
const noted = { "network.refused": { guard: "isUnsettled", actions: "settle" } } as const;

const answering = {
  "draft.saved": { actions: "saveDraft" },
  "file.staged": { guard: "mayStage", actions: "stage" },
  "file.added": { guard: "mayAdd", actions: "add" },
  "file.removed": { guard: "mayRemove", actions: "remove" },
  "response.submitted": { guard: "maySubmit", target: "UNDER_REVIEW", actions: ["submit", tell("dispute.updated")] },
  "liability.accepted": { target: "LOST", actions: ["accept", tell("dispute.closed")] },
  "verdict.received": verdict,
  "deadline.passed": [
    { guard: "isTimeOver", target: "EXPIRED", actions: ["expire", tell("dispute.closed")] },
    // A reminder contains everything that an older mail would report.
    { guard: "isReminderDue", actions: [mailReminder, "remind", "clearMail"] },
    { guard: "isMailDue", actions: [mailAgain, "clearMail"] },
  ],
} as const;

export const disputeMachine = setUp.createMachine({
  id: "dispute",
  context: ({ input }) => input,
  initial: "OPEN",
  states: {
    OPEN: {
      description: "Received. Its merchant prepares a response, or accepts the loss.",
      on: {
        ...following,
        ...noted,
        ...answering,
        "case.received": { guard: "isNew", actions: [tell("dispute.created"), mailReceived] },
        "evidence.requested": evidence,
      },
    },
    EVIDENCE_REQUIRED: {
      description: "The network asks for evidence, for the first time or again.",
      on: { ...following, ...noted, ...answering },
    },
    UNDER_REVIEW: {
      description: "A response was submitted in time; it is sent to the network, which decides.",
      on: {
        ...following,
        "sending.begun": { guard: "mayBegin", actions: "begin" },
        "network.refused": [
          { guard: "isRefusedInTime", target: "EVIDENCE_REQUIRED", actions: ["settle", "remindAgain", tell("dispute.evidence_required")] },
          { guard: "isUndelivered", target: "EXPIRED", actions: ["settle", "expire", tell("dispute.closed"), flagUndelivered] },
          { guard: "isRefused", target: "EXPIRED", actions: ["settle", "expire", tell("dispute.closed")] },
          { guard: "isUnsettled", actions: "settle" },
        ],
        "evidence.requested": evidence,
        "verdict.received": verdict,
      },
    },
    WON: {
      tags: "ended",
      description: "The money stays with the merchant, and may be given back again. The network may ask once more.",
      on: { ...following, ...noted, "evidence.requested": evidence },
    },
    LOST: {
      tags: "ended",
      description: "The network has taken the money back, or the merchant has accepted that.",
      on: { ...following, ...noted, "evidence.requested": evidence },
    },
    EXPIRED: {
      tags: "ended",
      description: "Nobody responded in time. The network's word still counts.",
      on: { ...following, ...noted, "verdict.received": verdict },
    },
  },
});
