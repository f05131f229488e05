import { type Static, Type } from "@sinclair/typebox";
import { LOGO_ID_PATTERN } from "../../../../engine/branding/branding.ts";
import { COLOR_PATTERN } from "../../../../engine/branding/colors.ts";
import { nullable } from "../schema-parts.ts";

/** The JSON of branding. Endpoints declare it, and the portal's pages take their types from it. */

const Color = { pattern: COLOR_PATTERN, errorMessage: "must be # and six hexadecimal digits, such as #b3261e, or null" };

/** GET /branding, and the response of every change. */
export const Branding = Type.Object(
  {
    name: Type.String({ description: "The merchant's name, as its partner entered it." }),
    color: nullable(Type.String({ description: "`#rrggbb`; null for the usual colour." })),
    logo: nullable(
      Type.Object(
        {
          id: Type.String({ pattern: LOGO_ID_PATTERN }),
          url: Type.String({ description: "The path of the file. Another file has another path." }),
          type: Type.String({ description: "`image/png`, `image/jpeg` or `image/webp`." }),
          width: Type.Integer(),
          height: Type.Integer(),
          bytes: Type.Integer({ description: "Size of the stored file, which has no metadata." }),
        },
        { title: "Logo" },
      ),
    ),
  },
  { title: "Branding" },
);

/** PUT /branding/color. */
export const BrandingColor = Type.Object(
  {
    color: Type.Union([Type.String(Color), Type.Null()], { description: "`#rrggbb`; null removes it.", errorMessage: Color.errorMessage }),
  },
  { title: "BrandingColor" },
);

export type BrandingJson = Static<typeof Branding>;
