import { Type } from "@sinclair/typebox";
import { RelayError } from "../../engine/kernel/errors.ts";
import { preferredEncoding } from "../endpoint/accept-encoding.ts";
import type { Endpoint, SurfaceFacts } from "../endpoint/endpoint.ts";
import { isNamedIn } from "../endpoint/entity-tag.ts";
import type { ErrorEnvelope } from "../endpoint/error-envelope.ts";
import { surface } from "../endpoint/surface.ts";
import { PORTAL_ASSETS_PATH, PORTAL_PATH } from "./bundle-portal.ts";
import { CacheRequest, fromMemory } from "./encoded-file.ts";
import type { PortalFile, PortalFiles } from "./portal-files.ts";

export interface PortalPageOperations {
  portalFiles: PortalFiles;
}

/** The pages run only scripts of this origin, and none that is made of text; no other page holds them in a frame (spec of the portal, section 8). */
export const PORTAL_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const FOREVER = "public, max-age=31536000, immutable";

const CACHE_HEADERS = {
  "Cache-Control": { description: "How long it may be cached." },
  ETag: { description: "Of the bytes." },
  Vary: { description: "Accept-Encoding" },
};
const FILE_HEADERS = { ...CACHE_HEADERS, "Content-Encoding": { description: "gzip or br, where the request accepts it." } };
const PAGE_HEADERS = {
  "Content-Security-Policy": { description: "The page loads nothing from other origins." },
  "Referrer-Policy": { description: "Nobody is told the address: it may hold a token." },
  "X-Robots-Tag": { description: "No search engine keeps the page." },
};

/** The merchant portal for browsers: the same page at each of its addresses, and the files that it loads. */
export function portalEndpoints(envelope: ErrorEnvelope): Endpoint<PortalPageOperations>[] {
  const facts: SurfaceFacts = { name: "portal-pages", tags: ["Merchant portal"], envelope };
  const portal = surface<PortalPageOperations>()({ ...facts, envelope: { ...envelope, schema: envelope.schema } });
  const shared = {
    method: "GET",
    auth: "none",
    unknownQuery: "ignore",
    headers: CacheRequest,
  } as const;
  const page = (name: string, path: string, params: ReturnType<typeof Type.Object>) =>
    portal.endpoint({
      ...shared,
      name,
      path,
      summary: "Get the merchant portal",
      params,
      responses: {
        200: {
          description: "The page.",
          file: true,
          contentType: "text/html; charset=utf-8",
          headers: { ...FILE_HEADERS, ...PAGE_HEADERS },
        },
        304: { description: "The caller already has the page.", headers: { ...CACHE_HEADERS, ...PAGE_HEADERS } },
        ...portal.errors(400, 404, 503),
      },
      handle: ({ portalFiles: { shell } }, { headers }) => {
        const common = {
          "Cache-Control": "no-cache",
          ETag: shell.etag,
          Vary: "Accept-Encoding",
          "Content-Security-Policy": PORTAL_POLICY,
          "Referrer-Policy": "no-referrer",
          "X-Robots-Tag": "noindex, nofollow",
        };
        return isNamedIn(headers["if-none-match"], shell.etag)
          ? { status: 304 as const, headers: common }
          : { status: 200 as const, ...bodyOf(shell, headers, common) };
      },
    });
  const Segment = Type.String({ minLength: 1, maxLength: 128, description: "Read by the page's script." });
  return [
    page("portalPage", PORTAL_PATH, Type.Object({})),
    page("portalPageOf", `${PORTAL_PATH}/{page}`, Type.Object({ page: Segment })),
    page("portalPageOfObject", `${PORTAL_PATH}/{page}/{id}`, Type.Object({ page: Segment, id: Segment })),
    portal.endpoint({
      ...shared,
      name: "portalAsset",
      path: `${PORTAL_ASSETS_PATH}/{file}`,
      summary: "Get a file of the merchant portal, which never changes",
      params: Type.Object({
        file: Type.String({ pattern: "^[A-Za-z0-9-]{1,80}\\.(?:js|css|svg)$", description: "As the page names it." }),
      }),
      responses: {
        200: { description: "The file.", file: true, contentType: "text/javascript; charset=utf-8", headers: FILE_HEADERS },
        304: { description: "The caller already has the file.", headers: CACHE_HEADERS },
        ...portal.errors(400, 404, 503),
      },
      handle: ({ portalFiles: { assets } }, { params: { file: name }, headers }) => {
        const asset = assets.get(name);
        if (asset === undefined) throw new RelayError("not_found", "There is no such file in this version of the portal.");
        const common = { "Cache-Control": FOREVER, ETag: asset.etag, Vary: "Accept-Encoding" };
        return isNamedIn(headers["if-none-match"], asset.etag)
          ? { status: 304 as const, headers: common }
          : { status: 200 as const, ...bodyOf(asset, headers, common) };
      },
    }),
  ];
}

function bodyOf<H extends object>({ bytes, contentType }: PortalFile, headers: CacheRequest, common: H) {
  const encoding = preferredEncoding(headers["accept-encoding"] ?? "");
  return {
    file: fromMemory(bytes[encoding], contentType),
    headers: { ...common, ...(encoding === "identity" ? {} : { "Content-Encoding": encoding }) },
  };
}
