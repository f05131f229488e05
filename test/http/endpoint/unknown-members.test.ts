import assert from "node:assert/strict";
import { test } from "node:test";
import { Kind, type TSchema, Type } from "@sinclair/typebox";
import { compileEndpoint } from "../../../http/endpoint/compile.ts";
import type { BoundEndpoint } from "../../../http/endpoint/endpoint.ts";
import { answersList } from "../../../http/endpoint/lists.ts";
import { closed, IGNORED_NAMES_MAX, ignoredHeader, keepDeclared, ReadOnly } from "../../../http/endpoint/unknown-members.ts";
import { surfacesOf } from "../../../infra/node/wiring/shared/endpoints.ts";
import { requestOf, THINGS } from "../../doors/requests.ts";

/** What takes any member, and where the members go. */
const FREE_FORM: { readonly [name: string]: string } = {
  sendPayment: "to the terminal, and back in the answer",
  sendPaymentByBody: "to the terminal, and back in the answer",
  sendPaymentLegacy: "to the terminal, and back in the answer",
  recordResult: "kept as the terminal's result",
  sendScan: "to the terminal",
  sendPrint: "to the terminal",
  appendTerminalLog: "kept as the log",
  sendAdministratorCommand: "to the terminal",
  recordInstall: "kept as the report",
  saveOwnOrigins: "names of the caller's own",
  callMcp: "a message of another protocol, whose own reader takes it or refuses it",
};

/** A body whose own reader refuses what it does not know, by the service of the path. */
const OWN_READER = new Set(["partnerApiConfigureService", "merchantConfigurePaymentMethod"]);

/** A part of a body that refuses them for itself: a route says which partner's terminal a register pays on. */
const REFUSING_INSIDE: { readonly [name: string]: string } = { saveZvtConfig: ".routes[]" };

/** All that refuse members that they do not know. A new one is added here with its reason in view. */
const REFUSING: { readonly [reason: string]: readonly string[] } = {
  money: [
    "finalizePayment",
    "cancelPayment",
    "refundPayment",
    "refundMerchantTransaction",
    "createPaymentLink",
    "adminReceiveDispute",
    "adminRequestEvidence",
    "adminDecideDispute",
    "adminReceiveAlert",
    "respondToDispute",
    "refundAlert",
    "declineAlert",
    "saveAlertRules",
    "tryAlertRules",
    "createPlan",
    "changePlan",
    "createSubscription",
    "cancelSubscription",
    "setDunning",
    "demoIntent",
    "saveGatewayAccount",
    "testGatewayAccount",
    "saveOwnGatewayCredentials",
    "testOwnGatewayCredentials",
    "saveCloudConfig",
    "partnerApiCreateMerchant",
    "partnerApiConfigureService",
  ],
  access: [
    "createPartner",
    "changePartner",
    "togglePartner",
    "resetPartnerPassword",
    "generatePartnerApiKey",
    "generatePartnerApiKeys",
    "regenerateOwnApiKey",
    "partnerApiPatchMerchant",
    "partnerApiReplaceMerchantKeys",
    "createMachineToken",
    "partnerApiInvitePortalUser",
    "invitePortalUser",
    "resetPortalFactors",
    "createAdministrator",
    "changeAdministrator",
    "changeOwnAdministratorPassword",
    "resetAdministratorPassword",
    "saveSubscriptionRule",
    "saveTerminalGroup",
    "createFleetAction",
    // Whom the events of which payments are sent to.
    "portalCreateWebhook",
    "portalChangeWebhook",
    "createAgentCredential",
    "partnerApiCreateWebhook",
    "partnerApiPatchWebhook",
  ],
  limits: [
    ...["limitMerchant", "cleanReceipts", "clearTerminalLogs", "pushUpdate", "portalResendFailedWebhookDeliveries", "createExport"],
    // A misspelt member would stop a node that was not to be stopped so.
    "drainNode",
    // A misspelt member would leave terminals out of the tasks.
    ...["merchantOpeningHours", "merchantSaveOpeningHours"],
    // A figure that leaves a filter out of account would be taken for what was asked.
    ...["paymentsReport", "methodsReport", "terminalsReport", "heatmapReport"],
    ...["linksReport", "disputesReport", "subscriptionsReport", "agentsReport"],
  ],
  // A filter that is left out of account would list what was not asked for.
  rows: [
    ...["listTransactions", "readTerminalLogs"],
    ...[
      "listSubscriptionRules",
      "listTerminals",
      "listAttention",
      "adminSearch",
      "listAudit",
      "showCluster",
      "listAdministrators",
      "listMachineTokens",
    ],
    ...["listPartners", "listMerchantsOfPartner", "listPortalUsers", "listCallbacks", "listWebhookDeliveries", "listWebhookEndpoints"],
    ...["listMails", "listTerminalGroups", "listCloudConfigs", "listZvtRoutes", "showDashboard", "adminListDisputes", "adminListAlerts"],
    ...["listAppVersions", "listDeploymentsOfVersion", "listDeployments", "listInstallLogs", "listOtherInstallLogs"],
    ...["partnerApiListMerchants", "partnerApiListServices", "partnerApiListWebhooks", "partnerApiListWebhookDeliveries"],
    ...["partnerApiListPortalUsers", "partnerApiReconciliation"],
    ...["merchantOverview", "merchantTransactions", "merchantTransactionsCsv", "merchantTerminals"],
    ...["merchantAudit", "merchantWorkflowLog", "merchantCallLog", "portalListWebhooks", "portalListWebhookDeliveries"],
    ...["listPaymentLinks", "listPlans", "listSubscriptions", "showSubscription", "listDisputes", "disputeStats", "listAlerts"],
    ...["listAgentCredentials", "listExports", "listReconciliation", "reconciliationFile", "merchantSearch"],
    ...["listAllMerchants", "listFleet", "listFleetActions", "listRolloutTerminals"],
  ],
};

