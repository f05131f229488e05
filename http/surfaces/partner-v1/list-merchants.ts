import { Type } from "@sinclair/typebox";
import { MERCHANT_EXAMPLE, MerchantSummary, summaryOf } from "./schemas.ts";
import { PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";

const PAGE_DEFAULT = 50;
const PAGE_MAX = 200;

export const listMerchants = partnerV1.endpoint({
  name: "partnerApiListMerchants",
  method: "GET",
  path: `${PARTNER_API_BASE}/merchants`,
  summary: "List merchants",
  description: "Sorted by id. Every page except the last has `next`: pass it as `after` to get the next page.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 64, pattern: "^[A-Za-z0-9._-]*$", description: "`next` of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
    status: Type.Optional(
      Type.Union([Type.Literal("ACTIVE"), Type.Literal("INACTIVE"), Type.Literal("ALL")], {
        default: "ACTIVE",
        description: "INACTIVE: only deactivated merchants.",
      }),
    ),
  }),
  responses: {
    200: {
      description: "A page.",
      body: Type.Object({
        success: Type.Literal(true),
        merchants: Type.Array(MerchantSummary),
        total: Type.Integer({ description: "The number of merchants with this status, on all pages." }),
        next: Type.Union([Type.String(), Type.Null()], { description: "Null on the last page." }),
      }),
      example: { success: true, merchants: [MERCHANT_EXAMPLE], total: 1, next: null },
    },
    ...partnerV1.errors(400, 401, 403, 500, 503),
  },
  handle: async ({ merchants }, { caller, query: { after = "", limit = PAGE_DEFAULT, status = "ACTIVE" } }) => {
    const partner = permitted(caller, "look");
    const page = await merchants.list(partner, { after, limit, status: status === "ALL" ? null : status });
    return { status: 200, body: { success: true, merchants: page.merchants.map(summaryOf), total: page.total, next: page.next } };
  },
});
