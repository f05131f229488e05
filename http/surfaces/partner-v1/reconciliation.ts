import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { RECONCILED_DAY_EXAMPLE, ReconciledDaySchema, reconciledDayJson } from "../parts/reconciliation-json.ts";
import { DAY, isCalendarDay } from "../parts/time.ts";
import { PARTNER_API_BASE, PARTNER_API_RATE, partnerV1, permitted } from "./surface.ts";

/** A day of a merchant may have two thousand lines. */
const PAGE_DEFAULT = 20;
const PAGE_MAX = 50;

export const partnerReconciliation = partnerV1.endpoint({
  name: "partnerApiReconciliation",
  method: "GET",
  path: `${PARTNER_API_BASE}/reconciliation/{day}`,
  summary: "Get a closed day of all merchants",
  description:
    "The day of each of the partner's merchants that had anything on it, as it was closed at 03:00 local on the day after next, and what has changed since. Sorted by merchant id; every page except the last has `next`: pass it as `after` to get the next page. A day that is not closed yet has no merchants.",
  auth: "partnerApi",
  rateLimit: PARTNER_API_RATE,
  params: Type.Object({
    day: Type.String({ ...DAY, parameterName: "ReconciliationDayParam", description: "YYYY-MM-DD, of the installation's time zone." }),
  }),
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 64, pattern: "^[A-Za-z0-9._-]*$", description: "`next` of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
  }),
  responses: {
    200: {
      description: "A page.",
      body: Type.Object({
        success: Type.Literal(true),
        merchants: Type.Array(
          Type.Object({ merchantId: Type.String(), reconciliation: ReconciledDaySchema }, { title: "MerchantReconciliationDay" }),
        ),
        next: Type.Union([Type.String(), Type.Null()], { description: "Null on the last page." }),
      }),
      example: { success: true, merchants: [{ merchantId: "SHOP-001", reconciliation: RECONCILED_DAY_EXAMPLE }], next: null },
    },
    ...partnerV1.errors(400, 401, 403, 500, 503),
  },
  handle: async ({ reconciliation }, { caller, params: { day }, query: { after = "", limit = PAGE_DEFAULT } }) => {
    const { partnerId } = permitted(caller, "look");
    if (!isCalendarDay(day)) throw new RelayError("invalid_request", `day: ${DAY.errorMessage}`);
    const { items, next } = await reconciliation.ofPartner(partnerId, day, { limit, after: after === "" ? null : after });
    const merchants = items.map((one) => ({ merchantId: one.closed.merchantId, reconciliation: reconciledDayJson(one) }));
    return { status: 200, body: { success: true, merchants, next } };
  },
});
