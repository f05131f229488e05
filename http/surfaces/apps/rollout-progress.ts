import { type Static, Type } from "@sinclair/typebox";
import type { RolloutTerminal } from "../../../engine/fleet/rollout-progress.ts";
import { ROLLOUT_STATES } from "../../../engine/fleet/words.ts";
import { iso } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { ConnectionStatus, words } from "../parts/schemas.ts";
import { DEPLOYMENT_EXAMPLE, Deployment, DeploymentParams, deploymentBody } from "./schemas.ts";
import { apps } from "./surface.ts";

const PAGE_DEFAULT = 50;
const PAGE_MAX = 500;

const RolloutState = words(ROLLOUT_STATES, {
  title: "RolloutState",
  description:
    "INSTALLED: the terminal reported the install, or reports that it runs the version. DOWNLOADING: the version was offered to it. WAITING: it is connected and has not asked yet. OFFLINE: it is not connected. FAILED: its latest install failed.",
});

const counts = {
  INSTALLED: Type.Integer(),
  DOWNLOADING: Type.Integer(),
  WAITING: Type.Integer(),
  OFFLINE: Type.Integer(),
  FAILED: Type.Integer(),
} satisfies Record<(typeof ROLLOUT_STATES)[number], unknown>;

export const RolloutProgress = Type.Object(
  {
    deployment: Deployment,
    counts: Type.Object(counts, { title: "RolloutCounts", description: "Each terminal is in one state." }),
    failures: Type.Array(
      Type.Object({
        reason: Type.Union([Type.String(), Type.Null()], { description: "As a terminal reported it; null if it gave no reason." }),
        terminals: Type.Integer(),
      }),
      { description: "The reasons of failed installs, the most frequent first. Reasons that differ only in numbers are one." },
    ),
    complete: Type.Boolean({ description: "False if the relay has more terminals than it examines for this response." }),
  },
  { title: "RolloutProgress" },
);

export const RolloutTerminalSchema = Type.Object(
  {
    terminalId: Type.String(),
    state: RolloutState,
    reason: Type.Union([Type.String(), Type.Null()], { description: "Why the latest install failed." }),
    connectionStatus: Type.Union([ConnectionStatus, Type.Null()], { description: "Null if the relay did not examine the terminal." }),
    appVersion: Type.Union([Type.String(), Type.Null()]),
    deviceModel: Type.Union([Type.String(), Type.Null()]),
    lastSeen: Type.Union([Type.String(), Type.Null()], { description: "ISO 8601 UTC; null if the terminal is ONLINE or was never seen." }),
  },
  { title: "RolloutTerminal" },
);

export const showRolloutProgress = apps.endpoint({
  name: "showRolloutProgress",
  method: "GET",
  path: "/admin/app-deployments/{deploymentId}/progress",
  summary: "Get the progress of an app deployment",
  description:
    "Counts the terminals that the deployment is meant for now, and those that were offered it before. The figures are at most a few seconds old.",
  auth: "admin",
  role: "read-only",
  params: DeploymentParams,
  responses: {
    200: {
      description: "The progress.",
      body: okBody(RolloutProgress),
      example: {
        status: "ok",
        data: {
          deployment: DEPLOYMENT_EXAMPLE,
          counts: { INSTALLED: 761, DOWNLOADING: 29, WAITING: 12, OFFLINE: 40, FAILED: 4 },
          failures: [{ reason: "INSTALL_FAILED_INSUFFICIENT_STORAGE", terminals: 3 }],
          complete: true,
        },
      },
    },
    ...apps.errors(400, 401, 404, 503),
  },
  handle: async ({ rolloutProgress }, { params }) => {
    const { deployment, counts: counted, failures, isComplete } = await rolloutProgress.of(params.deploymentId);
    const data = { deployment: deploymentBody(deployment), counts: { ...counted }, failures: [...failures], complete: isComplete };
    return { status: 200, body: { status: "ok", data } };
  },
});

export const listRolloutTerminals = apps.endpoint({
  name: "listRolloutTerminals",
  method: "GET",
  path: "/admin/app-deployments/{deploymentId}/terminals",
  summary: "List the terminals of an app deployment",
  auth: "admin",
  role: "read-only",
  params: DeploymentParams,
  query: Type.Object({
    state: Type.Optional(RolloutState),
    cursor: Type.Optional(Type.String({ maxLength: 64, pattern: "^[\\x21-\\x7e]*$", description: "`next` of the previous page." })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: PAGE_DEFAULT })),
  }),
  responses: {
    200: {
      description: "A page, by terminal id.",
      body: okBody(
        Type.Object({
          items: Type.Array(RolloutTerminalSchema),
          next: Type.Union([Type.String(), Type.Null()], { description: "Null if there are no further terminals." }),
        }),
      ),
    },
    ...apps.errors(400, 401, 404, 503),
  },
  handle: async ({ rolloutProgress }, { params, query: { state = null, cursor: after = "", limit = PAGE_DEFAULT } }) => {
    const { items, next } = await rolloutProgress.terminals(params.deploymentId, { state, after, limit });
    return { status: 200, body: { status: "ok", data: { items: items.map(shown), next } } };
  },
});

function shown({ terminalId, state, reason, terminal }: RolloutTerminal): Static<typeof RolloutTerminalSchema> {
  const { connectionStatus = null, device = {}, lastSeenMs } = terminal?.view ?? {};
  const { appVersion = null, deviceModel = null } = device;
  return {
    terminalId,
    state,
    reason,
    connectionStatus,
    appVersion,
    deviceModel,
    lastSeen: lastSeenMs === undefined ? null : iso(lastSeenMs),
  };
}
