import { Type } from "@sinclair/typebox";
import type { AlertFed } from "../../../../engine/alerts/alerts.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { ok } from "../envelope.ts";
import { AdminAlert, AdminAlertPage, ALERT_EXAMPLE, AlertSource, AlertState, alertJson, DisputeCategory } from "./feed-json.ts";
import {
  adminOfDisputes as admin,
  alertOf,
  FED_MERCHANT,
  FED_PAYMENT,
  FED_TIME,
  FeedAlertParams,
  noSuchAlert,
  PAGE,
  partyOf,
  paymentOf,
  timeOf,
} from "./surface.ts";

const FedAlert = Type.Object(
  {
    merchantId: FED_MERCHANT,
    source: AlertSource,
    networkRef: Type.String({ pattern: "^[A-Za-z0-9._:-]{1,64}$", description: "Unique within the source." }),
    uuid: Type.Optional(FED_PAYMENT),
    category: DisputeCategory,
    amountMinor: Type.Integer({ minimum: 1, maximum: 999_999_999_999 }),
    currency: Type.String({ pattern: "^[A-Z]{3}$" }),
    respondBy: Type.Optional(Type.String({ ...FED_TIME, description: "Until when a refund prevents a dispute; 24 hours if absent." })),
  },
  { title: "FedAlert" },
);

export const receiveAlert = admin.endpoint({
  name: "adminReceiveAlert",
  refusesUnknown: "money",
  method: "POST",
  path: "/admin/alerts",
  summary: "Add a pre-dispute alert",
  description:
    "What a source has told, until one is connected. Where a rule of the merchant's matches, its payment is refunded. The same alert again changes nothing.",
  auth: "admin",
  role: "operator",
  machine: "disputes",
  body: FedAlert,
  bodyExample: {
    ...{ merchantId: "SHOP-001", source: "ETHOCA", networkRef: "ETH-20261125-0042", uuid: "pl_4f0k2m9x7q1c8v5b3n6z0a2s.1" },
    ...{ category: "FRAUD", amountMinor: 1050, currency: "EUR" },
  },
  audit: { action: "alert.receive", subject: ({ body: { merchantId, source, networkRef } }) => `${merchantId} ${source} ${networkRef}` },
  responses: {
    201: { description: "It is there.", body: okBody(AdminAlert), example: { status: "ok", data: ALERT_EXAMPLE } },
    ...admin.errors(400, 401, 403, 404, 413, 415, 503),
    409: { description: "There is another alert with this reference of this source.", body: admin.envelope.schema },
  },
  handle: async (operations, { body, request }) => {
    const { merchantId, source, networkRef, category, amountMinor, currency, respondBy } = body;
    const party = await partyOf(operations, merchantId);
    const payment = await paymentOf(operations, merchantId, body.uuid);
    const notice = {
      ...{ source, networkRef, category, amountMinor, currency },
      ...{ uuid: payment?.uuid ?? null, terminalId: payment?.terminalId ?? null, method: payment?.method ?? null },
      respondByMs: respondBy === undefined ? null : timeOf("respondBy", respondBy),
    };
    const alert = await operations.alertFeed.received(party, notice, { id: request.id, requestId: request.id });
    return { status: 201, body: ok(alertJson(alert)) };
  },
});

export const listFedAlerts = admin.endpoint({
  name: "adminListAlerts",
  method: "GET",
  path: "/admin/alerts",
  summary: "List the alerts of a merchant",
  description:
    "In the environment that the merchant has now; the newest first, or with `order=due` those that are PENDING, the most urgent first.",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    merchantId: FED_MERCHANT,
    state: Type.Optional(AlertState),
    order: Type.Optional(Type.Union([Type.Literal("newest"), Type.Literal("due")])),
    ...PAGE,
  }),
  responses: {
    200: { description: "A page.", body: okBody(AdminAlertPage), example: { status: "ok", data: { items: [ALERT_EXAMPLE], next: null } } },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async (operations, { query }) => {
    const { state = null, order = "newest", limit, cursor = null } = query;
    const party = await partyOf(operations, query.merchantId);
    const { items, next } = await operations.alerts.list(party, {
      state,
      order,
      limit,
      cursor,
      source: null,
      fromMs: null,
      beforeMs: null,
    });
    return { status: 200, body: ok({ items: items.map(alertJson), next }) };
  },
});

export const showFedAlert = admin.endpoint({
  name: "adminShowAlert",
  method: "GET",
  path: "/admin/alerts/{id}",
  summary: "Get an alert of a merchant",
  auth: "admin",
  role: "read-only",
  params: FeedAlertParams,
  responses: {
    200: { description: "The alert.", body: okBody(AdminAlert), example: { status: "ok", data: ALERT_EXAMPLE } },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async (operations, { params }) => ({ status: 200, body: ok(alertJson(await alertOf(operations, params.id))) }),
});

const said = {
  method: "POST",
  auth: "admin",
  role: "operator",
  machine: "disputes",
  params: FeedAlertParams,
  responses: {
    200: { description: "It stands as the source says.", body: okBody(AdminAlert), example: { status: "ok", data: ALERT_EXAMPLE } },
    ...admin.errors(400, 401, 403, 404, 503),
    409: { description: "The alert does not take it as it stands.", body: admin.envelope.schema },
  },
} as const;

export const resolveAlert = admin.endpoint({
  ...said,
  name: "adminResolveAlert",
  path: "/admin/alerts/{id}/resolve",
  summary: "Set an alert as resolved by its network",
  description: "It has moved the money itself, or needs none: the relay begins no refund of it any more.",
  audit: { action: "alert.resolve" },
  handle: async (operations, { params, request }) => {
    const { source, networkRef } = await alertOf(operations, params.id);
    return told(await operations.alertFeed.resolved(source, networkRef, { id: request.id, requestId: request.id }));
  },
});

export const invalidateAlert = admin.endpoint({
  ...said,
  name: "adminInvalidateAlert",
  path: "/admin/alerts/{id}/invalid",
  summary: "Set an alert as invalid",
  description: "Its source takes it back; it counts as neither prevented nor missed.",
  audit: { action: "alert.invalidate" },
  handle: async (operations, { params, request }) => {
    const { source, networkRef } = await alertOf(operations, params.id);
    return told(await operations.alertFeed.invalid(source, networkRef, { id: request.id, requestId: request.id }));
  },
});

function told(fed: AlertFed | null) {
  if (fed === null) throw noSuchAlert();
  if (fed.type === "refused") throw new RelayError("conflict", `The alert is ${fed.alert.state}: that cannot be said of it now`);
  return { status: 200 as const, body: ok(alertJson(fed.alert)) };
}
