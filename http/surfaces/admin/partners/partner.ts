import { type Static, Type } from "@sinclair/typebox";
import { RULE_VALUE_LENGTH_MAX, type TerminalRule } from "../../../../engine/access/terminal-rule.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { WHOLE_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import type { PartnerChange } from "../../../../engine/partners/administer-partners.ts";
import { PARTNER_RATE_MAX, type PartnerRecord } from "../../../../engine/partners/partner.ts";
import { iso } from "../../../endpoint/time.ts";
import { ReadOnly } from "../../../endpoint/unknown-members.ts";
import { AllowedOrigins } from "../../parts/allowed-origins.ts";
import { GwApiKey, GwSecretKey, GwTml } from "../../parts/gateway-credentials.ts";
import { RuleType } from "../../parts/schemas.ts";
import { PartnerApiSettingsBody, PartnerApiShown, shownPartnerApi } from "../partner-api.ts";

export const PartnerParams = Type.Object({
  id: Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    format: "int64",
    parameterName: "PartnerId",
    description: "The partner's id.",
  }),
});

const Username = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^[A-Za-z0-9._@+-]+$",
  errorMessage: "must be 1 to 64 letters, digits, dots, underscores, dashes, plus or at signs",
  description: "Unique, regardless of case.",
});

const Password = Type.String({ ...WHOLE_CHARACTERS, minLength: 12, maxLength: 256, description: "Write-only.", writeOnly: true });

const Origins: typeof AllowedOrigins = {
  ...AllowedOrigins,
  description:
    'Where browsers may use the API key from: origins under names of your own, `{"shop": "https://shop.example"}`. Empty: anywhere.',
};

export const Rule = Type.Object(
  {
    ruleType: RuleType,
    ruleValue: Type.Optional(
      Type.String({
        ...WHOLE_CHARACTERS,
        maxLength: RULE_VALUE_LENGTH_MAX,
        description: "For LIST, comma-separated ids. For REGEX, an RE2 pattern that has to match the whole id.",
      }),
    ),
  },
  {
    title: "TerminalRule",
    additionalProperties: false,
    description:
      "Which terminals the partner may use. With ANY it may send to all terminals, and sees only its own commands. With LIST and REGEX it may use only the terminals named, and sees everything about them. A LIST with an empty `ruleValue` names none.",
  },
);

const AdapterMerId = Type.String({
  minLength: 1,
  maxLength: 16,
  pattern: "^[A-Za-z0-9._-]+$",
  description: "`merId` at the gateway-protocol adapter, unique. Null removes the login.",
});
const AdapterSecret = Type.String({
  minLength: 16,
  maxLength: 512,
  description: "HMAC key at the adapter. Stored encrypted, never returned.",
});

const raised = (of: string) =>
  Type.Optional(
    Type.Integer({ minimum: 1, maximum: PARTNER_RATE_MAX, description: `Requests a second of ${of} beyond those of each address.` }),
  );

const Rates = Type.Object(
  { pay: raised("pay, of scan and of print, each by itself,"), get: raised("get") },
  {
    title: "PartnerRateLimits",
    additionalProperties: false,
    description:
      "What the partner may have beyond the limit that each client address has (10 pays, 100 gets a second), together on all addresses from which it calls with its key or login; `RateLimit-*` of such an answer tell of it. Left out: nothing. Each change says both; `{}` takes them away.",
  },
);

/** A partner as an administrator sees it. */
export const Partner = Type.Object(
  {
    id: Type.Integer(),
    username: Type.String(),
    gwTml: Type.String(),
    gwApiKey: Type.String(),
    enabled: Type.Boolean(),
    allowedOrigins: Type.Record(Type.String(), Type.String()),
    terminalRule: Rule,
    adapterMerId: Type.Union([Type.String(), Type.Null()]),
    partnerApi: PartnerApiShown,
    rateLimits: Rates,
    previousKeyUntil: Type.Optional(Type.String({ description: "Until when the previous API key is still accepted; ISO 8601 UTC." })),
    createdAt: Type.String({ description: "ISO 8601 UTC." }),
    updatedAt: Type.String({ description: "ISO 8601 UTC." }),
  },
  { title: "Partner" },
);

