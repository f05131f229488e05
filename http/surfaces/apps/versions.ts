import { Type } from "@sinclair/typebox";
import { okBody, TextBody } from "../parts/relay-envelope.ts";
import { VERSION_EXAMPLE, Version, VersionChange, VersionParams, VersionRequest, versionBody } from "./schemas.ts";
import { apps } from "./surface.ts";

const version = {
  description: "The version.",
  body: okBody(Version),
  example: { status: "ok", data: VERSION_EXAMPLE },
};

export const listAppVersions = apps.endpoint({
  name: "listAppVersions",
  method: "GET",
  path: "/admin/app-versions",
  summary: "List app versions",
  auth: "admin",
  role: "read-only",
  responses: { 200: { description: "All versions.", body: okBody(Type.Array(Version)) }, ...apps.errors(401) },
  handle: (operations) => {
    const data = operations.appCatalog.versions().map((one) => versionBody(one, operations));
    return { status: 200 as const, body: { status: "ok" as const, data } };
  },
});

export const createAppVersion = apps.endpoint({
  name: "createAppVersion",
  method: "POST",
  path: "/admin/app-versions",
  summary: "Create an app version",
  auth: "admin",
  role: "operator",
  machine: "apps",
  audit: { action: "app-version.create", subject: ({ body }) => String(body.versionCode) },
  bodyBytesMax: 65_536,
  body: VersionRequest,
  bodyExample: { versionCode: 42, versionName: "4.2.0", mandatory: false, releaseNotes: "Faster contactless payments." },
  responses: { 200: version, ...apps.errors(400, 401, 409, 413, 415, 503) },
  handle: async (operations, { body }) => {
    const { versionCode, versionName, mandatory = false, releaseNotes = "", active = true } = body;
    const created = await operations.appVersions.create({ versionCode, versionName, mandatory, releaseNotes, active });
    return { status: 200, body: { status: "ok", data: versionBody(created, operations) } };
  },
});

export const changeAppVersion = apps.endpoint({
  name: "changeAppVersion",
  method: "PATCH",
  path: "/admin/app-versions/{versionId}",
  summary: "Update an app version",
  auth: "admin",
  role: "operator",
  machine: "apps",
  audit: { action: "app-version.change" },
  bodyBytesMax: 65_536,
  params: VersionParams,
  body: VersionChange,
  elsewhere: { active: "PATCH /admin/app-versions/{versionId}/active" },
  bodyExample: { mandatory: true },
  responses: { 200: version, ...apps.errors(400, 401, 404, 413, 415, 503) },
  handle: async (operations, { params, body: { versionCode, versionName, mandatory, releaseNotes } }) => {
    const changed = await operations.appVersions.change(params.versionId, {
      ...(versionCode === undefined ? {} : { versionCode }),
      ...(versionName === undefined ? {} : { versionName }),
      ...(mandatory === undefined ? {} : { mandatory }),
      ...(releaseNotes === undefined ? {} : { releaseNotes }),
    });
    return { status: 200, body: { status: "ok", data: versionBody(changed, operations) } };
  },
});

export const switchAppVersion = apps.endpoint({
  name: "switchAppVersion",
  method: "PATCH",
  path: "/admin/app-versions/{versionId}/active",
  summary: "Enable or disable an app version",
  description: "A version that is not active is not offered. Its package can still be downloaded by terminals that were offered it before.",
  auth: "admin",
  role: "operator",
  machine: "apps",
  audit: { action: "app-version.switch", subject: ({ params, body }) => `${params.versionId} ${body.active ? "active" : "not active"}` },
  params: VersionParams,
  body: Type.Object({ active: Type.Boolean() }),
  bodyExample: { active: false },
  responses: { 200: { description: "Done.", body: TextBody }, ...apps.errors(400, 401, 404, 413, 415, 503) },
  handle: async ({ appVersions }, { params, body }) => {
    const { versionCode, active } = await appVersions.setActive(params.versionId, body.active);
    return { status: 200, body: { status: "ok", data: `Version ${versionCode} is ${active ? "active" : "not active"}` } };
  },
});

export const deleteAppVersion = apps.endpoint({
  name: "deleteAppVersion",
  method: "DELETE",
  path: "/admin/app-versions/{versionId}",
  summary: "Delete an app version",
  auth: "admin",
  role: "operator",
  machine: "apps",
  audit: { action: "app-version.delete" },
  params: VersionParams,
  responses: { 200: { description: "Deleted.", body: TextBody }, ...apps.errors(400, 401, 404, 409, 503) },
  handle: async ({ appVersions }, { params }) => {
    await appVersions.remove(params.versionId);
    return { status: 200, body: { status: "ok", data: "Version deleted, with its deployments and its package" } };
  },
});
