import { type Static, Type } from "@sinclair/typebox";
import { type AppDeployment, RING_GROUPS_MAX, RINGS_MAX, ROLLOUT_DEFAULT, type RolloutPlan } from "../../../engine/apps/app-deployment.ts";
import { type AppVersion, RELEASE_NOTES_LENGTH_MAX, VERSION_CODE_MAX, VERSION_NAME_LENGTH_MAX } from "../../../engine/apps/app-version.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { holdsSchemePan } from "../../../engine/kernel/mask.ts";
import { CONFIG_NAME_LENGTH_MAX, CONFIG_NAME_PATTERN } from "../../../engine/settings/cloud-config.ts";
import { iso } from "../../endpoint/time.ts";
import { NamedTerminalId, words } from "../parts/schemas.ts";
import type { AppsOperations } from "./surface.ts";

const ID = { minimum: 1, maximum: Number.MAX_SAFE_INTEGER };

export const VersionParams = Type.Object({
  versionId: Type.Integer({ ...ID, parameterName: "VersionId", description: "The version's id." }),
});
export const DeploymentParams = Type.Object({
  deploymentId: Type.Integer({ ...ID, parameterName: "DeploymentId", description: "The deployment's id." }),
});

const versionCode = Type.Integer({
  minimum: 1,
  maximum: VERSION_CODE_MAX,
  description: "Positive and unique; terminals compare it with their installed version.",
});
const versionName = Type.String({ minLength: 1, maxLength: VERSION_NAME_LENGTH_MAX });
const releaseNotes = Type.String({ maxLength: RELEASE_NOTES_LENGTH_MAX });

export const VersionRequest = Type.Object(
  {
    versionCode,
    versionName,
    mandatory: Type.Optional(Type.Boolean({ default: false, description: "True if the app must not continue without the update." })),
    releaseNotes: Type.Optional(Type.String({ maxLength: RELEASE_NOTES_LENGTH_MAX, default: "" })),
    active: Type.Optional(Type.Boolean({ default: true })),
  },
  { title: "AppVersionRequest" },
);

export const VersionChange = Type.Object(
  {
    versionCode: Type.Optional(versionCode),
    versionName: Type.Optional(versionName),
    mandatory: Type.Optional(Type.Boolean()),
    releaseNotes: Type.Optional(releaseNotes),
  },
  { title: "AppVersionChange" },
);

const NullableText = (description: string) => Type.Union([Type.String(), Type.Null()], { description });

/** A version of the terminal app as an administrator sees it. */
export const Version = Type.Object(
  {
    id: Type.Integer(),
    versionCode: Type.Integer(),
    versionName: Type.String(),
    mandatory: Type.Boolean(),
    releaseNotes: Type.String(),
    active: Type.Boolean({ description: "False if the version is withdrawn and not offered." }),
    apkUrl: NullableText("Address of the package; null until it is uploaded."),
    md5: NullableText("MD5 of the package, lower-case hex."),
    fileSize: Type.Union([Type.Integer(), Type.Null()], { description: "Size of the package in bytes." }),
    createdAt: Type.String({ description: "ISO 8601 UTC." }),
  },
  { title: "AppVersion" },
);

export function versionBody(version: AppVersion, { packageUrl }: Pick<AppsOperations, "packageUrl">): Static<typeof Version> {
  const { id, versionCode, versionName, mandatory, releaseNotes, active, createdAtMs } = version;
  return {
    id,
    versionCode,
    versionName,
    mandatory,
    releaseNotes,
    active,
    apkUrl: version.package === null ? null : packageUrl(version.package.fileName, null),
    md5: version.package?.md5 ?? null,
    fileSize: version.package?.bytes ?? null,
    createdAt: iso(createdAtMs),
  };
}

export const VERSION_EXAMPLE = {
  id: 3,
  versionCode: 42,
  versionName: "4.2.0",
  mandatory: false,
  releaseNotes: "Faster contactless payments.",
  active: true,
  apkUrl: "https://relay.example.com/api/v1/app/download/app-42-5b0c8a3e-6f0f-4a53-9d2c-0b8b6f0f7f11.apk",
  md5: "9e107d9d372bb6826bd81d3542a419d6",
  fileSize: 18_874_368,
  createdAt: "2026-01-15T09:30:00.000Z",
};

