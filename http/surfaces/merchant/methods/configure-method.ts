import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { AnyConfiguration, CONFIG_BODY_BYTES_MAX, CONFIGURATION_EXAMPLE } from "../../parts/service-configuration.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "../surface.ts";
import { MethodParams, methodAnswered, methodRefused, methodReply } from "./method-json.ts";
import { methods } from "./surface.ts";

const NOT_CONFIGURED = "never";
const SEEN_REFUSED = `must be an \`updatedAt\`, or ${NOT_CONFIGURED}`;

export const configurePaymentMethod = methods.endpoint({
  name: "merchantConfigurePaymentMethod",
  method: "PUT",
  path: `${MERCHANT_BASE}/payment-methods/{service}`,
  summary: "Update a payment method",
  description: "Replaces the whole configuration. Secrets are stored encrypted and never returned.",
  auth: "merchantUserOrKey",
  may: "configure",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  idempotency: "plain",
  bodyBytesMax: CONFIG_BODY_BYTES_MAX,
  bodyTexts: "as sent",
  params: MethodParams,
  query: Type.Object({
    seen: Type.Optional(
      Type.String({
        maxLength: 32,
        pattern: String.raw`^(?:${NOT_CONFIGURED}|\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?Z)$`,
        errorMessage: SEEN_REFUSED,
        description: `\`updatedAt\` of the configuration that was looked at, or \`${NOT_CONFIGURED}\` where there was none: 409 (\`conflict\`) where it was configured since. Not compared if absent.`,
      }),
    ),
  }),
  body: AnyConfiguration,
  bodyExample: CONFIGURATION_EXAMPLE,
  audit: { action: "payment-method.configure" },
  responses: {
    200: methodAnswered,
    ...methods.errors(400, 401, 413, 415, 429, 503),
    ...methodRefused,
    409: {
      description: "It was configured since `seen`, or the Idempotency-Key was used for another request (conflict).",
      body: methods.envelope.schema,
    },
  },
  handle: async ({ ownMerchant }, { caller, params, query, body }) =>
    methodReply(await ownMerchant.configure(merchantOf(caller), params.service, body, seenOf(query.seen))),
});

function seenOf(text: string | undefined): { updatedAtMs: number | null } | undefined {
  if (text === undefined) return undefined;
  if (text === NOT_CONFIGURED) return { updatedAtMs: null };
  const updatedAtMs = Date.parse(text);
  if (Number.isNaN(updatedAtMs)) throw new RelayError("invalid_request", `seen: ${SEEN_REFUSED}`);
  return { updatedAtMs };
}
