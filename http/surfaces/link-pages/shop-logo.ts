import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { isNamedIn } from "../../endpoint/entity-tag.ts";
import { linkPages } from "./surface.ts";

/** Customers of one shop may share an address, and a page has one logo. */
const LOGO_RATE = { bucket: "buyer-logo", perSecond: 50 } as const;

const FOREVER = "public, max-age=31536000, immutable";

const HEADERS = {
  ETag: { description: "The id of the logo, whose bytes never change." },
  "Cache-Control": { description: "The logo may be cached forever." },
};

export const shopLogo = linkPages.endpoint({
  name: "shopLogo",
  method: "GET",
  path: "/logo/{id}",
  summary: "Get the logo of a shop",
  description: "The pages of the shop's customers show it. Another logo has another address.",
  auth: "none",
  rateLimit: LOGO_RATE,
  params: Type.Object({ id: Type.String({ maxLength: 64, description: "Id of the logo." }) }),
  headers: Type.Object({
    "if-none-match": Type.Optional(Type.String({ maxLength: 1_024, description: "304 if this ETag still matches." })),
  }),
  responses: {
    200: {
      description: "The image.",
      file: true,
      contentType: "image/png",
      otherContentTypes: ["image/jpeg", "image/webp"],
      headers: {
        ...HEADERS,
        "Content-Security-Policy": { description: "The file can load nothing and run nothing, whatever a browser takes it for." },
      },
    },
    304: { description: "The caller already has the logo.", headers: HEADERS },
    ...linkPages.errors(400, 404, 429, 503),
  },
  handle: async ({ shopBranding }, { params: { id }, headers }) => {
    // The file is read also for 304: a logo that was removed is not confirmed.
    const logo = await shopBranding.logo(id);
    if (logo === null) throw new RelayError("not_found", "There is no such logo");
    const common = { ETag: `"${id}"`, "Cache-Control": FOREVER };
    if (isNamedIn(headers["if-none-match"], common.ETag)) return { status: 304, headers: common };
    const contents = Buffer.from(logo.contents);
    const file = {
      contentType: logo.type,
      offset: 0,
      length: contents.length,
      read: async (into: Uint8Array, position: number) => contents.copy(into, 0, position, position + into.length),
      close: () => {},
    };
    return { status: 200, file, headers: { ...common, "Content-Security-Policy": "default-src 'none'; sandbox" } };
  },
});
