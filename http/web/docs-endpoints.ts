import { readFileSync } from "node:fs";
import { Type } from "@sinclair/typebox";
import type { Endpoint, SurfaceFacts } from "../endpoint/endpoint.ts";
import type { ErrorEnvelope } from "../endpoint/error-envelope.ts";
import { surface } from "../endpoint/surface.ts";

/** The documents, as text. */
export interface DocsOperations {
  openApi(): string;
  page(): string;
  script(): string;
  style(): string;
}

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const HEADERS = { "Cache-Control": { description: "How long the document may be cached." } };
const PAGE_HEADERS = {
  ...HEADERS,
  "Content-Security-Policy": { description: "The page loads nothing from other origins." },
};

/** The interface description and a page that renders it. */
export function docsEndpoints(envelope: ErrorEnvelope): Endpoint<DocsOperations>[] {
  const facts: SurfaceFacts = { name: "docs", tags: ["Documentation"], envelope };
  const docs = surface<DocsOperations>()(facts);
  const document = (name: "page" | "script" | "style", path: string, contentType: string, summary: string) =>
    docs.endpoint({
      name: `docs${name[0]?.toUpperCase()}${name.slice(1)}`,
      method: "GET",
      path,
      summary,
      auth: "none",
      responses: { 200: { description: summary, body: Type.String(), contentType, headers: PAGE_HEADERS } },
      handle: (operations) => ({
        status: 200,
        text: operations[name](),
        headers: { "Cache-Control": "no-cache", "Content-Security-Policy": PAGE_POLICY },
      }),
    });
  return [
    docs.endpoint({
      name: "openApiDocument",
      method: "GET",
      path: "/openapi.json",
      summary: "Get this interface as an OpenAPI 3.1 document",
      auth: "none",
      responses: { 200: { description: "The document.", body: Type.Record(Type.String(), Type.Unknown()), headers: HEADERS } },
      handle: ({ openApi }) => ({ status: 200, text: openApi(), headers: { "Cache-Control": "no-cache" } }),
    }),
    document("page", "/docs", "text/html; charset=utf-8", "Get this interface as an HTML page"),
    document("script", "/docs/docs.js", "text/javascript; charset=utf-8", "Get the script of the page"),
    document("style", "/docs/docs.css", "text/css; charset=utf-8", "Get the style sheet of the page"),
  ];
}

/** Reads the page's files; `openApi` is the document's text. */
export function docsOperations(openApi: () => string): DocsOperations {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
  const [page, script, style] = [read("./docs.html"), read("./docs.js"), read("./docs.css")];
  return { openApi, page: () => page, script: () => script, style: () => style };
}