const surfaces = surfacesOf({ openTerminalLogs: true, packageBytesMax: 1_000, adapterContextPath: "", mode: "sandbox" });
const endpoints: BoundEndpoint[] = Object.values(surfaces)
  .flat()
  .map((endpoint) => ({ ...endpoint, run: () => assert.fail("nothing is called") }));

/** Signing in, people and their roles, and where a merchant's money goes: all of these surfaces. */
const refusingSurfaces = [
  ...[surfaces.adminSignIn, surfaces.signIn, surfaces.team, surfaces.merchantMethods, surfaces.compatSettings].flat(),
  // In a query, which calls of the compatible API that change something do not have.
  ...surfaces.compat.filter(({ method }) => method === "POST"),
].map(({ name }) => name);

/** What starts or moves a payment, and takes members of its client's own with it. */
const MOVING_MONEY = [
  ...["sendPayment", "sendPaymentByBody", "sendPaymentLegacy"],
  ...["createLink", "createTerminalLink", "createBancomatPayLink", "initiatePayment"],
  ...["adapterInit", "adapterCapture", "adapterReversal", "adapterRefund"],
];

const UNKNOWN = "notAMember";

/** A refusal in words, or what was ignored. */
function outcomeOf(read: () => readonly string[]): { refused: string } | { ignored: readonly string[] } {
  try {
    return { ignored: read() };
  } catch (error) {
    assert.ok(error instanceof Error);
    return { refused: error.message };
  }
}

/** A valid body with a member more, whose value fits where names are of the caller's choice. */
function bodyWithMore(endpoint: BoundEndpoint): Buffer {
  const { body } = requestOf(endpoint, THINGS);
  return Buffer.from(JSON.stringify({ ...JSON.parse(body?.toString() ?? "{}"), [UNKNOWN]: "https://more.example" }));
}

/** Objects of a body by what they do with members that they do not declare. */
function objectsOf(schema: TSchema, at = ""): { at: string; takes: "all" | "none" | "ignores" }[] {
  if (schema[Kind] === "Array") return objectsOf(schema["items"], `${at}[]`);
  if (schema[Kind] === "Union") return schema["anyOf"].flatMap((one: TSchema) => objectsOf(one, at));
  if (schema[Kind] !== "Object") return [];
  const more = schema["additionalProperties"];
  const inside = Object.entries<TSchema>(schema["properties"]).flatMap(([name, inner]) => objectsOf(inner, `${at}.${name}`));
  return [{ at, takes: more === undefined ? "ignores" : more === false ? "none" : "all" }, ...inside];
}

