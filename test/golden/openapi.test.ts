import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { openApiText, surfacesOf } from "../../infra/node/wiring/shared/endpoints.ts";
import { INTERFACE_TAGS } from "../../infra/node/wiring/shared/interface-tags.ts";
import { member } from "../support/http/matches.ts";
import { withSharedParts } from "../support/http/openapi.ts";

const GOLDEN = new URL("openapi.json", import.meta.url);

/** The endpoints of terminals and partners that clients rely on, with their authentication. */
const RELIED_ON: [method: string, path: string, authentication: "B or K" | "B" | "none" | "none or B"][] = [
  ["POST", "/api/v1/{terminalId}/pay", "B or K"],
  ["POST", "/api/v1/pay", "B"],
  ["GET", "/api/v1/{terminalId}/get", "B"],
  ["POST", "/api/v1/{terminalId}/receipt", "B"],
  ["POST", "/api/v1/{terminalId}/scan", "B or K"],
  ["POST", "/api/v1/{terminalId}/print", "B or K"],
  ["POST", "/api/v1/{terminalId}/disconnect", "B"],
  ["GET", "/api/v1/{terminalId}/connection", "B or K"],
  ["GET", "/api/v1/{terminalId}/status", "B or K"],
  ["GET", "/api/v1/{uuid}/uuid", "B or K"],
  ["GET", "/api/v1/{terminalId}/transactions", "B or K"],
  ["GET", "/api/v1/{terminalId}/logs", "none"],
  ["POST", "/api/v1/{terminalId}/logs", "none"],
  ["DELETE", "/api/v1/{terminalId}/logs", "none"],
  ["GET", "/api/status/ping/{terminalId}", "none"],
  ["GET", "/api/status/ping-pos/{terminalId}", "none"],
  ["GET", "/api/v1/app/version", "none or B"],
  ["GET", "/api/v1/app/download/{filename}", "none or B"],
  ["POST", "/api/v1/app/install-log", "none or B"],
  ["POST", "/pay", "B"],
  ["GET", "/uuid/{uuid}", "B or K"],
  ["GET", "/status", "B or K"],
];

