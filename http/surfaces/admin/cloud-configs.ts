import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { TERMINAL_FAMILIES } from "../../../engine/payments/tags.ts";
import { type CloudConfig, CONFIG_NAME_LENGTH_MAX, CONFIG_NAME_PATTERN } from "../../../engine/settings/cloud-config.ts";
import { SETTINGS_MAX } from "../../../engine/settings/configure-terminal.ts";
import { iso } from "../../endpoint/time.ts";
import { ReadOnly } from "../../endpoint/unknown-members.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { NamedTerminalId, TerminalParams } from "../parts/schemas.ts";
import { admin } from "./surface.ts";

const PAGE_MAX = 10_000;

const Value = Type.Union([Type.String({ maxLength: 1_024 }), Type.Number(), Type.Boolean(), Type.Null()]);
const Settings = Type.Record(Type.String(), Value, {
  maxProperties: SETTINGS_MAX,
  description:
    "The relay sends the settings to the terminal unchanged, when the terminal connects and when the settings change. A terminal that polls fetches them (GET /api/v1/{terminalId}/settings). The terminal app defines their meaning. Do not store secrets here. Card numbers are masked.",
});
const families = Object.keys(TERMINAL_FAMILIES);
const Family = Type.Union(
  families.map((family) => Type.Literal(family)),
  { description: "How the relay sends tags to the terminal. Overrides what the device declares." },
);
const Currency = Type.Union([Type.String({ pattern: "^[A-Za-z]{3}$" }), Type.Null()], {
  errorMessage: "must be an ISO 4217 code such as EUR",
  description:
    "ISO 4217. The only currency that the terminal accepts: the relay rejects a payment in another currency, and uses this one for a payment without a currency. If absent, the relay does not check the currency, and sends the currency of the payment to the terminal.",
});
const Name = Type.String({ minLength: 1, maxLength: CONFIG_NAME_LENGTH_MAX, pattern: CONFIG_NAME_PATTERN });

const Config = Type.Object(
  {
    terminalId: Type.String(),
    merchantId: Type.Union([Type.String(), Type.Null()], {
      description:
        "The merchant that the terminal's payments belong to from now on: it is shown on the transactions, which appear in its own list. Payment links for the terminal use the account of this merchant's partner.",
    }),
    group: Type.Union([Type.String(), Type.Null()]),
    family: Type.Union([Type.String(), Type.Null()]),
    currency: Type.Union([Type.String(), Type.Null()]),
    settings: Type.Record(Type.String(), Value),
    updatedAt: Type.String({ description: "ISO 8601 UTC." }),
  },
  { title: "CloudConfiguration" },
);

const ConfigRequest = Type.Object(
  {
    terminalId: NamedTerminalId,
    merchantId: Type.Optional(Type.Union([Name, Type.Null()])),
    group: Type.Optional(Type.Union([Name, Type.Null()])),
    family: Type.Optional(Type.Union([Family, Type.Null()])),
    currency: Type.Optional(Currency),
    settings: Type.Optional(Type.Union([Settings, Type.Null()])),
    updatedAt: ReadOnly,
  },
  { title: "CloudConfigurationRequest" },
);

function shown({ updatedAtMs, currency, settings, ...config }: CloudConfig): Static<typeof Config> {
  const { terminalId, merchantId, group, family } = config;
  const updatedAt = iso(updatedAtMs);
  return { terminalId, merchantId, group, family, currency: currency ?? null, settings: { ...settings }, updatedAt };
}

const example = {
  terminalId: "SIM00001",
  merchantId: "SHOP-001",
  group: "shops",
  family: "field-47",
  currency: "EUR",
  settings: { idleText: "Welcome", brightness: 80 },
  updatedAt: "2025-11-21T04:40:00.000Z",
};

const listCloudConfigs = admin.endpoint({
  name: "listCloudConfigs",
  method: "GET",
  path: "/admin/cloud-configs",
  summary: "List configurations of terminals",
  auth: "admin",
  role: "read-only",
  query: Type.Object({
    after: Type.Optional(Type.String({ maxLength: 64, description: "The last id of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_MAX })),
  }),
  responses: {
    200: { description: "A page.", body: okBody(Type.Array(Config)), example: { status: "ok", data: [example] } },
    ...admin.errors(400, 401),
  },
  handle: ({ cloudConfigs }, { query: { after = "", limit = PAGE_MAX } }) => {
    const configs = [...cloudConfigs.values()].filter(({ terminalId }) => terminalId > after);
    const page = configs.sort((one, other) => (one.terminalId < other.terminalId ? -1 : 1)).slice(0, limit);
    return { status: 200 as const, body: { status: "ok" as const, data: page.map(shown) } };
  },
});

const saveCloudConfig = admin.endpoint({
  name: "saveCloudConfig",
  refusesUnknown: "money",
  method: "POST",
  path: "/admin/cloud-configs",
  summary: "Set the configuration of a terminal",
  description:
    "Members that are left out keep their values; null removes a value. `settings` are replaced as a whole. The merchant must exist and be active (otherwise 400); a merchant that is already configured stays when it is deactivated. A payment belongs to the merchant that is configured when the relay accepts it. A changed `currency` applies to payments that are accepted afterwards. When the response is sent, every node applies the change, and the relay has sent it to the terminal if the terminal is connected.",
  auth: "admin",
  role: "operator",
  machine: "terminals",
  body: ConfigRequest,
  bodyExample: { terminalId: "SIM00001", merchantId: "SHOP-001", family: "field-47", settings: { idleText: "Welcome" } },
  audit: { action: "cloud-config.save", subject: ({ body }) => body.terminalId },
  responses: {
    200: { description: "The configuration.", body: okBody(Config), example: { status: "ok", data: example } },
    ...admin.errors(400, 401, 413, 415, 503),
  },
  handle: async ({ configureTerminal }, { body: { terminalId, merchantId, group, family, currency, settings } }) => {
    const odd = Object.keys(settings ?? {}).find((name) => !/^[A-Za-z0-9._-]{1,64}$/.test(name));
    if (odd !== undefined)
      throw new RelayError("invalid_request", "settings: names are 1 to 64 letters, digits, dots, underscores or dashes");
    const config = await configureTerminal.save(terminalId, { merchantId, group, family, currency, settings });
    return { status: 200, body: { status: "ok", data: shown(config) } };
  },
});

const deleteCloudConfig = admin.endpoint({
  name: "deleteCloudConfig",
  method: "DELETE",
  path: "/admin/cloud-configs/{terminalId}",
  summary: "Delete the configuration of a terminal",
  auth: "admin",
  role: "operator",
  machine: "terminals",
  params: TerminalParams,
  audit: { action: "cloud-config.delete" },
  responses: {
    200: { description: "Gone.", body: okBody(Type.Object({ terminalId: Type.String() })) },
    ...admin.errors(400, 401, 404, 503),
  },
  handle: async ({ configureTerminal }, { params: { terminalId } }) => {
    if (!(await configureTerminal.remove(terminalId))) throw new RelayError("not_found", "This terminal has no configuration");
    return { status: 200, body: { status: "ok", data: { terminalId } } };
  },
});

export const cloudConfigEndpoints = [listCloudConfigs, saveCloudConfig, deleteCloudConfig];
