import { Type } from "@sinclair/typebox";
import { TextBody } from "../parts/relay-envelope.ts";
import { admin } from "./surface.ts";

const DAY_MS = 86_400_000;

/** Part of the interface: the default of `days`. */
const DAYS_DEFAULT = 90;

/** How long one call works; the next call continues. */
const CLEANING_MS = 20_000;
const CLEANING_DEADLINE_MS = 30_000;

const clearSessions = admin.endpoint({
  name: "clearSessions",
  method: "POST",
  path: "/admin/redis-sessions/clear",
  summary: "Clear sessions of terminals",
  description:
    "Works with either store, in spite of the path. Terminals without a live session are shown as OFFLINE, with the time when they were last seen, until their next frame or poll; what they told about their devices is forgotten. Those with a live session stay ONLINE, as they were, and get what comes at once. Commands, results and uuids are not changed.",
  auth: "admin",
  role: "operator",
  machine: "terminals",
  deadlineMs: CLEANING_DEADLINE_MS,
  body: Type.Optional(Type.Object({})),
  audit: { action: "sessions.clear", subject: () => "all" },
  responses: {
    200: { description: "Done.", body: TextBody, example: { status: "ok", data: "Sessions cleared: 128" } },
    ...admin.errors(401, 503),
  },
  handle: async ({ terminals }) => {
    const cleared = await terminals.forgetPresence();
    return { status: 200, body: { status: "ok", data: `Sessions cleared: ${cleared}` } };
  },
});

const cleanReceipts = admin.endpoint({
  name: "cleanReceipts",
  refusesUnknown: "limits",
  method: "POST",
  path: "/admin/receipts/clean",
  summary: "Delete old bodies of requests and results",
  description:
    "Removes, for commands that ended more than `days` days ago, the body that the terminal posted. (The body that was sent to the terminal is removed when the command ends.) Their uuids are still refused as duplicates, and their lives and normalized results can still be read. Commands that have not ended, results that ClickHouse does not have yet, and the data in ClickHouse are not changed. A call works for at most 20 seconds: while `incomplete` is 1, call again.",
  auth: "admin",
  role: "operator",
  machine: "operation",
  deadlineMs: CLEANING_DEADLINE_MS,
  query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500, default: DAYS_DEFAULT })) }),
  body: Type.Optional(Type.Object({})),
  audit: { action: "receipts.clean", subject: ({ query }) => `${query.days ?? DAYS_DEFAULT} days` },
  responses: {
    200: {
      description: "The number of commands whose bodies were removed.",
      body: Type.Object({
        deleted: Type.Integer(),
        incomplete: Type.Optional(Type.Integer({ description: "1 while there is more to remove." })),
      }),
      example: { deleted: 1_284 },
    },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ receiptCleaner, clock }, { query: { days = DAYS_DEFAULT } }) => {
    const { deleted, complete } = await receiptCleaner.clean(clock.nowMs() - days * DAY_MS, CLEANING_MS);
    return { status: 200, body: { deleted, ...(complete ? {} : { incomplete: 1 }) } };
  },
});

export const clearingEndpoints = [clearSessions, cleanReceipts];
