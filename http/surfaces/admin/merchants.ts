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
import { ActiveState, Environment } from "../parts/schemas.ts";
import { AdminMerchant } from "./merchant-schemas.ts";
import { PartnerParams } from "./partners/partner.ts";
import { type AdminOperations, admin } from "./surface.ts";

const PerMinute = (description: string) => Type.Integer({ minimum: 1, maximum: CALLS_PER_MINUTE_MAX, description });

const MerchantLimits = Type.Object(
  {
    merchantId: Type.String(),
    partnerId: Type.Integer(),
    compatRequestsPerMinute: PerMinute("The limit in force: the partner may have chosen a lower one than is permitted."),
    compatRequestsPerMinuteMax: PerMinute("The highest limit that is permitted."),
  },
  { title: "MerchantLimits" },
);

const limitMerchant = admin.endpoint({
  name: "limitMerchant",
  refusesUnknown: "limits",
  method: "PATCH",
  path: "/admin/api/merchants/{merchantId}",
  summary: "Update the call limits of a merchant",
  description: `Sets how many calls a merchant may make with its secret key in any minute, at all nodes together; the default is ${CALLS_PER_MINUTE_DEFAULT}. Its partner may choose a lower limit (\`PATCH /partner/api/v1/merchants/{merchantId}\`), but not a higher one. The limit applies from the merchant's next call on.`,
  auth: "admin",
  role: "operator",
  machine: "operation",
  params: Type.Object({ merchantId: Type.String({ parameterName: "AdminMerchantId" }) }),
  elsewhere: { active: "PATCH /partner/api/v1/merchants/{merchantId} with its partner's key" },
  body: Type.Object({ compatRequestsPerMinute: PerMinute("The limit that is permitted from now on.") }),
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
  description: "Includes deactivated merchants. Does not include keys and service settings.",
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

const listMerchants = admin.endpoint({
  name: "listAllMerchants",
  method: "GET",
  path: "/admin/api/merchants",
  summary: "List merchants of all partners",
  description:
    "Lists the merchants that match all filters, by id, also deactivated ones. Does not include keys and service settings. A page may have fewer items than `limit` and still have a `next`.",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    q: Type.Optional(Type.String({ maxLength: 64, description: "A part of the id or of the name, in capitals or not." })),
    partnerId: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
    environment: Type.Optional(Environment),
    state: Type.Optional(ActiveState),
    cursor: Type.Optional(Type.String({ maxLength: 64, pattern: "^[A-Za-z0-9._-]*$", description: "`next` of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, parameterName: "PageSize" })),
  }),
  responses: {
    200: {
      description: "A page.",
      body: okBody(Type.Object({ items: Type.Array(AdminMerchant), next: Type.Union([Type.String(), Type.Null()]) })),
      example: { status: "ok", data: { items: [EXAMPLE], next: null } },
    },
    ...admin.errors(400, 401, 503),
  },
  handle: async (operations, { query: { cursor: after = "", limit = PAGE_DEFAULT, state, ...filter } }) => {
    const active = state === undefined ? undefined : state === "ACTIVE";
    const { items, next } = await operations.administerMerchants.search({ ...filter, active }, { after, limit });
    return { status: 200, body: { status: "ok", data: { items: items.map((record) => shown(record, operations)), next } } };
  },
});

const showMerchant = admin.endpoint({
  name: "showMerchant",
  method: "GET",
  path: "/admin/api/merchants/{merchantId}",
  summary: "Get a merchant as an administrator",
  description: "Does not include keys and service settings.",
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
export const merchantEndpoints = [listMerchants, listMerchantsOfPartner, showMerchant, limitMerchant];
