/** Every endpoint of the portal as another merchant would try it, with the true ids of the first. */
import assert from "node:assert/strict";
import type { TSchema } from "@sinclair/typebox";
import type { Endpoint, Method } from "../../http/endpoint/endpoint.ts";
import { MERCHANT_BASE } from "../../http/surfaces/merchant/surface.ts";
import { formOf, MULTIPART } from "../support/people/package-upload.ts";
import type { Things } from "./merchants.ts";

export type AnyEndpoint = Omit<Endpoint<unknown>, "handle" | "keepUnread" | "admit">;

export interface Attempt {
  what: string;
  method: Method;
  /** Below the base. */
  path: string;
  body: unknown;
  /** Of a body that is no JSON. */
  headers: { readonly [name: string]: string };
  /** Whether the path names something of the first merchant: then there is no such thing. */
  namesForeign: boolean;
  /** What of the first merchant is sent: an answer may quote it. */
  sent: readonly string[];
}

type Value = (things: Things) => string;

/** By the end of the path up to the parameter. Another one is to be added here with what it names. */
const PARAMETERS: readonly [end: RegExp, values: readonly Value[]][] = [
  [/\/transactions\/\{uuid\}$/, [({ uuid }) => uuid, ({ linkUuid }) => linkUuid]],
  [/\/payment-links\/\{id\}$/, [({ paymentLinkId }) => paymentLinkId]],
  [/\/disputes\/\{id\}$/, [({ disputeId }) => disputeId]],
  [/\/alerts\/\{id\}$/, [({ alertId }) => alertId]],
  [/\/agent-credentials\/\{id\}$/, [({ agentCredentialId }) => agentCredentialId]],
  [/\/plans\/\{id\}$/, [({ planId }) => planId]],
  [/\/subscriptions\/\{id\}$/, [({ subscriptionId }) => subscriptionId]],
  [/\/exports\/\{id\}$/, [({ exportId }) => exportId]],
  [/\{terminalId\}$/, [({ terminalId }) => terminalId]],
  [/\/users\/\{userId\}$/, [({ userId }) => userId, ({ invitedUserId }) => invitedUserId]],
  [/\/sessions\/\{id\}$/, [({ sessionId }) => sessionId]],
  [/\/webhooks\/\{id\}$/, [({ webhookId }) => webhookId]],
  [/\/webhooks\/deliveries\/\{id\}$/, [({ deliveryId }) => deliveryId]],
  [/\/passkeys\/\{id\}$/, [({ passkeyId }) => passkeyId]],
];

/** Parameters that name nothing of any merchant, and what they may be. */
const COMMON: readonly [end: RegExp, value: string][] = [
  [/\/payment-methods\/\{service\}$/, "PAYPAL"],
  [/\/reconciliation\/\{day\}$/, "2026-01-15"],
];

/** Members of queries that name something of a merchant, and those that name nothing. */
const QUERY: { readonly [member: string]: readonly Value[] } = {
  terminalId: [({ terminalId }) => terminalId],
  authCode: [({ authCode }) => authCode],
  last4: [({ last4 }) => last4],
  q: [
    ({ uuid }) => uuid,
    ({ authCode }) => authCode,
    ({ last4 }) => last4,
    ({ paymentLinkId }) => paymentLinkId,
    ({ reference }) => reference,
    ({ disputeId }) => disputeId,
    ({ alertId }) => alertId,
    ({ networkCaseId }) => networkCaseId,
    ({ subscriptionId }) => subscriptionId,
    ({ terminalId }) => terminalId,
    ({ customerEmail }) => customerEmail,
  ],
  customerEmail: [({ customerEmail }) => customerEmail],
  cursor: [
    ({ transactionsCursor }) => transactionsCursor,
    ({ auditCursor }) => auditCursor,
    ({ deliveriesCursor }) => deliveriesCursor,
    ({ paymentLinksCursor }) => paymentLinksCursor,
    ({ logCursor }) => logCursor,
    ({ disputesCursor }) => disputesCursor,
    ({ subscriptionsCursor }) => subscriptionsCursor,
    ({ agentCredentialsCursor }) => agentCredentialsCursor,
  ],
  objectId: [({ userId }) => userId, ({ email }) => email, ({ objectId }) => objectId, ({ webhookId }) => webhookId],
  endpointId: [({ webhookId }) => webhookId],
  eventType: [],
  planId: [({ planId }) => planId],
  agentId: [({ agentCredentialId }) => agentCredentialId],
  beforeCycle: [],
  requestId: [({ requestId }) => requestId],
  ...{
    from: [],
    to: [],
    status: [],
    method: [],
    amountMin: [],
    amountMax: [],
    currency: [],
    limit: [],
    lang: [],
    day: [],
    outcome: [],
    state: [],
    seen: [],
    stage: [],
    category: [],
    dueWithinDays: [],
    includeAlerts: [],
    source: [],
    order: [],
    compare: [],
    granularity: [],
    sort: [],
    activeOnly: [],
    refundState: [],
    isPayment: [],
  },
};

