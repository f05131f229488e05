import { Type } from "@sinclair/typebox";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Endpoint, SurfaceFacts } from "../endpoint/endpoint.ts";
import type { ErrorEnvelope } from "../endpoint/error-envelope.ts";
import { surface } from "../endpoint/surface.ts";
import {
  OPERATORS_ASSETS_PATH,
  OPERATORS_PAGES_PATH,
  OPERATORS_PATH,
  PORTAL_ASSETS_PATH,
  PORTAL_PATH,
  type WebAppName,
} from "./bundle-web-app.ts";
import { CACHE_HEADERS, CacheRequest, encodedReply, FILE_HEADERS, FOREVER } from "./encoded-file.ts";
import type { WebApps } from "./web-app-files.ts";

export interface WebAppOperations {
  webApps: WebApps;
}

/** The pages run only scripts of this origin, and none that is made of text; no other page holds them in a frame (spec of the portal, section 8). */
export const WEB_APP_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const PAGE_HEADERS = {
  "Content-Security-Policy": { description: "The page loads nothing from other origins." },
  "Referrer-Policy": { description: "Nobody is told the address: it may hold a token." },
  "X-Robots-Tag": { description: "No search engine keeps the page." },
};

interface AppFacts {
  app: WebAppName;
  surface: string;
  tag: string;
  /** What it is, as it is spoken of. */
  title: string;
  /** Of the start page, and of what is below; and of the files. */
  paths: { start: string; pages: string; assets: string };
}

/** The merchant portal for browsers. */
export const portalEndpoints = (envelope: ErrorEnvelope) =>
  webAppEndpoints(envelope, {
    app: "portal",
    surface: "portal-pages",
    tag: "Merchant portal",
    title: "the merchant portal",
    paths: { start: PORTAL_PATH, pages: PORTAL_PATH, assets: PORTAL_ASSETS_PATH },
  });

/** The operators' pages. They are below `/admin`, where endpoints for programs are too. */
export const operatorsEndpoints = (envelope: ErrorEnvelope) =>
  webAppEndpoints(envelope, {
    app: "operators",
    surface: "operators-pages",
    tag: "Administration",
    title: "the operators' pages",
    paths: { start: OPERATORS_PATH, pages: OPERATORS_PAGES_PATH, assets: OPERATORS_ASSETS_PATH },
  });

/** An app for browsers: the same page at each of its addresses, and the files that it loads. */
function webAppEndpoints(envelope: ErrorEnvelope, { app, surface: name, tag, title, paths }: AppFacts): Endpoint<WebAppOperations>[] {
  const facts: SurfaceFacts = { name, tags: [tag], envelope };
  const pages = surface<WebAppOperations>()({ ...facts, envelope: { ...envelope, schema: envelope.schema } });
  const shared = {
    method: "GET",
    auth: "none",
    headers: CacheRequest,
  } as const;
  const page = (name: string, path: string, params: ReturnType<typeof Type.Object>, more: { takesSlash?: true } = {}) =>
    pages.endpoint({
      ...shared,
      ...more,
      name,
      path,
      summary: `Get ${title}`,
      params,
      responses: {
        200: {
          description: "The page.",
          file: true,
          contentType: "text/html; charset=utf-8",
          headers: { ...FILE_HEADERS, ...PAGE_HEADERS },
        },
        304: { description: "The caller already has the page.", headers: { ...CACHE_HEADERS, ...PAGE_HEADERS } },
        ...pages.errors(400, 404, 503),
      },
      handle: ({ webApps }, { headers }) =>
        encodedReply(webApps[app].shell, headers, {
          "Cache-Control": "no-cache",
          "Content-Security-Policy": WEB_APP_POLICY,
          "Referrer-Policy": "no-referrer",
          "X-Robots-Tag": "noindex, nofollow",
        }),
    });
  const Segment = Type.String({ minLength: 1, maxLength: 128, description: "Read by the page's script." });
  return [
    page(`${app}Page`, paths.start, Type.Object({}), { takesSlash: true }),
    page(`${app}PageOf`, `${paths.pages}/{page}`, Type.Object({ page: Segment })),
    page(`${app}PageOfObject`, `${paths.pages}/{page}/{id}`, Type.Object({ page: Segment, id: Segment })),
    pages.endpoint({
      ...shared,
      name: `${app}Asset`,
      path: `${paths.assets}/{file}`,
      summary: `Get a file of ${title}, which never changes`,
      params: Type.Object({
        file: Type.String({ pattern: "^[A-Za-z0-9.-]{1,80}\\.(?:js|css|svg)$", description: "As the page names it." }),
      }),
      responses: {
        200: { description: "The file.", file: true, contentType: "text/javascript; charset=utf-8", headers: FILE_HEADERS },
        304: { description: "The caller already has the file.", headers: CACHE_HEADERS },
        ...pages.errors(400, 404, 503),
      },
      handle: ({ webApps }, { params: { file }, headers }) => {
        const asset = webApps[app].assets.get(file);
        if (asset === undefined) throw new RelayError("not_found", "There is no such file in this version of the pages.");
        return encodedReply(asset, headers, { "Cache-Control": FOREVER });
      },
    }),
  ];
}