/** Additional members: staged rollout and automatic pause. Off by default. */
const rollout = {
  rolloutPercent: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 100,
      description:
        "Percentage of the target's terminals that are offered the version. The choice is stable: it is always the same terminals. The relay offers the previous deployment to the others. Default: 100.",
    }),
  ),
  pauseAtFailurePercent: Type.Optional(
    Type.Union([Type.Number({ minimum: 1, maximum: 100 }), Type.Null()], {
      description:
        "The deployment pauses when this percentage of the install reports are failures. If null or absent, it never pauses automatically.",
    }),
  ),
  pauseAfterReports: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: "The number of reports after which the failure percentage is evaluated. Default: 10.",
    }),
  ),
};

const GroupName = Type.String({ minLength: 1, maxLength: CONFIG_NAME_LENGTH_MAX, pattern: CONFIG_NAME_PATTERN });

const Ring = Type.Object(
  {
    groups: Type.Optional(
      Type.Array(GroupName, {
        maxItems: RING_GROUPS_MAX,
        uniqueItems: true,
        description: "Groups in the cloud configurations of terminals.",
      }),
    ),
    percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: "Percentage of the target's terminals. Default: 0." })),
  },
  { title: "RolloutRing" },
);

/** What can only be chosen when a deployment is created. */
const plan = {
  rings: Type.Optional(
    Type.Array(Ring, {
      minItems: 1,
      maxItems: RINGS_MAX,
      description:
        "The steps of the roll-out. The first ring starts with the deployment, each further ring adds its terminals to those of the earlier rings. Excludes `rolloutPercent`.",
    }),
  ),
  advanceAfterReports: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000 }), Type.Null()], {
      description:
        "The next ring starts automatically after this number of install reports since the latest ring started, if fewer than `pauseAtFailurePercent` of them are failures (if it is null: if none is). If null or absent, an administrator starts each ring.",
    }),
  ),
  startsByHand: Type.Optional(
    Type.Boolean({ default: false, description: "If true, the deployment stays a draft until an administrator starts it." }),
  ),
};

export const RolloutChange = Type.Object(rollout, { title: "RolloutChange" });
export const RolloutRequest = Type.Object({ ...rollout, ...plan }, { title: "RolloutRequest" });
export const MerchantDeployRequest = Type.Object(
  {
    merchantId: Type.String({
      minLength: 1,
      maxLength: CONFIG_NAME_LENGTH_MAX,
      pattern: CONFIG_NAME_PATTERN,
      description: "Merchant id, as in the cloud configurations of its terminals.",
    }),
    ...rollout,
    ...plan,
  },
  { title: "MerchantDeployRequest" },
);
export const TerminalDeployRequest = Type.Object(
  {
    terminalId: NamedTerminalId,
    ...rollout,
  },
  { title: "TerminalDeployRequest" },
);

/** Throws RelayError `invalid_request` for members that exclude each other. */
export function planOf(body: Static<typeof RolloutRequest>): RolloutPlan {
  const { rolloutPercent, pauseAtFailurePercent, pauseAfterReports, rings, advanceAfterReports = null, startsByHand = false } = body;
  if (rings !== undefined && rolloutPercent !== undefined) throw invalid("rolloutPercent: must be absent if there are rings");
  if (rings === undefined && advanceAfterReports !== null) throw invalid("advanceAfterReports: needs rings");
  if (rings?.some(({ groups = [] }) => groups.some(holdsSchemePan))) throw invalid("rings: a group must not be a card number");
  const empty = rings?.findIndex(({ groups = [], percent = 0 }) => groups.length === 0 && percent === 0) ?? -1;
  if (empty >= 0) throw invalid(`rings: ring ${empty + 1} has neither groups nor a percentage`);
  return {
    rolloutPercent: rolloutPercent ?? ROLLOUT_DEFAULT.rolloutPercent,
    pauseAtFailurePercent: pauseAtFailurePercent ?? ROLLOUT_DEFAULT.pauseAtFailurePercent,
    pauseAfterReports: pauseAfterReports ?? ROLLOUT_DEFAULT.pauseAfterReports,
    ...(rings === undefined ? {} : { rings: rings.map(({ groups = [], percent = 0 }) => ({ groups, percent })), advanceAfterReports }),
    ...(startsByHand ? { startsByHand } : {}),
  };
}