/** The administration endpoints that clients rely on, and the relay's additions. */
const ADMINISTRATION_AND_ADDITIONS: [method: string, path: string][] = [
  ["POST", "/admin/terminal/{terminalId}/command"],
  ["GET", "/admin/subscription-rules"],
  ["POST", "/admin/subscription-rules"],
  ["POST", "/admin/subscription-rules/test"],
  ["GET", "/admin/app-versions"],
  ["POST", "/admin/app-versions"],
  ["POST", "/admin/app-versions/{versionId}/upload-apk"],
  ["POST", "/admin/app-versions/{versionId}/push-update"],
  ["POST", "/admin/app-versions/{versionId}/deploy-terminal"],
  ["POST", "/admin/app-versions/{versionId}/deploy-merchant"],
  ["POST", "/admin/app-versions/{versionId}/deploy-global"],
  ["DELETE", "/admin/app-versions/{versionId}"],
  ["PATCH", "/admin/app-versions/{versionId}"],
  ["PATCH", "/admin/app-versions/{versionId}/active"],
  ["GET", "/admin/app-deployments"],
  ["GET", "/admin/terminals"],
  ["GET", "/admin/terminals/{terminalId}"],
  ["GET", "/admin/attention"],
  ["GET", "/admin/audit"],
  ["POST", "/admin/redis-sessions/clear"],
  ["POST", "/admin/receipts/clean"],
  ["GET", "/admin/dashboard"],
  ["GET", "/admin/zvt/config"],
  ["POST", "/admin/zvt/config"],
  ["GET", "/admin/terminal-groups"],
  ["POST", "/admin/terminal-groups"],
  ["POST", "/admin/terminal-groups/test"],
  ["GET", "/admin/gw-credentials"],
  ["POST", "/admin/gw-credentials"],
  ["POST", "/admin/gw-credentials/test"],
  ["GET", "/admin/cloud-configs"],
  ["POST", "/admin/cloud-configs"],
  ["GET", "/admin/callbacks"],
  ["POST", "/admin/callbacks/{id}/resend"],
  ["GET", "/admin/webhooks/deliveries"],
  ["GET", "/admin/webhooks/deliveries/{id}"],
  ["POST", "/admin/webhooks/deliveries/{id}/resend"],
  ["GET", "/admin/webhooks/endpoints"],
  ["GET", "/admin/webhooks/endpoints/{id}"],
  ["POST", "/admin/webhooks/endpoints/{id}/disable"],
  ["POST", "/pgw/payment/init"],
  ["GET", "/pgw/payment/verify"],
  ["GET", "/pgw/payment/verification"],
  ["POST", "/pgw/payment/capture"],
  ["POST", "/pgw/payment/reversal"],
  ["POST", "/pgw/payment/refund"],
  ["GET", "/admin/administrators"],
  ["POST", "/admin/administrators"],
  ["GET", "/admin/administrators/me"],
  ["POST", "/admin/administrators/me/password"],
  ["GET", "/admin/administrators/{username}"],
  ["PATCH", "/admin/administrators/{username}"],
  ["POST", "/admin/administrators/{username}/reset-password"],
  ["DELETE", "/admin/administrators/{username}"],
  ["GET", "/admin/api/partners"],
  ["POST", "/admin/api/partners"],
  ["GET", "/admin/api/partners/{id}"],
  ["PUT", "/admin/api/partners/{id}"],
  ["DELETE", "/admin/api/partners/{id}"],
  ["POST", "/admin/api/partners/{id}/reset-password"],
  ["POST", "/admin/api/partners/{id}/generate-api-key"],
  ["PATCH", "/admin/api/partners/{id}/toggle"],
  ["POST", "/api/partner/regenerate-key"],
  ["GET", "/api/partner/gw-credentials"],
  ["POST", "/api/partner/gw-credentials"],
  ["POST", "/api/partner/gw-credentials/test"],
  ["POST", "/api/partner/origins"],
  ["GET", "/api/v1/commands/{uuid}"],
  ["POST", "/api/v1/commands/{uuid}/cancel"],
  ["GET", "/health/live"],
  ["GET", "/health/ready"],
  ["GET", "/metrics"],
];

/** Partner API v1. All of it requires the bearer key and has one body for errors. */
const PARTNER_API: [method: string, path: string][] = [
  ["GET", "/me"],
  ["GET", "/merchants"],
  ["POST", "/merchants"],
  ["GET", "/merchants/{merchantId}"],
  ["PATCH", "/merchants/{merchantId}"],
  ["DELETE", "/merchants/{merchantId}"],
  ["GET", "/services"],
  ["POST", "/merchants/{id}/services/{service}/enable"],
  ["POST", "/merchants/{id}/services/{service}/disable"],
  ["PUT", "/merchants/{id}/services/{service}/config"],
  ["GET", "/webhooks"],
  ["POST", "/webhooks"],
  ["GET", "/webhooks/{webhookId}"],
  ["PATCH", "/webhooks/{webhookId}"],
  ["DELETE", "/webhooks/{webhookId}"],
  ["GET", "/webhooks/{webhookId}/deliveries"],
  ["POST", "/webhooks/{webhookId}/deliveries/{deliveryId}/resend"],
];

const document: unknown = JSON.parse(openApiText(surfacesOf({ openTerminalLogs: true, packageBytesMax: 524_288_000 })));
const whole = withSharedParts(document);

test("keeps the OpenAPI document equal to its golden file", () => {
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(GOLDEN, text);
  const golden = readFileSync(GOLDEN, "utf8");
  const [ours, theirs] = [text.split("\n"), golden.split("\n")];
  const line = ours.findIndex((one, index) => one !== theirs[index]);
  assert.ok(
    text === golden,
    `test/golden/openapi.json differs from line ${line + 1} on: ${ours[line]?.trim()}. If the change is meant, renew it with ` +
      "UPDATE_GOLDEN=1 npm test -- golden/openapi, and read the difference before it is committed.",
  );
});

