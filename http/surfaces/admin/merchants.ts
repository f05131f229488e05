import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import {
  CALLS_PER_MINUTE_DEFAULT,
  CALLS_PER_MINUTE_MAX,
  callsPerMinute,
  type MerchantRecord,
  permittedCallsPerMinute,
} from "../../../engine/partners/merchant.ts";
import { iso } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { AdminMerchant } from "./merchant-schemas.ts";
import { PartnerParams } from "./partners/partner.ts";
import { type AdminOperations, admin } from "./surface.ts";

const PerMinute = (description: string) => Type.Integer({ minimum: 1, maximum: CALLS_PER_MINUTE_MAX, description });

const MerchantLimits = Type.Object(
  {
    merchantId: Type.String(),
    partnerId: Type.Integer(),
    compatRequestsPerMinute: PerMinute("What counts: the partner may have chosen fewer than are permitted."),
    compatRequestsPerMinuteMax: PerMinute("What is permitted."),
  },
  { title: "MerchantLimits" },
);

const limitMerchant = admin.endpoint({
  name: "limitMerchant",
  refusesUnknown: "limits",
  method: "PATCH",
  path: "/admin/api/merchants/{merchantId}",
  summary: "Update the call limits of a merchant",
  description: `How many calls with its secret key a merchant may make in any minute, at all nodes together; ${CALLS_PER_MINUTE_DEFAULT} where nothing was set. Its partner may choose fewer (\`PATCH /partner/api/v1/merchants/{merchantId}\`), and not more. It holds from the merchant's next call on.`,
  auth: "admin",
  role: "operator",
  machine: "operation",
  params: Type.Object({ merchantId: Type.String({ parameterName: "AdminMerchantId" }) }),
  elsewhere: { active: "PATCH /partner/api/v1/merchants/{merchantId} with its partner's key" },
  body: Type.Object({ compatRequestsPerMinute: PerMinute("What is permitted from now on.") }),
  bodyExample: { compatRequestsPerMinute: 600 },
  audit: { action: "merchant.limit" },
  responses: {
    200: { description: "The limits.", body: okBody(MerchantLimits) },
    ...admin.errors(400, 401, 404, 413, 415, 503),
  },
  handle: async ({ administerMerchants }, { params, body }) => {
    const merchant = await administerMerchants.permitCalls(params.merchantId, body.compatRequestsPerMinute);
    const { merchantId, partnerId } = merchant;
    const limits = {
      compatRequestsPerMinute: callsPerMinute(merchant),
      compatRequestsPerMinuteMax: permittedCallsPerMinute(merchant),
    };
    return { status: 200, body: { status: "ok", data: { merchantId, partnerId, ...limits } } };
  },
});

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

const EXAMPLE: Static<typeof AdminMerchant> = {
  merchantId: "SHOP-001",
  merchantName: "Caffè Duomo",
  partnerId: 7,
  partnerName: "acme",
  environment: "LIVE",
  active: true,
  services: ["PAYBYLINK"],
  createdAt: "2026-01-15T09:30:00.000Z",
  updatedAt: "2026-01-15T09:30:00.000Z",
};

function shown(record: MerchantRecord, { partners }: Pick<AdminOperations, "partners">): Static<typeof AdminMerchant> {
  const { merchantId, merchantName, partnerId, environment, active, services, createdAtMs, updatedAtMs } = record;
  return {
    merchantId,
    merchantName,
    partnerId,
    partnerName: partners.byId(partnerId)?.record.username ?? null,
    environment,
    active,
    services: Object.entries(services).flatMap(([code, { enabled }]) => (enabled ? [code] : [])),
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
  };
}

const listMerchantsOfPartner = admin.endpoint({
  name: "listMerchantsOfPartner",
  method: "GET",
  path: "/admin/api/partners/{id}/merchants",
  summary: "List merchants of a partner",
  description: "Deactivated ones too. Without keys and settings of services.",
  auth: "admin",
  role: "read-only",
  params: PartnerParams,
  query: Type.Object({
    after: Type.Optional(
      Type.String({ maxLength: 64, pattern: "^[A-Za-z0-9._-]*$", description: "The last merchantId of the previous page." }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, parameterName: "PageSize" })),
  }),
  responses: {
    200: { description: "A page.", body: okBody(Type.Array(AdminMerchant)), example: { status: "ok", data: [EXAMPLE] } },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async (operations, { params: { id }, query: { after = "", limit = PAGE_DEFAULT } }) => {
    if (operations.partners.byId(id) === null) throw new RelayError("not_found", "There is no such partner");
    const page = await operations.administerMerchants.page(id, { after, limit });
    return { status: 200, body: { status: "ok", data: page.map((record) => shown(record, operations)) } };
  },
});

const showMerchant = admin.endpoint({
  name: "showMerchant",
  method: "GET",
  path: "/admin/api/merchants/{merchantId}",
  summary: "Get a merchant as an administrator",
  description: "Without keys and settings of services.",
  auth: "admin",
  role: "read-only",
  params: Type.Object({ merchantId: Type.String({ parameterName: "AdminMerchantId" }) }),
  responses: {
    200: { description: "The merchant.", body: okBody(AdminMerchant), example: { status: "ok", data: EXAMPLE } },
    ...admin.errors(401, 404, 503),
  },
  handle: async (operations, { params }) => {
    const record = await operations.administerMerchants.find(params.merchantId);
    return { status: 200, body: { status: "ok", data: shown(record, operations) } };
  },
});

/** Whose merchants are, and what they may do. */
export const merchantEndpoints = [listMerchantsOfPartner, showMerchant, limitMerchant];
