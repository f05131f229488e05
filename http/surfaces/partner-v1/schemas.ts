import { type Static, Type } from "@sinclair/typebox";
import { type PartnerApiGrant, SERVICE_CODES, type ServiceCode } from "../../../engine/access/partner-grant.ts";
import { ONE_LINE } from "../../../engine/kernel/well-formed.ts";
import {
  callsPerMinute,
  MERCHANT_ID_PATTERN,
  MERCHANT_NAME_LENGTH_MAX,
  type MerchantRecord,
  permittedCallsPerMinute,
  serviceOf,
} from "../../../engine/partners/merchant.ts";
import type { MerchantKeys } from "../../../engine/partners/merchant-keys.ts";
import { described } from "../../endpoint/described.ts";
import { iso } from "../../endpoint/time.ts";
import { MadeItems } from "../parts/made-by-key.ts";
import { ActiveState, Environment, KeysReason, ServiceWord } from "../parts/schemas.ts";

const instant = (description: string) => Type.String({ description: `ISO 8601 UTC; ${description}` });

/** A merchant's display name in a request. */
export const MerchantName = Type.String({
  ...ONE_LINE,
  minLength: 1,
  maxLength: MERCHANT_NAME_LENGTH_MAX,
  errorMessage: `must be a string of 1 to ${MERCHANT_NAME_LENGTH_MAX} printable characters`,
});

export const MerchantId = Type.String({
  pattern: MERCHANT_ID_PATTERN,
  errorMessage: "must be 1 to 64 letters, digits, dots, underscores or dashes",
  description: "Unique in the whole installation, also among deactivated merchants.",
});

export { Environment, ServiceWord };

/** A path that names a merchant. */
export const MerchantParams = Type.Object({ merchantId: Type.String({ parameterName: "MerchantId", description: "The merchant." }) });

/** A path with a service of a merchant; an unknown service is 404, not 400. */
export const MerchantServiceParams = Type.Object({
  id: Type.String({ parameterName: "MerchantOfService", description: "The merchant." }),
  service: Type.String({ parameterName: "ServiceOfMerchant", description: `One of ${SERVICE_CODES.join(", ")}.` }),
});

const summaryMembers = {
  merchantId: Type.String(),
  merchantName: Type.String(),
  environment: Environment,
  status: described(ActiveState, "INACTIVE: deactivated. Its keys are not accepted, and it does not count towards `maxMerchants`."),
  compatRequestsPerMinute: Type.Integer({ description: "Calls of the compatible API with its secret key in any minute." }),
  compatRequestsPerMinuteMax: Type.Integer({ description: "What an administrator permits of them." }),
  createdAt: instant("when it was created."),
  updatedAt: instant("when it last changed."),
};

export const MerchantSummary = Type.Object(summaryMembers, { title: "MerchantSummary" });

export const MerchantServiceState = Type.Object(
  {
    service: ServiceWord,
    enabled: Type.Boolean(),
    configured: Type.Boolean(),
    configuredAt: Type.Union([Type.String(), Type.Null()], { description: "ISO 8601 UTC; null until it is configured." }),
    config: Type.Union([Type.Record(Type.String(), Type.String()), Type.Null()], {
      description:
        "`mode` and the service's members. Secrets are shown as a mask, long ones with their last four characters. Null until it is configured.",
    }),
  },
  { title: "MerchantService" },
);

export const Merchant = Type.Object(
  {
    ...summaryMembers,
    services: Type.Array(MerchantServiceState, { description: "The partner's services, and for each its state at this merchant." }),
  },
  { title: "Merchant" },
);

export const MerchantAnswer = Type.Object({ success: Type.Literal(true), merchant: Merchant }, { title: "MerchantResponse" });

export const Keys = Type.Object(
  {
    publishableKey: Type.String({ description: "`pk_merchant_...`" }),
    secretKey: Type.String({ description: "`sk_merchant_...`" }),
  },
  { title: "MerchantKeys", description: "Shown in this response only: the relay stores digests of them." },
);

export const MerchantWithKeys = Type.Object(
  {
    success: Type.Literal(true),
    merchant: Merchant,
    keys: Keys,
    message: Type.String(),
  },
  { title: "MerchantWithKeys" },
);

export const MerchantWithReplacedKeys = Type.Object(
  { ...MerchantWithKeys.properties, keysEnvironment: described(Environment, "Whose keys these are."), made: MadeItems },
  { title: "MerchantWithReplacedKeys" },
);

export const MerchantWithPendingKeys = Type.Object(
  {
    ...MerchantWithReplacedKeys.properties,
    keysApplyAt: instant("when the new keys replace the previous ones at the latest."),
  },
  { title: "MerchantWithPendingKeys" },
);

/** Body of `POST /merchants/{merchantId}/keys`. */
export const KeysRequest = Type.Object(
  {
    reason: Type.Optional(
      described(
        KeysReason,
        "`leaked`: somebody else knows the previous keys, so what the secret key made ends with it (agents' credentials, webhook endpoints). `routine`, the default: what it made goes on.",
      ),
    ),
    environment: Type.Optional(described(Environment, "Whose keys are made. Default: the environment that the merchant is in.")),
  },
  { title: "KeysRequest" },
);

export const ServiceAnswer = Type.Object(
  { success: Type.Literal(true), merchantId: Type.String(), service: MerchantServiceState },
  { title: "MerchantServiceResponse" },
);

export const MERCHANT_EXAMPLE = {
  merchantId: "SHOP-001",
  merchantName: "Bar Centrale",
  environment: "TEST",
  status: "ACTIVE",
  compatRequestsPerMinute: 100,
  compatRequestsPerMinuteMax: 100,
  createdAt: "2026-03-01T09:30:00.000Z",
  updatedAt: "2026-03-01T09:30:00.000Z",
};

export const SERVICE_EXAMPLE = {
  service: "PAYPAL",
  enabled: true,
  configured: true,
  configuredAt: "2026-03-01T09:31:00.000Z",
  config: { mode: "sandbox", clientId: "AeA1QIZXiflr1", clientSecret: "********9f2c" },
};

export function summaryOf(merchant: MerchantRecord): Static<typeof MerchantSummary> {
  const { merchantId, merchantName, environment, active, createdAtMs, updatedAtMs } = merchant;
  return {
    merchantId,
    merchantName,
    environment,
    status: active ? "ACTIVE" : "INACTIVE",
    compatRequestsPerMinute: callsPerMinute(merchant),
    compatRequestsPerMinuteMax: permittedCallsPerMinute(merchant),
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
  };
}

export function serviceStateOf(merchant: MerchantRecord, service: ServiceCode): Static<typeof MerchantServiceState> {
  const { enabled, configuration } = serviceOf(merchant, service);
  return {
    service,
    enabled,
    configured: configuration !== null,
    configuredAt: configuration === null ? null : iso(configuration.updatedAtMs),
    config: configuration === null ? null : { mode: configuration.mode, ...configuration.members },
  };
}

export function merchantOf(merchant: MerchantRecord, partner: PartnerApiGrant): Static<typeof Merchant> {
  return { ...summaryOf(merchant), services: partner.allowedServices.map((service) => serviceStateOf(merchant, service)) };
}

export function keysOf({ publishable, secret }: MerchantKeys): Static<typeof Keys> {
  return { publishableKey: publishable, secretKey: secret };
}
