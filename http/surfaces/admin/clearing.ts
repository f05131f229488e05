import { Type } from "@sinclair/typebox";
import { TextBody } from "../relay-envelope.ts";
import { admin } from "./surface.ts";

const DAY_MS = 86_400_000;

/** Part of the interface: what is cleaned where the request names no days. */
const DAYS_DEFAULT = 90;

/** One call works for so long; what is left then is for the next. */
const CLEANING_MS = 20_000;
const CLEANING_DEADLINE_MS = 30_000;

const clearSessions = admin.endpoint({
  name: "clearSessions",
  method: "POST",
  path: "/admin/redis-sessions/clear",
  summary: "Forgets stored sessions and presence",
  description:
    "On whichever store the relay runs. Terminals are NEVER_CONNECTED until their next frame or poll; live sockets stay open and register again with it. Commands, results and uuids are not touched.",
  auth: "admin",
  deadlineMs: CLEANING_DEADLINE_MS,
  body: Type.Optional(Type.Object({}, { additionalProperties: true })),
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
  method: "POST",
  path: "/admin/receipts/clean",
  summary: "Removes old bodies of requests and results",
  description:
    "Of commands that ended more than so many days ago: what was sent to the terminal and what it posted. Uuids stay refused, lives and normalized results askable; what has not ended, what the feed has not delivered and what is in ClickHouse stays whole. A call works for 20 seconds at most: while `incomplete` is 1, call again.",
  auth: "admin",
  deadlineMs: CLEANING_DEADLINE_MS,
  query: Type.Object({ days: Type.Optional(Type.Integer({ minimum: 1, maximum: 36_500, default: DAYS_DEFAULT })) }),
  body: Type.Optional(Type.Object({}, { additionalProperties: true })),
  audit: { action: "receipts.clean", subject: ({ query }) => `${query.days ?? DAYS_DEFAULT} days` },
  responses: {
    200: {
      description: "How many commands lost their bodies.",
      body: Type.Object({ deleted: Type.Integer(), incomplete: Type.Optional(Type.Integer({ description: "1 while more is left." })) }),
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
