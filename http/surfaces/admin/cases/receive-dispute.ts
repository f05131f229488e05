import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { ok } from "../envelope.ts";
import { AdminDispute, DISPUTE_EXAMPLE, DisputeCategory, DisputeStage, disputeJson } from "./feed-json.ts";
import { adminOfDisputes as admin, FED_MERCHANT, FED_PAYMENT, FED_TIME, partyOf, paymentOf, timeOf } from "./surface.ts";

const FedDispute = Type.Object(
  {
    merchantId: FED_MERCHANT,
    network: Type.String({ pattern: "^[A-Z][A-Z0-9_]{1,31}$", description: "VISA, MASTERCARD, ..." }),
    networkCaseId: Type.String({ pattern: "^[A-Za-z0-9._:-]{1,64}$", description: "Unique within the network." }),
    stage: DisputeStage,
    uuid: Type.Optional(FED_PAYMENT),
    amountMinor: Type.Integer({ minimum: 1, maximum: 999_999_999_999 }),
    currency: Type.String({ pattern: "^[A-Z]{3}$" }),
    reasonCode: Type.String({ pattern: "^[A-Za-z0-9._-]{1,12}$", description: "The network's own." }),
    category: DisputeCategory,
    respondBy: Type.String({ ...FED_TIME, description: "Until when the network takes a response; within 400 days." }),
    alertId: Type.Optional(Type.String({ pattern: "^al_[a-z0-9]{24}$", description: "The alert that came before it." })),
  },
  { title: "FedDispute" },
);

export const receiveDispute = admin.endpoint({
  name: "adminReceiveDispute",
  refusesUnknown: "money",
  method: "POST",
  path: "/admin/disputes",
  summary: "Add a dispute",
  description:
    "What a network or an acquirer has told of a case, until one is connected. Refunds of its payment are held from then on, and its merchant is written to. The same case again changes nothing.",
  auth: "admin",
  role: "operator",
  machine: "disputes",
  body: FedDispute,
  bodyExample: {
    ...{ merchantId: "SHOP-001", network: "VISA", networkCaseId: "9182736450", stage: "CHARGEBACK" },
    ...{ uuid: "7d9f0a52-6c2e-4a83-9f5d-2c1d0d1b8f11", amountMinor: 1050, currency: "EUR", reasonCode: "13.1" },
    ...{ category: "NOT_RECEIVED", respondBy: "2026-12-10T10:00:00Z" },
  },
  audit: {
    action: "dispute.receive",
    subject: ({ body: { merchantId, network, networkCaseId } }) => `${merchantId} ${network} ${networkCaseId}`,
  },
  responses: {
    201: { description: "It is there.", body: okBody(AdminDispute), example: { status: "ok", data: DISPUTE_EXAMPLE } },
    ...admin.errors(400, 401, 403, 404, 413, 415, 503),
    409: {
      description: "There is another dispute with this number of this network, or there are too many of this payment.",
      body: admin.envelope.schema,
    },
  },
  handle: async (operations, { body, request }) => {
    const { merchantId, network, networkCaseId, stage, amountMinor, currency, reasonCode, category, alertId = null } = body;
    const party = await partyOf(operations, merchantId);
    const payment = await paymentOf(operations, merchantId, body.uuid);
    if (alertId !== null && (await operations.alertFeed.byId(alertId))?.merchantId !== merchantId) {
      throw new RelayError("invalid_request", "alertId: is not an alert of this merchant");
    }
    const given = {
      ...{ network, networkCaseId, stage, amountMinor, currency, reasonCode, category, alertId },
      ...{ uuid: payment?.uuid ?? null, terminalId: payment?.terminalId ?? null, respondByMs: timeOf("respondBy", body.respondBy) },
    };
    const dispute = await operations.disputeFeed.received(party, given, { id: request.id, requestId: request.id });
    return { status: 201, body: ok(disputeJson(dispute)) };
  },
});
