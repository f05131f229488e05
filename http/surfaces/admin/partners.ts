import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/domain/errors.ts";
import { KEY_GRACE_SECONDS_MAX, PARTNERS_MAX, type PartnerRecord } from "../../../engine/domain/partner.ts";
import { RULE_VALUE_LENGTH_MAX } from "../../../engine/domain/terminal-rule.ts";
import type { PartnerChange } from "../../../engine/operations/administer-partners.ts";
import { SPREAD_DEADLINE_MS } from "../../../engine/runtime/spread.ts";
import { GwApiKey, GwSecretKey, GwTml } from "../gateway-credentials.ts";
import { okBody } from "../relay-envelope.ts";
import { generatePartnerApiKeys, PartnerApiKeysShown, PartnerApiSettingsBody, PartnerApiShown, shownPartnerApi } from "./partner-api.ts";
import { admin } from "./surface.ts";

const PartnerParams = Type.Object({ id: Type.Integer({ minimum: 1, description: "int64" }) });

const Username = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: "^[A-Za-z0-9._@+-]+$",
  errorMessage: "must be 1 to 64 letters, digits, dots, underscores, dashes, plus or at signs",
  description: "Unique, whatever its case.",
});

const Origins = Type.Record(Type.String(), Type.String(), {
  description:
    'Where browsers may use the API key from: origins under names of your own, `{"shop": "https://shop.example"}`. Empty: anywhere.',
});

const Rule = Type.Object(
  {
    ruleType: Type.Union([Type.Literal("ANY"), Type.Literal("LIST"), Type.Literal("REGEX")]),
    ruleValue: Type.Optional(
      Type.String({
        maxLength: RULE_VALUE_LENGTH_MAX,
        description: "Comma-separated ids for LIST, an RE2 pattern of the whole id for REGEX.",
      }),
    ),
  },
  {
    additionalProperties: false,
    description:
      "Which terminals it may use. ANY lets it send to all, and see what it sent; LIST and REGEX let it see everything of the terminals that they name.",
  },
);

const AdapterMerId = Type.String({
  minLength: 1,
  maxLength: 16,
  pattern: "^[A-Za-z0-9._-]+$",
  description: "`merId` at the gateway-protocol adapter, unique; null takes the login away.",
});
const AdapterSecret = Type.String({ minLength: 16, maxLength: 512, description: "HMAC key at the adapter. Kept sealed, never answered." });

/** Specification, "Partner record", with the relay's own members. */
const Partner = Type.Object(
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
    previousKeyUntil: Type.Optional(
      Type.String({ description: "Until when the API key before works beside the present one; ISO 8601 UTC." }),
    ),
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
};

const NewPartner = Type.Object(
  { username: Username, gwTml: GwTml, gwApiKey: GwApiKey, gwSecretKey: GwSecretKey, ...optional },
  { additionalProperties: false },
);

/** What the relay answers and takes back unread, so that a record that was read can be sent back changed. */
const READ_ONLY = ["id", "previousKeyUntil", "createdAt", "updatedAt"] as const;
const readOnly = Object.fromEntries(READ_ONLY.map((name) => [name, Type.Optional(Type.Unknown({ description: "Ignored." }))]));

const ChangedPartner = Type.Object(
  {
    username: Type.Optional(Username),
    password: Type.Optional(Type.String({ minLength: 12, maxLength: 256, description: "Write-only." })),
    gwTml: Type.Optional(GwTml),
    gwApiKey: Type.Optional(GwApiKey),
    gwSecretKey: Type.Optional(GwSecretKey),
    ...optional,
    ...readOnly,
  },
  { additionalProperties: false },
);