for (const [method, path, authentication] of RELIED_ON) {
  test(`${method} ${path} is documented, with authentication ${authentication}`, () => {
    const operation = member(document, "paths", path, method.toLowerCase());
    const security = JSON.stringify(member(operation, "security"));
    assert.deepEqual([/basic/i.test(security), /key/i.test(security)], [authentication.includes("B"), authentication.includes("K")], security);
    assert.equal(security === "[]" || security.includes("{}"), authentication.includes("none"), security);
  });
}

for (const [method, path] of PARTNER_API) {
  test(`${method} /partner/api/v1${path} is documented, with its bearer key, its one error body and its idempotency`, () => {
    const operation = member(whole, "paths", `/partner/api/v1${path}`, method.toLowerCase());
    assert.deepEqual(member(operation, "security"), [{ partnerApi: [] }]);
    const errors = Object.entries(member(operation, "responses") as object).filter(([status]) => !status.startsWith("2"));
    const told = errors.map(([status]) => status);
    for (const status of ["401", "403", "429", "500", "503", "default"]) assert.ok(told.includes(status), status);
    for (const [status, response] of errors) {
      const schema = member(response, "content", "application/json", "schema");
      assert.deepEqual(schema, { $ref: "#/components/schemas/PartnerApiError" }, status);
    }
    const parameters = JSON.stringify((operation as { parameters?: unknown }).parameters ?? []);
    assert.equal(parameters.includes('"Idempotency-Key"'), ["POST", "PUT", "PATCH"].includes(method));
  });
}

test("documents administration and the relay's additions", () => {
  for (const [method, path] of ADMINISTRATION_AND_ADDITIONS) member(document, "paths", path, method.toLowerCase());
});

test("documents the role that each administration endpoint needs, and 403 for a lower one", () => {
  for (const { method, path, auth, role } of Object.values(surfacesOf({ openTerminalLogs: true, packageBytesMax: 1 })).flat()) {
    if (auth !== "admin") continue;
    const operation = member(document, "paths", path, method.toLowerCase());
    assert.deepEqual(member(operation, "security"), [{ administrator: [role] }, { administratorSession: [role] }]);
    assert.match(String(member(operation, "description")), new RegExp(`Needs the role ${role}\\b`));
    if (role !== "read-only") member(operation, "responses", "403");
  }
});

test("marks deprecated endpoints", () => {
  for (const [method, path] of RELIED_ON) {
    const deprecated = !path.startsWith("/api/");
    const operation = member(document, "paths", path, method.toLowerCase());
    assert.equal((operation as { deprecated?: boolean }).deprecated ?? false, deprecated, path);
  }
});

test("gives every operation a name of its own, a summary and an answer for errors", () => {
  const names = new Set<unknown>();
  for (const operations of Object.values(member(document, "paths") as object)) {
    for (const operation of Object.values(operations as object)) {
      assert.ok(!names.has(member(operation, "operationId")), `${member(operation, "operationId")} is there twice`);
      names.add(member(operation, "operationId"));
      assert.ok(member(operation, "summary"));
      member(operation, "responses", "default");
    }
  }
});

/** Equal objects with more members than this are not a coincidence. */
const INLINE_MEMBERS_MAX = 3;

/**
 * Returns every object with members but without a name in the document, with its content except its
 * description.
 */
function inlineObjects(node: unknown, at: readonly string[] = []): { at: string; content: string }[] {
  if (typeof node !== "object" || node === null) return [];
  const inner = Object.entries(node).flatMap(([name, value]) => inlineObjects(value, [...at, name]));
  const { type, properties, description: _, ...rest }: { [member: string]: unknown } = { ...node };
  const isNamed = at.length === 3 && at[0] === "components" && at[1] === "schemas";
  if (type !== "object" || typeof properties !== "object" || isNamed) return inner;
  if (Object.keys(properties ?? {}).length <= INLINE_MEMBERS_MAX) return inner;
  return [{ at: at.join("/"), content: JSON.stringify([properties, rest]) }, ...inner];
}