function invalid(message: string): RelayError {
  return new RelayError("invalid_request", message);
}

const DeploymentState = words(["draft", "active", "paused", "superseded", "disabled"], {
  title: "DeploymentState",
  description:
    "draft: the version has no package yet, or an administrator has to start the deployment. active: the relay offers the version. paused: the relay offers nothing to the deployment's terminals. superseded: another deployment replaced it, or an administrator stopped it. disabled: the version is withdrawn.",
});
const DeploymentTarget = words(["terminal", "merchant", "global"], { title: "DeploymentTarget" });
const PauseReason = words(["operator", "failures"], { title: "PauseReason" });

export const Deployment = Type.Object(
  {
    id: Type.Integer(),
    versionId: Type.Integer(),
    target: DeploymentTarget,
    terminalId: Type.Optional(Type.String({ description: "Present only for a deployment to a terminal." })),
    merchantId: Type.Optional(Type.String({ description: "Present only for a deployment to a merchant." })),
    state: DeploymentState,
    pausedBecause: Type.Optional(PauseReason),
    rolloutPercent: Type.Number(),
    pauseAtFailurePercent: Type.Union([Type.Number(), Type.Null()]),
    pauseAfterReports: Type.Integer(),
    rings: Type.Optional(
      Type.Array(Type.Object({ groups: Type.Array(Type.String()), percent: Type.Number() }, { title: "DeploymentRing" }), {
        description: "Present only for a roll-out in rings.",
      }),
    ),
    ringsStarted: Type.Optional(Type.Integer({ description: "The number of rings that have started. Present only with `rings`." })),
    advanceAfterReports: Type.Optional(Type.Union([Type.Integer(), Type.Null()], { description: "Present only with `rings`." })),
    startsByHand: Type.Optional(Type.Boolean({ description: "True for a draft that an administrator has to start." })),
    stopped: Type.Optional(Type.Boolean({ description: "True if an administrator has stopped the deployment." })),
    counts: Type.Object(
      { offered: Type.Integer(), downloaded: Type.Integer(), installed: Type.Integer(), failed: Type.Integer() },
      {
        title: "DeploymentCounts",
        description: "Numbers of distinct terminals. A terminal that failed and then succeeded counts as installed only.",
      },
    ),
    createdAt: Type.String({ description: "ISO 8601 UTC." }),
    changedAt: Type.String({ description: "ISO 8601 UTC." }),
  },
  { title: "AppDeployment" },
);

export function deploymentBody(deployment: AppDeployment): Static<typeof Deployment> {
  const { id, versionId, target, pausedBecause, rolloutPercent, pauseAtFailurePercent, pauseAfterReports, counts, staged } = deployment;
  return {
    id,
    versionId,
    target: target.type,
    ...(target.type === "terminal" ? { terminalId: target.terminalId } : {}),
    ...(target.type === "merchant" ? { merchantId: target.merchantId } : {}),
    state: deployment.state,
    ...(deployment.state === "paused" && pausedBecause !== null ? { pausedBecause } : {}),
    rolloutPercent,
    pauseAtFailurePercent,
    pauseAfterReports,
    ...(staged === undefined
      ? {}
      : {
          rings: staged.rings.map(({ groups, percent }) => ({ groups: [...groups], percent })),
          ringsStarted: staged.started + 1,
          advanceAfterReports: staged.advanceAfterReports,
        }),
    ...(deployment.state === "draft" && deployment.startsByHand === true ? { startsByHand: true } : {}),
    ...(deployment.stopped === true ? { stopped: true } : {}),
    counts,
    createdAt: iso(deployment.createdAtMs),
    changedAt: iso(deployment.changedAtMs),
  };
}

export const DEPLOYMENT_EXAMPLE = {
  id: 7,
  versionId: 3,
  target: "global",
  state: "active",
  rolloutPercent: 100,
  pauseAtFailurePercent: null,
  pauseAfterReports: 10,
  counts: { offered: 812, downloaded: 790, installed: 761, failed: 4 },
  createdAt: "2026-01-15T09:40:00.000Z",
  changedAt: "2026-01-15T09:40:00.000Z",
};