function shown(record: PartnerRecord): Static<typeof Partner> {
  const { id, username, gateway, enabled, allowedOrigins, terminals, adapter, partnerApi, previousKey, createdAtMs, updatedAtMs } = record;
  const { ruleType, ruleValue } = terminals;
  return {
    id,
    username,
    gwTml: gateway.terminalId,
    gwApiKey: gateway.merchantId,
    enabled,
    allowedOrigins,
    terminalRule: { ruleType, ...(ruleValue === undefined ? {} : { ruleValue }) },
    adapterMerId: adapter?.merchantId ?? null,
    partnerApi: shownPartnerApi(partnerApi),
    ...(previousKey === null ? {} : { previousKeyUntil: new Date(previousKey.untilMs).toISOString() }),
    createdAt: new Date(createdAtMs).toISOString(),
    updatedAt: new Date(updatedAtMs).toISOString(),
  };
}

function changeOf(body: Static<typeof ChangedPartner>): PartnerChange {
  const { username, password, enabled, allowedOrigins, terminalRule, adapterMerId, adapterSecret } = body;
  const { gwTml: terminalId, gwApiKey: merchantId, gwSecretKey: secret } = body;
  return {
    username,
    password,
    enabled,
    allowedOrigins,
    terminals: terminalRule,
    gateway: { terminalId, merchantId, secret },
    adapter: adapterOf(adapterMerId, adapterSecret),
  };
}

function adapterOf(merchantId: string | null | undefined, secret: string | undefined): PartnerChange["adapter"] {
  if (merchantId === undefined && secret === undefined) return undefined;
  if (merchantId !== null) return { merchantId, secret };
  if (secret !== undefined) throw new RelayError("invalid_request", "adapterSecret: has to be left out where adapterMerId is null");
  return null;
}

function notFound(): RelayError {
  return new RelayError("not_found", "Partner not found");
}

const ofOne = { auth: "admin", params: PartnerParams, deadlineMs: SPREAD_DEADLINE_MS } as const;
const NO_STORE = { "Cache-Control": "no-store" } as const;
const noStore = { "Cache-Control": { description: "no-store" } };
const example = {
  id: 7,
  username: "acme",
  gwTml: "GW000001",
  gwApiKey: "ACMEMER1",
  enabled: true,
  allowedOrigins: { shop: "https://shop.example" },
  terminalRule: { ruleType: "LIST", ruleValue: "TILL0001,TILL0002" },
  adapterMerId: null,
  partnerApi: null,
  createdAt: "2025-11-21T04:40:00.000Z",
  updatedAt: "2025-11-21T04:40:00.000Z",
};

export const listPartners = admin.endpoint({
  name: "listPartners",
  method: "GET",
  path: "/admin/api/partners",
  summary: "Partners, by id",
  auth: "admin",
  query: Type.Object({
    after: Type.Optional(Type.Integer({ minimum: 0, description: "The last id of the page before." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PARTNERS_MAX, description: "All of them where it is absent." })),
  }),
  responses: {
    200: { description: "Without any secret.", body: okBody(Type.Array(Partner)), example: { status: "ok", data: [example] } },
    ...admin.errors(400, 401),
  },
  handle: ({ partners }, { query: { after = 0, limit = PARTNERS_MAX } }) => {
    const page = partners.list().filter(({ record }) => record.id > after);
    return { status: 200 as const, body: { status: "ok" as const, data: page.slice(0, limit).map(({ record }) => shown(record)) } };
  },
});

