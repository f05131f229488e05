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
  planOf,
  RolloutChange,
  RolloutRequest,
  TerminalDeployRequest,
  VersionParams,
} from "./schemas.ts";
import { type AppsOperations, apps } from "./surface.ts";

const PAGE_DEFAULT = 100;
const PAGE_MAX = 500;

const deployed = {
  description: "The deployment; its state is `draft` if the version has no package yet, or with `startsByHand`.",
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
  description:
    "It takes precedence over deployments to the terminal's merchant and to all terminals. It replaces the previous deployment to the terminal.",
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
    return answer(await deployments.deploy(params.versionId, { type: "terminal", terminalId }, planOf(body)));
  },
});

export const deployToMerchant = apps.endpoint({
  name: "deployToMerchant",
  method: "POST",
  path: "/admin/app-versions/{versionId}/deploy-merchant",
  summary: "Deploy an app version to a merchant",
  description:
    "The cloud configurations say which terminals belong to the merchant. The deployment takes precedence over the deployment to all terminals.",
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
    return answer(await deployments.deploy(params.versionId, { type: "merchant", merchantId }, planOf(body)));
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
    answer(await deployments.deploy(params.versionId, { type: "global" }, planOf(body ?? {}))),
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
  responses: {
    200: { ...deployed, description: "The deployment as it is after the call." },
    ...apps.errors(400, 401, 404, 409, 413, 415, 503),
  },
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

export const startDeployment = apps.endpoint({
  ...step,
  name: "startDeployment",
  audit: { action: "app-deployment.start" },
  path: "/admin/app-deployments/{deploymentId}/start",
  summary: "Start an app deployment",
  description:
    "Starts a draft that was created with `startsByHand`. If its version has no package yet, it stays a draft and becomes active with the package.",
  handle: async ({ deployments }, { params }) => answer(await deployments.start(params.deploymentId)),
});

export const startNextRing = apps.endpoint({
  ...step,
  name: "startNextRing",
  audit: { action: "app-deployment.next-ring" },
  path: "/admin/app-deployments/{deploymentId}/next-ring",
  summary: "Start the next ring of an app deployment",
  description: "Install reports are counted anew for the automatic pause and for the ring that follows.",
  handle: async ({ deployments }, { params }) => answer(await deployments.startNextRing(params.deploymentId)),
});

export const stopDeployment = apps.endpoint({
  ...step,
  name: "stopDeployment",
  audit: { action: "app-deployment.stop" },
  path: "/admin/app-deployments/{deploymentId}/stop",
  summary: "Stop an app deployment",
  description:
    "The relay offers the version to no further terminal, and the deployment cannot be resumed. The previous deployment of the same target is offered again, if there is one whose version can be offered. Terminals that have the version keep it.",
  handle: async ({ deployments }, { params }) => answer(await deployments.stop(params.deploymentId)),
});

export const rollBackDeployment = apps.endpoint({
  ...step,
  name: "rollBackDeployment",
  audit: { action: "app-deployment.roll-back" },
  path: "/admin/app-deployments/{deploymentId}/roll-back",
  summary: "Roll back an app deployment",
  description:
    "The relay offers the earlier version again to terminals with an older one. Terminals that have the later version keep it: the relay never offers a downgrade. Returns the deployment that is now active.",
  handle: async ({ deployments }, { params }) => answer(await deployments.rollBack(params.deploymentId)),
});

const STEPS = "POST /admin/app-deployments/{deploymentId}/start, /pause, /resume, /stop or /roll-back";

export const changeDeployment = apps.endpoint({
  ...step,
  name: "changeDeployment",
  audit: { action: "app-deployment.change" },
  method: "PATCH",
  path: "/admin/app-deployments/{deploymentId}",
  summary: "Update an app deployment",
  description: "Members that are left out keep their values. A larger percentage includes the terminals of a smaller one.",
  body: RolloutChange,
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