/** Members of bodies that name something of a merchant or of its people; null for those that do not, which are as in the example of the declaration. */
const BODY: { readonly [member: string]: Value | null } = {
  merchantId: ({ merchantId }) => merchantId,
  email: ({ email }) => email,
  endpointId: ({ webhookId }) => webhookId,
  cursor: ({ deliveriesCursor }) => deliveriesCursor,
  customerEmail: ({ customerEmail }) => customerEmail,
  reference: ({ reference }) => reference,
  ...{
    hours: null,
    role: null,
    state: null,
    locale: null,
    theme: null,
    savedViews: null,
    password: null,
    newPassword: null,
    code: null,
    recoveryCode: null,
    seen: null,
  },
  ...{ version: null, schemes: null, publishableKey: null },
  ...{ response: null, name: null, token: null },
  ...{ format: null, url: null, events: null, description: null, status: null },
  planId: ({ planId }) => planId,
  // Personal, and no name of anything.
  customer: null,
  ...{ interval: null, count: null, trialDays: null, active: null, collection: null, methodId: null, atPeriodEnd: null },
  ...{ retryDays: null, finalAction: null, mails: null },
  ...{ amountMinor: null, currency: null, expiresInHours: null, reason: null, environment: null },
  fileIds: ({ evidenceId }) => evidenceId,
  ...{ action: null, statement: null, fields: null },
  ...{ scopes: null, limits: null, ipAllow: null, expiresInDays: null },
  // A filter of an export may name something, as in the queries of lists: what it finds is the asking merchant's.
  ...{ list: null, filters: null, columns: null, lang: null },
  color: null,
  ...{ enabled: null, rules: null, dailyCountMax: null, dailyAmountMaxMinor: null },
};

/** Whoever has this token was sent it: it is the right to see what it is for, whoever is signed in. */
export const BY_TOKEN: ReadonlySet<string> = new Set(["portalShowInvitation", "portalAcceptInvitation"]);

export function isOfPortal({ path }: Pick<AnyEndpoint, "path">): boolean {
  return path.startsWith(`${MERCHANT_BASE}/`);
}

/** Fails for a parameter, or a member of a query or a body, of which it is not known here what it names. */
export function attemptsAt(endpoint: AnyEndpoint, things: Things): Attempt[] {
  const { name, method } = endpoint;
  const bodies = bodiesOf(endpoint, things);
  const attempts = pathsOf(endpoint, things).flatMap(({ path, sent: inPath }) =>
    queriesOf(endpoint, things).flatMap(({ query, sent: inQuery }) =>
      bodies.map(({ body, sent: inBody }) => ({
        what: `${name}: ${method} ${path}${query}`,
        method,
        path: path + query,
        body,
        headers: endpoint.upload === undefined ? {} : { "content-type": MULTIPART },
        namesForeign: inPath.length > 0,
        sent: [...inPath, ...inQuery, ...inBody],
      })),
    ),
  );
  assert.ok(attempts.length > 0, `${name} is not asked at all`);
  return attempts;
}

function pathsOf({ name, path, params }: AnyEndpoint, things: Things): { path: string; sent: string[] }[] {
  const below = path.slice(MERCHANT_BASE.length);
  const parameters = Object.keys(params?.properties ?? {});
  if (parameters.length === 0) return [{ path: below, sent: [] }];
  if (parameters.length === 2 && below.startsWith("/disputes/{id}/evidence/{fileId}")) {
    const sent = [things.disputeId, things.evidenceId];
    return [{ path: `/disputes/${things.disputeId}/evidence/${things.evidenceId}`, sent }];
  }
  assert.equal(parameters.length, 1, `${name}: several parameters are not known how to fill`);
  const at = below.indexOf("}") + 1;
  const filled = (value: string) => below.slice(0, at).replace(/\{\w+\}$/, encodeURIComponent(value)) + below.slice(at);
  const common = COMMON.find(([end]) => end.test(below.slice(0, at)));
  if (common !== undefined) return [{ path: filled(common[1]), sent: [] }];
  const [, values] =
    PARAMETERS.find(([end]) => end.test(below.slice(0, at))) ?? assert.fail(`${name}: what does the parameter of ${path} name?`);
  return values.map((value) => {
    const id = value(things);
    return { path: filled(id), sent: [id] };
  });
}

/** Without a query, and with each member that names something alone. */
function queriesOf({ name, query, upload }: AnyEndpoint, things: Things): { query: string; sent: string[] }[] {
  // What a file is of: without it there is no answer to the rest.
  if (upload !== undefined && query !== undefined) {
    assert.deepEqual(Object.keys(query.properties), ["category"], `${name}: what do the members of the query name?`);
    return [{ query: "?category=OTHER", sent: [] }];
  }
  const found: { query: string; sent: string[] }[] = [{ query: "", sent: [] }];
  for (const member of Object.keys(query?.properties ?? {})) {
    for (const value of QUERY[member] ?? assert.fail(`${name}: what does ${member} of the query name?`)) {
      const sent = value(things);
      found.push({ query: `?${member}=${encodeURIComponent(sent)}`, sent: [sent] });
    }
  }
  return found;
}

/** The example of the declaration (a passkey's answer has none), with the first merchant's in the place of its names; without a body where there is none. */
function bodiesOf({ name, body, bodyExample, upload }: AnyEndpoint, things: Things): { body: unknown; sent: string[] }[] {
  if (upload !== undefined) {
    return [{ body: formOf([{ name: upload.member, fileName: "proof.pdf", content: "%PDF-1.7" }]), sent: [] }];
  }
  if (body === undefined) return [{ body: undefined, sent: [] }];
  const members = membersOf(body);
  for (const member of members) assert.ok(member in BODY, `${name}: what does ${member} of the body name?`);
  const example = bodyExample ?? Object.fromEntries(members.map((member) => [member, member === "response" ? {} : "x"]));
  const sent: string[] = [];
  const filled = Object.entries(Object(example)).map(([member, value]) => {
    const foreign = BODY[member]?.(things);
    if (foreign !== undefined) sent.push(foreign);
    return [member, foreign ?? value];
  });
  return [{ body: Object.fromEntries(filled), sent }];
}

function membersOf(schema: TSchema): string[] {
  return Object.keys(schema["properties"] ?? {});
}