export const createPartner = admin.endpoint({
  name: "createPartner",
  method: "POST",
  path: "/admin/api/partners",
  summary: "Creates a partner",
  description: "The password and the API key are generated and shown in this answer only. In force on every node when it answers.",
  auth: "admin",
  deadlineMs: SPREAD_DEADLINE_MS,
  body: NewPartner,
  bodyExample: { username: "acme", gwTml: "GW000001", gwApiKey: "ACMEMER1", gwSecretKey: "..." },
  audit: { action: "partner.create", subject: ({ body }) => body.username },
  responses: {
    201: {
      description: "Created.",
      body: Type.Object({
        status: Type.Literal("ok"),
        data: Type.Object({
          id: Type.Integer(),
          username: Type.String(),
          apiKey: Type.String(),
          gwTml: Type.String(),
          enabled: Type.Boolean(),
        }),
        generatedPassword: Type.String(),
        partnerApiKeys: Type.Optional(PartnerApiKeysShown),
        message: Type.String(),
      }),
      headers: noStore,
      example: {
        status: "ok",
        data: { id: 7, username: "acme", apiKey: "pk_live_...", gwTml: "GW000001", enabled: true },
        generatedPassword: "...",
        message: "Partner created. The password and the API key are not shown again.",
      },
    },
    ...admin.errors(400, 401, 413, 415, 503),
  },
  handle: async ({ administerPartners, administerPartnerApi }, { body }) => {
    const { username, gwTml, gwApiKey, gwSecretKey } = body;
    const gateway = { terminalId: gwTml, merchantId: gwApiKey, secret: gwSecretKey };
    const partnerApi = body.partnerApi === undefined ? null : administerPartnerApi.edit(body.partnerApi);
    const draft = { ...changeOf(body), username, gateway, partnerApi: partnerApi?.edit };
    const { partner, password, apiKey } = await administerPartners.create(draft);
    const partnerApiKeys = partnerApi?.keys() ?? null;
    return {
      status: 201,
      body: {
        status: "ok",
        data: { id: partner.id, username, apiKey, gwTml: partner.gateway.terminalId, enabled: partner.enabled },
        generatedPassword: password,
        ...(partnerApiKeys === null ? {} : { partnerApiKeys }),
        message: "Partner created. The password and the API key are not shown again.",
      },
      headers: NO_STORE,
    };
  },
});

export const showPartner = admin.endpoint({
  name: "showPartner",
  method: "GET",
  path: "/admin/api/partners/{id}",
  summary: "One partner",
  auth: "admin",
  params: PartnerParams,
  responses: {
    200: { description: "Without any secret.", body: okBody(Partner), example: { status: "ok", data: example } },
    ...admin.errors(400, 401, 404),
  },
  handle: ({ partners }, { params }) => {
    const partner = partners.byId(params.id);
    if (partner === null) throw notFound();
    return { status: 200 as const, body: { status: "ok" as const, data: shown(partner.record) } };
  },
});

export const changePartner = admin.endpoint({
  ...ofOne,
  name: "changePartner",
  method: "PUT",
  path: "/admin/api/partners/{id}",
  summary: "Changes a partner",
  description:
    "Absent members stay as they are, secrets among them. A record that was read may be sent back: its read-only members are ignored.",
  body: ChangedPartner,
  bodyExample: { gwTml: "GW000002", terminalRule: { ruleType: "LIST", ruleValue: "TILL0001,TILL0002" } },
  audit: { action: "partner.change" },
  responses: {
    200: {
      description: "In force on every node. `partnerApiKeys` where this was the first grant of access to Partner API v1.",
      body: Type.Object({ status: Type.Literal("ok"), data: Partner, partnerApiKeys: Type.Optional(PartnerApiKeysShown) }),
      headers: noStore,
    },
    ...admin.errors(400, 401, 404, 413, 415, 503),
  },
  handle: async ({ administerPartners, administerPartnerApi }, { params, body }) => {
    const partnerApi = body.partnerApi === undefined ? null : administerPartnerApi.edit(body.partnerApi);
    const partner = await administerPartners.change(params.id, { ...changeOf(body), partnerApi: partnerApi?.edit });
    const partnerApiKeys = partnerApi?.keys() ?? null;
    const more = partnerApiKeys === null ? {} : { partnerApiKeys };
    return { status: 200, body: { status: "ok", data: shown(partner), ...more }, headers: NO_STORE };
  },
});

