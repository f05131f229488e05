import { TextBody } from "../parts/relay-envelope.ts";
import { VersionParams } from "./schemas.ts";
import { apps } from "./surface.ts";

/** After the last byte the file is synced and every shard is notified. */
const STORE_DEADLINE_MS = 60_000;

export function uploadPackageEndpoint({ packageBytesMax }: { packageBytesMax: number }) {
  return apps.endpoint({
    name: "uploadAppPackage",
    method: "POST",
    path: "/admin/app-versions/{versionId}/upload-apk",
    summary: "Upload the package of an app version",
    description:
      "MD5 and size are computed during the upload. An upload that breaks off changes nothing. A new package replaces the previous one and has a new address, unless the version is deployed: then 409, and another package needs a version of its own. Deployments that wait for a package start.",
    auth: "admin",
    role: "operator",
    machine: "apps",
    audit: { action: "app-version.upload" },
    deadlineMs: STORE_DEADLINE_MS,
    params: VersionParams,
    upload: { member: "file", description: "The package; a ZIP file, as every APK is.", bytesMax: packageBytesMax },
    responses: {
      200: {
        description: "Stored.",
        body: TextBody,
        example: { status: "ok", data: "Package of version 42 stored: 18874368 bytes, MD5 9e107d9d372bb6826bd81d3542a419d6" },
      },
      ...apps.errors(400, 401, 404, 408, 409, 413, 415, 503),
    },
    handle: async ({ uploadPackage }, { params, upload }) => {
      const { versionCode, package: stored } = await uploadPackage(params.versionId, (take) => upload.read(take));
      const data = `Package of version ${versionCode} stored: ${stored?.bytes} bytes, MD5 ${stored?.md5}`;
      return { status: 200, body: { status: "ok", data } };
    },
  });
}