const optional = {
  enabled: Type.Optional(Type.Boolean()),
  allowedOrigins: Type.Optional(Origins),
  terminalRule: Type.Optional(Rule),
  adapterMerId: Type.Optional(Type.Union([AdapterMerId, Type.Null()])),
  adapterSecret: Type.Optional(AdapterSecret),
  partnerApi: Type.Optional(PartnerApiSettingsBody),
  rateLimits: Type.Optional(Rates),
};

/** What the relay decides. The API key is no choice of anybody's: it is generated. */
const readOnly = { id: ReadOnly, apiKey: ReadOnly, previousKeyUntil: ReadOnly, createdAt: ReadOnly, updatedAt: ReadOnly };

export const NewPartner = Type.Object(
  {
    username: Username,
    password: Type.Optional(Password),
    gwTml: GwTml,
    gwApiKey: GwApiKey,
    gwSecretKey: GwSecretKey,
    ...optional,
    ...readOnly,
  },
  { title: "PartnerRequest" },
);

export const ChangedPartner = Type.Object(
  {
    username: Type.Optional(Username),
    password: Type.Optional(Password),
    gwTml: Type.Optional(GwTml),
    gwApiKey: Type.Optional(GwApiKey),
    gwSecretKey: Type.Optional(GwSecretKey),
    ...optional,
    ...readOnly,
  },
  { title: "PartnerChange" },
);

export function shown(record: PartnerRecord): Static<typeof Partner> {
  const { id, username, gateway, enabled, allowedOrigins, terminals, adapter, partnerApi, previousKey, createdAtMs, updatedAtMs } = record;
  const { pay, get } = record.rates ?? {};
  return {
    id,
    username,
    gwTml: gateway.terminalId,
    gwApiKey: gateway.merchantId,
    enabled,
    allowedOrigins,
    terminalRule: shownRule(terminals),
    adapterMerId: adapter?.merchantId ?? null,
    partnerApi: shownPartnerApi(partnerApi),
    rateLimits: { ...(pay === undefined ? {} : { pay }), ...(get === undefined ? {} : { get }) },
    ...(previousKey === null ? {} : { previousKeyUntil: iso(previousKey.untilMs) }),
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
  };
}

export function shownRule({ ruleType, ruleValue }: TerminalRule): Static<typeof Rule> {
  return { ruleType, ...(ruleValue === undefined ? {} : { ruleValue }) };
}

export function changeOf(body: Static<typeof ChangedPartner>): PartnerChange {
  const { username, password, enabled, allowedOrigins, terminalRule, adapterMerId, adapterSecret, rateLimits } = body;
  const { gwTml: terminalId, gwApiKey: merchantId, gwSecretKey: secret } = body;
  return {
    username,
    password,
    enabled,
    allowedOrigins,
    terminals: terminalRule,
    gateway: { terminalId, merchantId, secret },
    adapter: adapterOf(adapterMerId, adapterSecret),
    rates: rateLimits,
  };
}

function adapterOf(merchantId: string | null | undefined, secret: string | undefined): PartnerChange["adapter"] {
  if (merchantId === undefined && secret === undefined) return undefined;
  if (merchantId !== null) return { merchantId, secret };
  if (secret !== undefined) throw new RelayError("invalid_request", "adapterSecret: must be left out if adapterMerId is null");
  return null;
}

export function notFound(): RelayError {
  return new RelayError("not_found", "Partner not found");
}

export const ofOne = { auth: "admin", params: PartnerParams } as const;
export const NO_STORE = { "Cache-Control": "no-store" } as const;
export const noStore = { "Cache-Control": { description: "no-store" } };
export const example = {
  id: 7,
  username: "acme",
  gwTml: "GW000001",
  gwApiKey: "ACMEMER1",
  enabled: true,
  allowedOrigins: { shop: "https://shop.example" },
  terminalRule: { ruleType: "LIST", ruleValue: "SIM00001,SIM00002" },
  adapterMerId: null,
  partnerApi: null,
  rateLimits: { pay: 200 },
  createdAt: "2025-11-21T04:40:00.000Z",
  updatedAt: "2025-11-21T04:40:00.000Z",
};
