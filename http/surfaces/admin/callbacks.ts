import { Type } from "@sinclair/typebox";
import type { CallbackRecord } from "../../../engine/callbacks/callback.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { admin } from "./surface.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

const Time = Type.String({ description: "ISO 8601 UTC." });
const Callback = Type.Object(
  {
    id: Type.String(),
    state: Type.Union([Type.Literal("waiting"), Type.Literal("dead")]),
    url: Type.String(),
    body: Type.Object({ merId: Type.String(), txId: Type.String(), paymentId: Type.String() }),
    attempts: Type.Integer(),
    createdAt: Time,
    nextAttemptAt: Type.Union([Time, Type.Null()], { description: "Null for a dead callback." }),
    lastAttemptAt: Type.Union([Time, Type.Null()]),
    lastError: Type.Union([Type.String(), Type.Null()]),
  },
  { title: "Callback" },
);

const EXAMPLE = {
  id: "5f3c2f0e-8a57-5b0e-9d5b-0d8c8f6f2b11.success.notify",
  state: "dead" as const,
  url: "https://shop.example/notify",
  body: { merId: "M1", txId: "order-7", paymentId: "5f3c2f0e-8a57-5b0e-9d5b-0d8c8f6f2b11" },
  attempts: 10,
  createdAt: "2026-01-01T10:00:00.000Z",
  nextAttemptAt: null,
  lastAttemptAt: "2026-01-02T02:10:00.000Z",
  lastError: "answered 500",
};

export const listCallbacks = admin.endpoint({
  name: "listCallbacks",
  method: "GET",
  path: "/admin/callbacks",
  summary: "List callbacks that are not delivered",
  description:
    "A dead callback was tried ten times within about sixteen hours; `lastError` says why the last attempt failed. Dead callbacks are kept for 90 days. Delivered ones are not listed.",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    state: Type.Optional(Type.Union([Type.Literal("dead"), Type.Literal("waiting")], { default: "dead" })),
    after: Type.Optional(Type.String({ maxLength: 128, pattern: "^[\\x21-\\x7e]*$", description: "The last id of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, parameterName: "PageSize" })),
  }),
  responses: {
    200: { description: "A page, oldest first.", body: okBody(Type.Array(Callback)), example: { status: "ok", data: [EXAMPLE] } },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ callbacks }, { query }) => {
    const page = await callbacks.list(query.state ?? "dead", query.after ?? null, query.limit ?? PAGE_DEFAULT);
    return { status: 200, body: { status: "ok", data: page.map(shown) } };
  },
});

export const resendCallback = admin.endpoint({
  name: "resendCallback",
  method: "POST",
  path: "/admin/callbacks/{id}/resend",
  summary: "Resend a callback",
  auth: "admin",
  role: "operator",
  machine: "webhooks",
  params: Type.Object({ id: Type.String({ pattern: "^[A-Za-z0-9._-]{1,128}$" }) }),
  audit: { action: "callback.resend" },
  responses: {
    200: {
      description: "The callback is sent within a second, and has all its attempts again.",
      body: okBody(Callback),
      example: { status: "ok", data: { ...EXAMPLE, state: "waiting", attempts: 0, nextAttemptAt: "2026-01-02T08:00:00.000Z" } },
    },
    ...admin.errors(400, 401, 404, 409, 503),
  },
  handle: async ({ callbacks }, { params }) => {
    const record = await callbacks.resend(params.id);
    if (record === null) throw new RelayError("not_found", "There is no such callback");
    return { status: 200, body: { status: "ok", data: shown(record) } };
  },
});

function shown({ id, state, url, body, attempts, createdAtMs, nextAtMs, lastAttemptAtMs, lastError }: CallbackRecord) {
  const createdAt = iso(createdAtMs);
  const nextAttemptAt = state === "dead" ? null : isoOrNull(nextAtMs);
  return { id, state, url, body, attempts, createdAt, nextAttemptAt, lastAttemptAt: isoOrNull(lastAttemptAtMs), lastError };
}
