import { type Static, Type } from "@sinclair/typebox";
import { type AppDeployment, ROLLOUT_DEFAULT, type RolloutOptions } from "../../../engine/apps/app-deployment.ts";
import { type AppVersion, RELEASE_NOTES_LENGTH_MAX, VERSION_CODE_MAX, VERSION_NAME_LENGTH_MAX } from "../../../engine/apps/app-version.ts";
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
    mandatory: Type.Optional(Type.Boolean({ default: false, description: "The app may not continue without the update." })),
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
    active: Type.Boolean({ description: "False: withdrawn, not offered." }),
    apkUrl: NullableText("The package's address; null until it is uploaded."),
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
        "Share of the target's terminals in percent. The choice is stable: it is always the same terminals. The others are offered the previous deployment. Default: 100.",
    }),
  ),
  pauseAtFailurePercent: Type.Optional(
    Type.Union([Type.Number({ minimum: 1, maximum: 100 }), Type.Null()], {
      description: "The deployment pauses when this percentage of the install reports are failures. Null or absent: never.",
    }),
  ),
  pauseAfterReports: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 1_000_000,
      description: "The number of reports before the failure percentage is evaluated. Default: 10.",
    }),
  ),
};

export const RolloutRequest = Type.Object(rollout, { title: "RolloutRequest" });
export const MerchantDeployRequest = Type.Object(
  {
    merchantId: Type.String({
      minLength: 1,
      maxLength: CONFIG_NAME_LENGTH_MAX,
      pattern: CONFIG_NAME_PATTERN,
      description: "As in the cloud configurations of its terminals.",
    }),
    ...rollout,
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

export function rolloutOf({ rolloutPercent, pauseAtFailurePercent, pauseAfterReports }: Static<typeof RolloutRequest>): RolloutOptions {
  return {
    rolloutPercent: rolloutPercent ?? ROLLOUT_DEFAULT.rolloutPercent,
    pauseAtFailurePercent: pauseAtFailurePercent ?? ROLLOUT_DEFAULT.pauseAtFailurePercent,
    pauseAfterReports: pauseAfterReports ?? ROLLOUT_DEFAULT.pauseAfterReports,
  };
}

const DeploymentState = words(["draft", "active", "paused", "superseded", "disabled"], {
  title: "DeploymentState",
  description:
    "draft: the version has no package yet. active: the version is offered. paused: nothing is offered to its terminals. superseded: another deployment replaced it. disabled: the version is withdrawn.",
});
const DeploymentTarget = words(["terminal", "merchant", "global"], { title: "DeploymentTarget" });
const PauseReason = words(["operator", "failures"], { title: "PauseReason" });

export const Deployment = Type.Object(
  {
    id: Type.Integer(),
    versionId: Type.Integer(),
    target: DeploymentTarget,
    terminalId: Type.Optional(Type.String({ description: "Only for the deployment to a terminal." })),
    merchantId: Type.Optional(Type.String({ description: "Only for the deployment to a merchant." })),
    state: DeploymentState,
    pausedBecause: Type.Optional(PauseReason),
    rolloutPercent: Type.Number(),
    pauseAtFailurePercent: Type.Union([Type.Number(), Type.Null()]),
    pauseAfterReports: Type.Integer(),
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
  const { id, versionId, target, pausedBecause, rolloutPercent, pauseAtFailurePercent, pauseAfterReports, counts } = deployment;
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
