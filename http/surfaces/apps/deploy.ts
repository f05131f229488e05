import { type Static, Type } from "@sinclair/typebox";
import type { AppDeployment } from "../../../engine/apps/app-deployment.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { holdsSchemePan } from "../../../engine/kernel/mask.ts";
import { okBody } from "../parts/relay-envelope.ts";
import {
  DEPLOYMENT_EXAMPLE,
  Deployment,
  DeploymentParams,
  deploymentBody,
  MerchantDeployRequest,
  RolloutRequest,
  rolloutOf,
  TerminalDeployRequest,
  VersionParams,
} from "./schemas.ts";
import { type AppsOperations, apps } from "./surface.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

const deployed = {
  description: "The deployment; its state is `draft` if the version has no package yet.",
  body: okBody(Deployment),
  example: { status: "ok", data: DEPLOYMENT_EXAMPLE },
};

function answer(deployment: AppDeployment) {
  return { status: 200 as const, body: { status: "ok" as const, data: deploymentBody(deployment) } };
}

export const deployToTerminal = apps.endpoint({
  name: "deployToTerminal",
  method: "POST",
  path: "/admin/app-versions/{versionId}/deploy-terminal",
  summary: "Deploy an app version to a terminal",
  description: "Takes precedence over deployments to its merchant and to all. Replaces the previous deployment to the terminal.",
  auth: "admin",
  role: "operator",
  machine: "apps",
  audit: { action: "app-deployment.create", subject: ({ params, body }) => `${params.versionId} terminal ${body.terminalId}` },
  params: VersionParams,
  body: TerminalDeployRequest,
  bodyExample: { terminalId: "SIM00001" },
  responses: { 200: deployed, ...apps.errors(400, 401, 404, 409, 413, 415, 503) },
  handle: async ({ deployments }, { params, body }) => {
    const { terminalId } = body;
    return answer(await deployments.deploy(params.versionId, { type: "terminal", terminalId }, rolloutOf(body)));
  },
});

export const deployToMerchant = apps.endpoint({
  name: "deployToMerchant",
  method: "POST",
  path: "/admin/app-versions/{versionId}/deploy-merchant",
  summary: "Deploy an app version to a merchant",
  description: "The cloud configurations say which terminals belong to the merchant. Takes precedence over the deployment to all.",
  auth: "admin",
  role: "operator",
  machine: "apps",
  audit: { action: "app-deployment.create", subject: ({ params, body }) => `${params.versionId} merchant ${body.merchantId}` },
  params: VersionParams,
  body: MerchantDeployRequest,
  bodyExample: { merchantId: "SHOP-001" },
  responses: { 200: deployed, ...apps.errors(400, 401, 404, 409, 413, 415, 503) },
  handle: async ({ deployments }, { params, body }) => {
    const { merchantId } = body;
    if (holdsSchemePan(merchantId)) throw new RelayError("invalid_request", "merchantId: must not be a card number");
    return answer(await deployments.deploy(params.versionId, { type: "merchant", merchantId }, rolloutOf(body)));
  },
});

export const deployToAll = apps.endpoint({
  name: "deployToAll",
  method: "POST",
  path: "/admin/app-versions/{versionId}/deploy-global",
  summary: "Deploy an app version to all terminals",
  auth: "admin",
  role: "operator",
  machine: "apps",
  audit: { action: "app-deployment.create", subject: ({ params }) => `${params.versionId} all` },
  params: VersionParams,
  body: Type.Optional(RolloutRequest),
  bodyExample: { rolloutPercent: 10, pauseAtFailurePercent: 20 },
  responses: { 200: deployed, ...apps.errors(400, 401, 404, 409, 413, 415, 503) },
  handle: async ({ deployments }, { params, body }) =>
    answer(await deployments.deploy(params.versionId, { type: "global" }, rolloutOf(body ?? {}))),
});

const page = {
  after: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: "The last id of the previous page." })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT, parameterName: "PageSize" })),
};

/** The catalog has the deployments, the store their counts. */
async function list(
  { appCatalog, deployments }: AppsOperations,
  versionId: number | null,
  { after, limit = PAGE_DEFAULT }: { after?: number; limit?: number },
): Promise<Static<typeof Deployment>[]> {
  const wanted = appCatalog
    .deployments()
    .filter((one) => (versionId === null || one.versionId === versionId) && (after === undefined || one.id < after))
    .slice(0, limit);
  const read = await deployments.read(wanted.map(({ id }) => id));
  return read.filter((one) => one !== null).map(deploymentBody);
}

