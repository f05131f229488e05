import { Type } from "@sinclair/typebox";
import {
  changedCredentials,
  checkResult,
  credentialsToCheck,
  GatewayCheckResult,
  GatewayCredentialsRequest,
  SHOWN_CREDENTIALS_EXAMPLE,
  ShownGatewayCredentials,
  shownCredentials,
} from "../parts/gateway-credentials.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { admin } from "./surface.ts";

const example = SHOWN_CREDENTIALS_EXAMPLE;

const showGatewayAccount = admin.endpoint({
  name: "showGatewayAccount",
  method: "GET",
  path: "/admin/gw-credentials",
  summary: "Get the installation's gateway account",
  description: "Used for links that are requested for a terminal and belong to no partner.",
  auth: "admin",
  role: "read-only",
  responses: { 200: { description: "The account.", body: okBody(ShownGatewayCredentials), example }, ...admin.errors(401) },
  handle: ({ installationAccount }) => ({
    status: 200 as const,
    body: { status: "ok" as const, data: shownCredentials(installationAccount.get()) },
  }),
});

const saveGatewayAccount = admin.endpoint({
  name: "saveGatewayAccount",
  refusesUnknown: "money",
  method: "POST",
  path: "/admin/gw-credentials",
  summary: "Set the installation's gateway account",
  description: "Members that are left out keep their values. The change is in force on every node when the response is sent.",
  auth: "admin",
  role: "owner",
  stepUp: true,
  body: GatewayCredentialsRequest,
  bodyExample: { gwTml: "GW000001", gwApiKey: "ACMEMER1", gwSecretKey: "..." },
  audit: { action: "gw-credentials.save", subject: () => "installation" },
  responses: {
    200: { description: "The account.", body: okBody(ShownGatewayCredentials), example },
    ...admin.errors(400, 401, 413, 415, 503),
  },
  handle: async ({ installationAccount }, { body }) => {
    const account = await installationAccount.save(changedCredentials(body));
    return { status: 200, body: { status: "ok", data: shownCredentials(account) } };
  },
});

const testGatewayAccount = admin.endpoint({
  name: "testGatewayAccount",
  refusesUnknown: "money",
  method: "POST",
  path: "/admin/gw-credentials/test",
  summary: "Test credentials of the installation's gateway account",
  description:
    "Asks the gateway for a payment that does not exist. Members that are left out are taken from the stored account. Nothing is stored and no money moves.",
  auth: "admin",
  role: "operator",
  machine: "never",
  body: Type.Optional(GatewayCredentialsRequest),
  audit: "changes nothing",
  responses: {
    200: {
      description: "The gateway's reply.",
      body: okBody(GatewayCheckResult),
      example: { status: "ok", data: { accepted: true, message: "Credentials accepted" } },
    },
    ...admin.errors(400, 401, 413, 415, 503),
  },
  handle: async ({ gatewayAccounts, checkGateway }, { body }) => {
    const credentials = credentialsToCheck(body, gatewayAccounts.ofPayment(null));
    return { status: 200, body: { status: "ok", data: checkResult(await checkGateway(credentials)) } };
  },
});

export const gatewayAccountEndpoints = [showGatewayAccount, saveGatewayAccount, testGatewayAccount];
