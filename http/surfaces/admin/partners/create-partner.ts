import { Type } from "@sinclair/typebox";
import { isNoTerminal, type TerminalRule } from "../../../../engine/access/terminal-rule.ts";
import { PartnerApiKeysShown } from "../partner-api.ts";
import { admin } from "../surface.ts";
import { changeOf, NewPartner, NO_STORE, noStore, Rule, shownRule } from "./partner.ts";

function messageOf(rule: TerminalRule, isPasswordShown: boolean): string {
  const secrets = isPasswordShown ? "The password and the API key are not shown again." : "The API key is not shown again.";
  return `Partner created. ${mayUse(rule)} ${secrets}`;
}

function mayUse(rule: TerminalRule): string {
  if (rule.ruleType === "ANY") return "It may send to every terminal, because its terminalRule is ANY.";
  if (isNoTerminal(rule)) return "It may use no terminal until its terminalRule is set.";
  return "It may use the terminals that its terminalRule names.";
}

export const createPartner = admin.endpoint({
  name: "createPartner",
  refusesUnknown: "access",
  method: "POST",
  path: "/admin/api/partners",
  summary: "Create a partner",
  description:
    "The relay generates the API key, and also the password if the request has none. It shows them in this response only. Every node knows the partner when the response is sent. Without a `terminalRule` the partner gets the installation's default (`RELAY_PARTNER_DEFAULT_RULE`): ANY, or a LIST without a terminal. `terminalRule` and `message` of the response say which terminals it may use.",
  auth: "admin",
  role: "owner",
  stepUp: true,
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
        generatedPassword: Type.Optional(Type.String({ description: "Absent if the request had a `password`." })),
        terminalRule: Rule,
        partnerApiKeys: Type.Optional(PartnerApiKeysShown),
        message: Type.String(),
      }),
      headers: noStore,
      example: {
        status: "ok",
        data: { id: 7, username: "acme", apiKey: "pk_live_...", gwTml: "GW000001", enabled: true },
        generatedPassword: "...",
        terminalRule: { ruleType: "ANY" },
        message: messageOf({ ruleType: "ANY" }, true),
      },
    },
    ...admin.errors(400, 401, 413, 415, 503),
  },
  handle: async ({ administerPartners, administerPartnerApi }, { body }) => {
    const { username, gwTml, gwApiKey, gwSecretKey } = body;
    const gateway = { terminalId: gwTml, merchantId: gwApiKey, secret: gwSecretKey };
    const partnerApi = body.partnerApi === undefined ? null : administerPartnerApi.edit(body.partnerApi);
    const draft = { ...changeOf(body), username, gateway, partnerApi: partnerApi?.edit };
    const { partner, generatedPassword, apiKey } = await administerPartners.create(draft);
    const partnerApiKeys = partnerApi?.keys() ?? null;
    return {
      status: 201,
      body: {
        status: "ok",
        data: { id: partner.id, username, apiKey, gwTml: partner.gateway.terminalId, enabled: partner.enabled },
        ...(generatedPassword === null ? {} : { generatedPassword }),
        terminalRule: shownRule(partner.terminals),
        ...(partnerApiKeys === null ? {} : { partnerApiKeys }),
        message: messageOf(partner.terminals, generatedPassword !== null),
      },
      headers: NO_STORE,
    };
  },
});