function repeated(parts: readonly { at: string; content: string }[]): string[][] {
  const places = new Map<string, string[]>();
  for (const { at, content } of parts) places.set(content, [...(places.get(content) ?? []), at]);
  return [...places.values()].filter((found) => found.length > 1);
}

test("names each object with more than three members that occurs in several places", () => {
  assert.deepEqual(repeated(inlineObjects(document)), []);
});

test("has no two equal components, and names them with plain words", () => {
  for (const kind of ["schemas", "responses", "parameters"]) {
    const components = Object.entries(member(document, "components", kind) as object);
    assert.deepEqual(repeated(components.map(([name, part]) => ({ at: name, content: JSON.stringify(part) }))), []);
    const odd = components.map(([name]) => name).filter((name) => !/^[A-Z][A-Za-z0-9]*[a-z]$/.test(name));
    assert.deepEqual(odd, [], kind);
  }
});

test("refers to every component", () => {
  const text = JSON.stringify(document);
  for (const kind of ["schemas", "responses", "parameters", "headers"]) {
    const names = Object.keys(member(document, "components", kind) as object);
    assert.deepEqual(names.filter((name) => !text.includes(`"#/components/${kind}/${name}"`)), [], kind);
  }
});

test("keeps the document small by sharing named parts", () => {
  // The document had 1.44 MB without shared parts, when it had no reports yet. A tenth of it is
  // examples.
  assert.ok(Buffer.byteLength(JSON.stringify(document)) < 1_250_000, String(Buffer.byteLength(JSON.stringify(document))));
});

test("declares an audit entry for every change by an administrator or a partner", () => {
  const { admin, portal, apps } = surfacesOf({ openTerminalLogs: true, packageBytesMax: 524_288_000 });
  const silent = [...admin, ...portal, ...apps.filter(({ auth }) => auth === "admin")].filter(({ method, audit }) => method !== "GET" && audit === undefined);
  assert.deepEqual(
    silent.map(({ name }) => name),
    [],
  );
});

/** Each verb has one meaning: Get returns one, and List returns many. */
const VERBS =
  "Accept|Add|Cancel|Capture|Check|Clear|Confirm|Create|Decline|Delete|Deploy|Disable|Disconnect|Download|Drain|Enable|Get|Invite|List|Pause|Push|Receive|Refund|Refuse|Release|Resend|Reset|Resume|Revoke|Roll back|Rotate|Search|Send|Set|Sign in|Sign out|Start|Stop|Store|Take|Test|Update|Upload|Verify";

test("summaries are a verb and its object, short, and each its operation's own", () => {
  const form = new RegExp(`^(?:${VERBS}) [^\\n]*[^.\\n]$`);
  const summaries = Object.values(member(document, "paths") as object).flatMap((operations) =>
    Object.values(operations as object).map((operation) => String(member(operation, "summary"))),
  );
  assert.deepEqual(
    summaries.filter((summary) => summary.length > 60 || !form.test(summary)),
    [],
  );
  assert.deepEqual(
    summaries.filter((summary, index) => summaries.indexOf(summary) !== index),
    [],
  );
});

test("describes and uses every tag, in the order of interest", () => {
  const told = member(document, "tags") as { name: string; description?: string }[];
  assert.deepEqual(
    told,
    INTERFACE_TAGS.map(({ name, description }) => ({ name, description })),
  );
  const used = Object.values(member(document, "paths") as object).flatMap((operations) =>
    Object.values(operations as object).flatMap((operation) => member(operation, "tags") as string[]),
  );
  assert.deepEqual([...new Set(used)].toSorted(), told.map(({ name }) => name).toSorted());
});
