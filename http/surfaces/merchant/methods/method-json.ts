import { Type } from "@sinclair/typebox";
import { SERVICE_CODES, type ServiceCode } from "../../../../engine/access/partner-grant.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { type MerchantRecord, serviceOf } from "../../../../engine/partners/merchant.ts";
import { SERVICE_DESCRIPTIONS } from "../../../../engine/partners/merchant-service.ts";
import type { ServiceOutcome } from "../../../../engine/partners/merchant-services.ts";
import { iso } from "../../../endpoint/time.ts";
import { membersShown } from "../../parts/service-configuration.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { PaymentMethod, type PaymentMethodJson } from "./schemas.ts";
import { methods } from "./surface.ts";

/** The schema accepts any service, so that an unknown one is 404 and not 400. */
export const MethodParams = Type.Object({
  service: Type.String({ maxLength: 64, parameterName: "PortalService", description: `One of ${SERVICE_CODES.join(", ")}.` }),
});

export function methodOf(merchant: MerchantRecord, service: ServiceCode): PaymentMethodJson {
  const { enabled, configuration } = serviceOf(merchant, service);
  return {
    service,
    description: SERVICE_DESCRIPTIONS[service],
    enabled,
    configured: configuration !== null,
    mode: configuration?.mode ?? null,
    members: membersShown(service),
    values: { ...configuration?.members },
    updatedAt: configuration === null ? null : iso(configuration.updatedAtMs),
  };
}

export const METHOD_EXAMPLE: PaymentMethodJson = {
  service: "PAYPAL",
  description: SERVICE_DESCRIPTIONS.PAYPAL,
  enabled: true,
  configured: true,
  mode: "sandbox",
  members: [
    { name: "clientId", secret: false, maxLength: 256 },
    { name: "clientSecret", secret: true, maxLength: 256 },
  ],
  values: { clientId: "AeA1QIZXiflr1", clientSecret: "********9f2c" },
  updatedAt: "2026-03-01T09:31:00.000Z",
};

export const methodAnswered = {
  description: "The method as it is after the call.",
  body: okOf(PaymentMethod),
  example: { status: "ok", data: METHOD_EXAMPLE },
};

export const methodRefused = {
  403: {
    description:
      "The merchant's partner does not permit the service (service_not_permitted), or the role or session does not permit the call.",
    body: methods.envelope.schema,
  },
  404: { description: "There is no such service.", body: methods.envelope.schema },
};

/**
 * Returns the response to a change of a method. Throws RelayError if the merchant was deactivated
 * meanwhile.
 */
export function methodReply(outcome: ServiceOutcome) {
  switch (outcome.type) {
    case "not_permitted":
      return refusal(403, "service_not_permitted", "Your partner does not permit this service");
    case "inactive":
      throw new RelayError("conflict", "The merchant is deactivated");
    case "changed":
      return { status: 200 as const, body: ok(methodOf(outcome.merchant, outcome.service)) };
  }
}