export const deletePartner = admin.endpoint({
  ...ofOne,
  name: "deletePartner",
  method: "DELETE",
  path: "/admin/api/partners/{id}",
  summary: "Deletes a partner",
  description: "Its password and key stop working before this answers. Payments that it began are still followed to their end.",
  audit: { action: "partner.delete" },
  responses: {
    200: { description: "Gone.", body: okBody(Type.Object({ id: Type.Integer(), message: Type.String() })) },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ administerPartners }, { params: { id } }) => {
    await administerPartners.remove(id);
    return { status: 200, body: { status: "ok", data: { id, message: "Partner deleted" } } };
  },
});

export const resetPartnerPassword = admin.endpoint({
  ...ofOne,
  name: "resetPartnerPassword",
  method: "POST",
  path: "/admin/api/partners/{id}/reset-password",
  summary: "Generates a new password",
  description: "Shown in this answer only; the one before stops working before it answers.",
  body: Type.Optional(Type.Object({}, { additionalProperties: false })),
  audit: { action: "partner.reset-password" },
  responses: {
    200: {
      description: "The password.",
      body: okBody(Type.Object({ id: Type.Integer(), username: Type.String(), generatedPassword: Type.String(), message: Type.String() })),
      headers: noStore,
    },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ administerPartners }, { params: { id } }) => {
    const { partner, password } = await administerPartners.resetPassword(id);
    const data = { id, username: partner.username, generatedPassword: password, message: "The password is not shown again." };
    return { status: 200, body: { status: "ok", data }, headers: NO_STORE };
  },
});

export const generatePartnerApiKey = admin.endpoint({
  ...ofOne,
  name: "generatePartnerApiKey",
  method: "POST",
  path: "/admin/api/partners/{id}/generate-api-key",
  summary: "Generates a new API key",
  description: "Shown in this answer only. The key before stops working before it answers, unless `graceSeconds` lets it work for a while.",
  body: Type.Optional(
    Type.Object(
      { graceSeconds: Type.Optional(Type.Integer({ minimum: 0, maximum: KEY_GRACE_SECONDS_MAX, default: 0 })) },
      { additionalProperties: false },
    ),
  ),
  bodyExample: { graceSeconds: 3_600 },
  audit: { action: "partner.generate-api-key" },
  responses: {
    200: {
      description: "The key.",
      body: Type.Object({ status: Type.Literal("ok"), apiKey: Type.String(), message: Type.String() }),
      headers: noStore,
      example: { status: "ok", apiKey: "pk_live_...", message: "The key is not shown again." },
    },
    ...admin.errors(400, 401, 503),
  },
  handle: async ({ administerPartners }, { params, body }) => {
    const graceSeconds = body?.graceSeconds ?? 0;
    try {
      const { apiKey } = await administerPartners.regenerateKey(params.id, graceSeconds);
      return { status: 200, body: { status: "ok", apiKey, message: "The key is not shown again." }, headers: NO_STORE };
    } catch (error) {
      // The specification documents 400 for this one.
      if (error instanceof RelayError && error.code === "not_found") throw new RelayError("invalid_request", error.message);
      throw error;
    }
  },
});

export const togglePartner = admin.endpoint({
  ...ofOne,
  name: "togglePartner",
  method: "PATCH",
  path: "/admin/api/partners/{id}/toggle",
  summary: "Enables a disabled partner, disables an enabled one",
  body: Type.Optional(Type.Object({}, { additionalProperties: false })),
  audit: { action: "partner.toggle" },
  responses: {
    200: { description: "In force on every node.", body: okBody(Partner) },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ administerPartners }, { params }) => {
    const partner = await administerPartners.toggle(params.id);
    return { status: 200, body: { status: "ok", data: shown(partner) } };
  },
});

/** Specification, "Administration endpoints": the eight of partners, and keys for Partner API v1. */
export const partnerEndpoints = [
  listPartners,
  createPartner,
  showPartner,
  changePartner,
  deletePartner,
  resetPartnerPassword,
  generatePartnerApiKey,
  generatePartnerApiKeys,
  togglePartner,
];
