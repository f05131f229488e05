import { Type } from "@sinclair/typebox";
import { described } from "../../endpoint/described.ts";
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
import { Environment } from "../parts/schemas.ts";
import { callingPartner, portal } from "./surface.ts";

const environment = Type.Optional(described(Environment, "Default: LIVE, the account of all payments but those of TEST."));

const OfEnvironment = Type.Object({ environment });

const OwnCredentialsRequest = Type.Object(
  { ...GatewayCredentialsRequest.properties, environment },
  { title: "OwnGatewayCredentialsRequest" },
);

const example = SHOWN_CREDENTIALS_EXAMPLE;

export const showGatewayCredentials = portal.endpoint({
  name: "showOwnGatewayCredentials",
  method: "GET",
  path: "/api/partner/gw-credentials",
  summary: "Get your gateway account",
  description: "With `environment=TEST` the account that is kept for payments of TEST.",
  query: OfEnvironment,
  auth: "basic",
  needs: "own account",
  responses: { 200: { description: "The account.", body: okBody(ShownGatewayCredentials), example }, ...portal.errors(400, 401, 403) },
  handle: ({ partners }, { caller, query: { environment } }) => {
    const { gateway, testGateway } = partners.byId(callingPartner(caller))?.record ?? {};
    const account = environment === "TEST" ? testGateway : gateway;
    return { status: 200 as const, body: { status: "ok" as const, data: shownCredentials(account ?? null) } };
  },
});

export const saveGatewayCredentials = portal.endpoint({
  name: "saveOwnGatewayCredentials",
  refusesUnknown: "money",
  method: "POST",
  path: "/api/partner/gw-credentials",
  summary: "Set your gateway account",
  description:
    "With `environment` TEST it is another account, kept for payments of TEST: merchants' payments of TEST run on it, also once the merchant is LIVE. Without such an account they run on yours while the merchant is in TEST, and are refused once it is LIVE. The two may not have the same `gwApiKey`. Members that are left out keep their values. The change is in force on every node when the response is sent. Existing links use the new account from then on.",
  auth: "basic",
  needs: "own account",
  body: OwnCredentialsRequest,
  bodyExample: { gwTml: "GW000001", gwApiKey: "ACMEMER1", gwSecretKey: "..." },
  audit: {
    action: "partner.gw-credentials",
    note: ({ body }) => body.environment,
    subject: ({ caller }) => String(callingPartner(caller)),
  },
  responses: {
    200: { description: "The account.", body: okBody(ShownGatewayCredentials), example },
    ...portal.errors(400, 401, 403, 413, 415, 503),
  },
  handle: async ({ administerPartners }, { caller, body }) => {
    const change = changedCredentials(body);
    const isTest = body.environment === "TEST";
    const partner = await administerPartners.change(callingPartner(caller), isTest ? { testGateway: change } : { gateway: change });
    return { status: 200, body: { status: "ok", data: shownCredentials((isTest ? partner.testGateway : partner.gateway) ?? null) } };
  },
});

export const testGatewayCredentials = portal.endpoint({
  name: "testOwnGatewayCredentials",
  refusesUnknown: "money",
  method: "POST",
  path: "/api/partner/gw-credentials/test",
  summary: "Test credentials of your gateway account",
  description:
    "Asks the gateway for a payment that does not exist. Members that are left out are taken from the stored account. Nothing is stored and no money moves.",
  auth: "basic",
  needs: "own account",
  body: Type.Optional(GatewayCredentialsRequest),
  audit: "changes nothing",
  responses: {
    200: {
      description: "The gateway's reply.",
      body: okBody(GatewayCheckResult),
      example: { status: "ok", data: { accepted: true, message: "Credentials accepted" } },
    },
    ...portal.errors(400, 401, 403, 413, 415, 503),
  },
  handle: async ({ gatewayAccounts, checkGateway }, { caller, body }) => {
    const stored = gatewayAccounts.ofPartner(callingPartner(caller));
    return { status: 200, body: { status: "ok", data: checkResult(await checkGateway(credentialsToCheck(body, stored))) } };
  },
});
