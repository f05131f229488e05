import { Type } from "@sinclair/typebox";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Endpoint, SurfaceFacts } from "../endpoint/endpoint.ts";
import type { ErrorEnvelope } from "../endpoint/error-envelope.ts";
import { surface } from "../endpoint/surface.ts";
import { AUDIENCES, type DocsFiles, type DocumentName } from "./docs-files.ts";
import { DOCS_ASSETS_PATH, DOCS_PATH, docsShell, type KnownKeys } from "./docs-page.ts";
import {
  CACHE_HEADERS,
  CacheRequest,
  type EncodedFile,
  encodedReply,
  encodeText,
  FILE_HEADERS,
  FOREVER,
  madeOnce,
} from "./encoded-file.ts";

/** The documents of the interface and the page that shows them. */
export interface DocsOperations {
  document(name: DocumentName): Promise<EncodedFile>;
  docsPage(): Promise<EncodedFile>;
  docsAsset(name: string): Promise<EncodedFile | undefined>;
}

/**
 * The page runs only scripts of this origin, and none that is made of text. The viewer's icons are `data:` images, and an image that an operation answers is shown
 * as a `blob:`. Trusted types are not asked for: the viewer sets markup, which it has cleaned.
 */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const PAGE_HEADERS = { "Content-Security-Policy": { description: "The page loads nothing from other origins." } };

/** The interface description and a page that renders it. */
export function docsEndpoints(envelope: ErrorEnvelope): Endpoint<DocsOperations>[] {
  const facts: SurfaceFacts = { name: "docs", tags: ["Documentation"], envelope };
  const docs = surface<DocsOperations>()({ ...facts, envelope: { ...envelope, schema: envelope.schema } });
  const shared = { method: "GET", auth: "none", headers: CacheRequest } as const;
  const responsesWith = <Type extends string, H extends object>(what: string, contentType: Type, more: H) => ({
    200: { description: `The ${what}.`, file: true as const, contentType, headers: { ...FILE_HEADERS, ...more } },
    304: { description: `The caller already has the ${what}.`, headers: { ...CACHE_HEADERS, ...more } },
    ...docs.errors(400, 404, 503),
  });
  const document = (name: string, which: DocumentName, path: string, summary: string) =>
    docs.endpoint({
      ...shared,
      name,
      path,
      summary,
      responses: responsesWith("document", "application/json", {}),
      handle: async (operations, { headers }) => encodedReply(await operations.document(which), headers, { "Cache-Control": "no-cache" }),
    });
  return [
    document("openApiDocument", "openapi", "/openapi.json", "Get this interface as an OpenAPI document"),
    ...AUDIENCES.map((audience) =>
      document(`${audience}OpenApiDocument`, audience, `/openapi/${audience}.json`, `Get the ${audience} part of this interface`),
    ),
    document("asyncApiDocument", "asyncapi", "/asyncapi.json", "Get the messages of terminals as an AsyncAPI document"),
    docs.endpoint({
      ...shared,
      name: "docsPage",
      path: DOCS_PATH,
      takesSlash: true,
      summary: "Get this interface as a page",
      query: Type.Object({
        for: Type.Optional(Type.String({ maxLength: 64, description: "Whose document the page shows; without it the whole one." })),
      }),
      responses: responsesWith("page", "text/html; charset=utf-8", PAGE_HEADERS),
      handle: async ({ docsPage }, { headers }) =>
        encodedReply(await docsPage(), headers, { "Cache-Control": "no-cache", "Content-Security-Policy": DOCS_POLICY }),
    }),
    docs.endpoint({
      ...shared,
      name: "docsAsset",
      path: `${DOCS_ASSETS_PATH}/{file}`,
      summary: "Get a file of the page, which never changes",
      params: Type.Object({ file: Type.String({ pattern: "^[A-Za-z0-9-]{1,80}\\.(?:js|css)$", description: "As the page names it." }) }),
      responses: responsesWith("file", "text/javascript; charset=utf-8", {}),
      handle: async ({ docsAsset }, { params: { file }, headers }) => {
        const asset = await docsAsset(file);
        if (asset === undefined) throw new RelayError("not_found", "There is no such file in this version of the page.");
        return encodedReply(asset, headers, { "Cache-Control": FOREVER });
      },
    }),
  ];
}

/** `load` is asked once; what failed is tried again. */
export function docsOperations(load: () => Promise<DocsFiles>, keys: KnownKeys | null): DocsOperations {
  const files = madeOnce(load);
  const shell = madeOnce(async () => {
    const { assets } = await files();
    return encodeText("text/html; charset=utf-8", Buffer.from(docsShell(assets, keys), "utf8"));
  });
  return {
    document: async (name) => {
      const file = (await files()).documents.get(name);
      if (file === undefined) throw new Error(`the document ${name} was not made`);
      return file;
    },
    docsPage: shell,
    docsAsset: async (name) => (await files()).assets.get(name),
  };
}
