import { Type } from "@sinclair/typebox";
import {
  CALLS_PER_MINUTE_DEFAULT,
  CALLS_PER_MINUTE_MAX,
  callsPerMinute,
  permittedCallsPerMinute,
} from "../../../engine/partners/merchant.ts";
import { okBody } from "../relay-envelope.ts";
import { admin } from "./surface.ts";

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

export const limitMerchant = admin.endpoint({
  name: "limitMerchant",
  method: "PATCH",
  path: "/admin/api/merchants/{merchantId}",
  summary: "Limit a merchant's calls of the compatible API",
  description: `How many calls with its secret key a merchant may make in any minute, at all nodes together; ${CALLS_PER_MINUTE_DEFAULT} where nothing was set. Its partner may choose fewer (\`PATCH /partner/api/v1/merchants/{merchantId}\`), and not more. It holds from the merchant's next call on.`,
  auth: "admin",
  role: "operator",
  params: Type.Object({ merchantId: Type.String() }),
  body: Type.Object({ compatRequestsPerMinute: PerMinute("What is permitted from now on.") }, { additionalProperties: false }),
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
