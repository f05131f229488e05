import { Type } from "@sinclair/typebox";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Endpoint, SurfaceFacts } from "../endpoint/endpoint.ts";
import type { ErrorEnvelope } from "../endpoint/error-envelope.ts";
import { surface } from "../endpoint/surface.ts";
import { CACHE_HEADERS, CacheRequest, encodedReply, FOREVER, FILE_HEADERS as USUAL_FILE_HEADERS } from "./encoded-file.ts";
import { type Asset, type ScriptAssets, versionedPath } from "./script-files.ts";

export interface ScriptOperations {
  scripts: ScriptAssets;
}

/** A page that names no version has a repaired script within minutes. */
const SHORT = "public, max-age=300";

const HEADERS_FOR_ANY_PAGE = {
  "Access-Control-Allow-Origin": { description: "Any origin: `integrity` asks for it." },
  "Cross-Origin-Resource-Policy": { description: "Pages of any site may load it." },
};
const HEADERS = { ...CACHE_HEADERS, ...HEADERS_FOR_ANY_PAGE };
const FILE_HEADERS = { ...USUAL_FILE_HEADERS, ...HEADERS_FOR_ANY_PAGE };

const Manifest = Type.Record(Type.String(), Type.Object({ path: Type.String(), integrity: Type.String() }));

/** The browser scripts: at plain names for a page that wants what is newest, and at names that never change their bytes. */
export function scriptEndpoints(envelope: ErrorEnvelope): Endpoint<ScriptOperations>[] {
  const facts: SurfaceFacts = { name: "scripts", tags: ["Browser scripts"], envelope };
  const scripts = surface<ScriptOperations>()({ ...facts, envelope: { ...envelope, schema: envelope.schema } });
  const shared = {
    method: "GET",
    auth: "none",
    headers: CacheRequest,
    responses: {
      200: { description: "The file.", file: true, contentType: "text/javascript; charset=utf-8", headers: FILE_HEADERS },
      304: { description: "The caller already has the file.", headers: HEADERS },
      ...scripts.errors(400, 404, 503),
    },
  } as const;
  const File = Type.String({ pattern: "^[a-z]{1,32}(?:\\.[a-z]{1,4}){1,2}$", description: "As the manifest names it." });
  return [
    scripts.endpoint({
      ...shared,
      name: "script",
      path: "/js/{file}",
      summary: "Get a browser script, or its types",
      params: Type.Object({ file: File }),
      handle: ({ scripts: assets }, { params: { file }, headers }) => answer(assets.get(file), headers, SHORT),
    }),
    scripts.endpoint({
      ...shared,
      name: "scriptVersion",
      path: "/js/{version}/{file}",
      summary: "Get a browser script in one version, which never changes",
      params: Type.Object({ version: Type.String({ pattern: "^[0-9a-f]{16}$", description: "As the manifest names it." }), file: File }),
      handle: ({ scripts: assets }, { params: { version, file }, headers }) => {
        const asset = assets.get(file);
        return answer(asset?.version === version ? asset : undefined, headers, FOREVER);
      },
    }),
    scripts.endpoint({
      name: "scriptManifest",
      method: "GET",
      path: "/js/manifest.json",
      summary: "List the browser scripts with their versions and integrity",
      auth: "none",
      responses: {
        200: {
          description: "By file name: the path of its present version, and what a page writes as `integrity`.",
          body: Manifest,
          headers: { "Cache-Control": HEADERS["Cache-Control"], "Access-Control-Allow-Origin": HEADERS["Access-Control-Allow-Origin"] },
        },
      },
      handle: ({ scripts: assets }) => ({
        status: 200,
        body: Object.fromEntries(
          [...assets.values()].map((asset) => [asset.file, { path: versionedPath(asset), integrity: asset.integrity }]),
        ),
        headers: { "Cache-Control": SHORT, "Access-Control-Allow-Origin": "*" },
      }),
    }),
  ];
}

function answer(asset: Asset | undefined, headers: CacheRequest, caching: string) {
  if (asset === undefined) throw new RelayError("not_found", "There is no such script; /js/manifest.json lists them.");
  return encodedReply(asset, headers, {
    "Cache-Control": caching,
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
  });
}