export const listDeployments = apps.endpoint({
  name: "listDeployments",
  method: "GET",
  path: "/admin/app-deployments",
  summary: "List app deployments",
  auth: "admin",
  role: "read-only",
  query: Type.Object(page),
  responses: { 200: { description: "A page.", body: okBody(Type.Array(Deployment)) }, ...apps.errors(400, 401, 503) },
  handle: async (operations, { query }) => ({ status: 200, body: { status: "ok", data: await list(operations, null, query) } }),
});

export const listDeploymentsOfVersion = apps.endpoint({
  name: "listDeploymentsOfVersion",
  method: "GET",
  path: "/admin/app-versions/{versionId}/deployments",
  summary: "List deployments of an app version",
  auth: "admin",
  role: "read-only",
  params: VersionParams,
  query: Type.Object(page),
  responses: { 200: { description: "A page.", body: okBody(Type.Array(Deployment)) }, ...apps.errors(400, 401, 404, 503) },
  handle: async (operations, { params: { versionId }, query }) => {
    if (operations.appCatalog.version(versionId) === null) throw new RelayError("not_found", "There is no such version");
    return { status: 200, body: { status: "ok", data: await list(operations, versionId, query) } };
  },
});

const step = {
  method: "POST",
  auth: "admin",
  role: "operator",
  machine: "apps",
  params: DeploymentParams,
  body: Type.Optional(Type.Object({})),
  responses: { 200: { ...deployed, description: "The deployment as it is now." }, ...apps.errors(400, 401, 404, 409, 413, 415, 503) },
} as const;

export const pauseDeployment = apps.endpoint({
  ...step,
  name: "pauseDeployment",
  audit: { action: "app-deployment.pause" },
  path: "/admin/app-deployments/{deploymentId}/pause",
  summary: "Pause an app deployment",
  handle: async ({ deployments }, { params }) => answer(await deployments.pause(params.deploymentId)),
});

export const resumeDeployment = apps.endpoint({
  ...step,
  name: "resumeDeployment",
  audit: { action: "app-deployment.resume" },
  path: "/admin/app-deployments/{deploymentId}/resume",
  summary: "Resume an app deployment",
  description: "Failures reported so far no longer count towards an automatic pause.",
  handle: async ({ deployments }, { params }) => answer(await deployments.resume(params.deploymentId)),
});

export const rollBackDeployment = apps.endpoint({
  ...step,
  name: "rollBackDeployment",
  audit: { action: "app-deployment.roll-back" },
  path: "/admin/app-deployments/{deploymentId}/roll-back",
  summary: "Roll back an app deployment",
  description:
    "The earlier version is offered again to terminals with an older one. Terminals that have the later version keep it: a downgrade is never offered. Returns the deployment that is now active.",
  handle: async ({ deployments }, { params }) => answer(await deployments.rollBack(params.deploymentId)),
});

const STEPS = "POST /admin/app-deployments/{deploymentId}/pause, /resume or /roll-back";

export const changeDeployment = apps.endpoint({
  ...step,
  name: "changeDeployment",
  audit: { action: "app-deployment.change" },
  method: "PATCH",
  path: "/admin/app-deployments/{deploymentId}",
  summary: "Update an app deployment",
  description: "Members that are left out keep their values. A larger share includes the terminals of a smaller one.",
  body: RolloutRequest,
  elsewhere: { active: STEPS, state: STEPS, paused: STEPS },
  bodyExample: { rolloutPercent: 50 },
  handle: async ({ deployments }, { params, body: { rolloutPercent, pauseAtFailurePercent, pauseAfterReports } }) => {
    const changed = await deployments.tune(params.deploymentId, {
      ...(rolloutPercent === undefined ? {} : { rolloutPercent }),
      ...(pauseAtFailurePercent === undefined ? {} : { pauseAtFailurePercent }),
      ...(pauseAfterReports === undefined ? {} : { pauseAfterReports }),
    });
    return answer(changed);
  },
});