test("every endpoint refuses members that it does not know, or ignores and names them: there is no third way but what is free-form", () => {
  const wrong: string[] = [];
  const counted = { refused: 0, named: 0, taken: 0 };
  for (const endpoint of endpoints) {
    const { name, refusesUnknown, bodyFormat, queryFormat, surface } = endpoint;
    const { readQuery, readBody } = compileEndpoint(endpoint, { strictReplies: true });
    if (queryFormat !== "bracketed") {
      const query = requestOf(endpoint, THINGS).path.split("?")[1] ?? "";
      const outcome = outcomeOf(() => {
        const ignored: string[] = [];
        assert.equal(JSON.stringify(readQuery(`${query}&${UNKNOWN}=1`, ignored)).includes(UNKNOWN), false, name);
        return ignored;
      });
      const expected =
        refusesUnknown === undefined ? { ignored: [UNKNOWN] } : { refused: `${UNKNOWN}: is not a query parameter of this endpoint` };
      if (JSON.stringify(outcome) !== JSON.stringify(expected)) wrong.push(`${name}, query: ${JSON.stringify(outcome)}`);
    } else assert.equal(surface.name, "compat", `${name}: reads its query itself`);
    if (readBody === null || OWN_READER.has(name)) continue;
    if (bodyFormat !== undefined) {
      // Its own list (http/surfaces/compat/params.ts): `parameter_unknown`.
      assert.equal(surface.name, "compat", `${name}: reads its body itself`);
      continue;
    }
    const outcome = outcomeOf(() => {
      const { value, sent, ignored } = readBody(bodyWithMore(endpoint), "application/json");
      assert.ok(JSON.stringify(sent).includes(UNKNOWN), `${name}: an idempotency key stands for all that was sent`);
      const isKept = JSON.stringify(value).includes(UNKNOWN);
      if (isKept !== (FREE_FORM[name] !== undefined || endpoint.notTaken !== undefined)) wrong.push(`${name}: isKept ${isKept}`);
      return ignored;
    });
    const expected = FREE_FORM[name] !== undefined ? { ignored: [] } : { ignored: [UNKNOWN] };
    if (refusesUnknown !== undefined) {
      counted.refused += 1;
      if (!("refused" in outcome && outcome.refused === `${UNKNOWN}: is not expected here`))
        wrong.push(`${name}: ${JSON.stringify(outcome)}`);
    } else {
      counted[FREE_FORM[name] === undefined ? "named" : "taken"] += 1;
      if (JSON.stringify(outcome) !== JSON.stringify(expected)) wrong.push(`${name}: ${JSON.stringify(outcome)}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(counted.refused > 40 && counted.named > 20 && counted.taken >= 9, JSON.stringify(counted));
});

test("what refuses them does so for money, access, limits or rows, and nothing else does", () => {
  const byName = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]));
  const listed = new Set([...Object.values(REFUSING).flat(), ...refusingSurfaces]);
  const refusing = endpoints.flatMap(({ name, refusesUnknown }) => (refusesUnknown === undefined ? [] : [name]));
  assert.deepEqual(refusing.filter((name) => !listed.has(name)).sort(), []);
  for (const [reason, names] of Object.entries(REFUSING)) {
    for (const name of names) assert.equal(byName.get(name)?.refusesUnknown, reason, name);
  }
  for (const name of refusingSurfaces) assert.ok(byName.get(name)?.refusesUnknown, name);
});

test("whoever may be asked for a list is told of a filter that the list does not have", () => {
  const lists = endpoints.filter(
    ({ method, queryFormat, name }) => method === "GET" && queryFormat === undefined && /^(?:\w+L|l)ist[A-Z]/.test(name),
  );
  assert.ok(lists.length >= 40, String(lists.length));
  for (const { name, refusesUnknown, responses } of lists) {
    assert.notEqual(refusesUnknown, undefined, name);
    assert.notEqual(responses[400], undefined, `${name} does not declare its refusal`);
  }
  const page = (data: TSchema) => ({ method: "GET" as const, responses: { 200: { description: "", body: Type.Object({ data }) } } });
  const items = Type.Array(Type.Object({}));
  assert.equal(answersList(page(items)), true);
  assert.equal(answersList(page(Type.Union([items, Type.Null()]))), true);
  assert.equal(answersList(page(Type.Object({ items, next: Type.String() }))), true);
  assert.equal(answersList(page(Type.Object({ passkeys: items }))), false, "an object with a list in it");
  assert.equal(answersList({ ...page(items), method: "POST" }), false);
  const body = (members: Record<string, TSchema>) => ({
    ...page(items),
    responses: { 200: { description: "", body: Type.Object(members) } },
  });
  assert.equal(answersList(body({ success: Type.Literal(true), users: items, max: Type.Integer() })), true);
  assert.equal(answersList(body({ txId: Type.String(), followUps: items })), false, "a record with a list in it");
});

test("what moves money refuses a member that it ignores if its name says that it changes the payment", () => {
  const moving = endpoints.filter(({ movesMoney }) => movesMoney === true);
  assert.deepEqual(moving.map(({ name }) => name).sort(), [...MOVING_MONEY].sort());
  const words = ["tipAmount", "TIP_AMOUNT", "currencyCode", "capture-method", "validUntil", "payInstrToken", "merchantID", "recurring"];
  for (const endpoint of moving) {
    const { readBody, readQuery } = compileEndpoint(endpoint, { strictReplies: true });
    const body = JSON.parse(requestOf(endpoint, THINGS).body?.toString() ?? "{}");
    const outcomeWith = (more: object) =>
      outcomeOf(() => readBody?.(Buffer.from(JSON.stringify({ ...body, ...more })), "application/json").ignored ?? []);
    for (const name of words) {
      const refusal = { refused: `${name}: would change the payment and is not accepted here; leave it out` };
      assert.deepEqual(
        outcomeOf(() => {
          readQuery(`${name}=1`, []);
          return [];
        }),
        refusal,
        endpoint.name,
      );
      if (FREE_FORM[endpoint.name] !== undefined) continue;
      assert.deepEqual(outcomeWith({ [name]: 1 }), refusal, endpoint.name);
      assert.deepEqual(outcomeWith({ [name]: null }), { ignored: [name] }, endpoint.name);
    }
    if (endpoint.notTaken !== undefined) {
      const refusal = { refused: "txReq.installments: would change the payment and is not accepted here; leave it out" };
      assert.deepEqual(outcomeWith({ txReq: { ...body.txReq, installments: 3 } }), refusal, endpoint.name);
    }
    if (FREE_FORM[endpoint.name] === undefined) {
      const harmless = ["shop", "merchantName", "accountName", "multiply", "coffee", "tipo", "description2"];
      const more = Object.fromEntries(harmless.map((name) => [name, 1]));
      assert.deepEqual(outcomeWith(more), { ignored: harmless }, endpoint.name);
    }
  }
});

test("within a body the same holds at every level", () => {
  const wrong = endpoints.flatMap(({ name, body, refusesUnknown, bodyFormat, notTaken }) => {
    if (body === undefined || bodyFormat !== undefined || OWN_READER.has(name)) return [];
    return objectsOf(body).flatMap(({ at, takes }) => {
      const isFree = takes === "all" && (FREE_FORM[name] !== undefined || notTaken !== undefined);
      const isExpected = isFree || takes === (refusesUnknown === undefined && REFUSING_INSIDE[name] !== at ? "ignores" : "none");
      return isExpected ? [] : [`${name}${at}: ${takes}`];
    });
  });
  assert.deepEqual(wrong, []);
});

test("what is ignored of a body is left out at every level, and named with the way to it", () => {
  const schema = Type.Object({
    id: ReadOnly,
    name: Type.String(),
    lines: Type.Array(Type.Object({ text: Type.String() })),
    buyer: Type.Union([Type.Object({ email: Type.String() }), Type.Null()]),
    notes: Type.Record(Type.String(), Type.String()),
  });
  const sent = {
    ...{ id: 7, name: "a", nmae: "b", notes: { any: "thing" } },
    lines: [{ text: "x" }, { text: "y", price: 1 }],
    buyer: { email: "a@b", phone: "1" },
  };
  const ignored: string[] = [];
  const keep = keepDeclared(schema);
  assert.deepEqual(keep?.(sent, "", ignored), {
    name: "a",
    notes: sent.notes,
    lines: [{ text: "x" }, { text: "y" }],
    buyer: { email: "a@b" },
  });
  assert.deepEqual(ignored, ["id", "nmae", "lines.1.price", "buyer.phone"]);
  assert.deepEqual(keep?.({ ...sent, buyer: null }, "", []), {
    name: "a",
    notes: sent.notes,
    lines: [{ text: "x" }, { text: "y" }],
    buyer: null,
  });
  assert.equal(keepDeclared(Type.Object({}, { additionalProperties: true })), null);
  assert.equal(
    closed(Type.Object({ a: Type.Optional(Type.Union([Type.Object({}), Type.Null()])) }))["properties"].a.anyOf[0].additionalProperties,
    false,
  );
});

test("names in the header cannot end it, stand for two, fill it, or tell a card number", () => {
  assert.equal(ignoredHeader(["a\r\nSet-Cookie: x", "b,c", "\u00e9"]), "a??Set-Cookie: x, b?c, ?");
  assert.equal(ignoredHeader(["x".repeat(100)]).length, 64);
  assert.equal(ignoredHeader(["a", "a"]), "a");
  assert.ok(!ignoredHeader(["4111111111111111"]).includes("4111111111111111"));
  const many = ignoredHeader(Array.from({ length: IGNORED_NAMES_MAX + 5 }, (_, index) => `m${index}`));
  assert.ok(many.endsWith(", m19, ..."), many);
});
