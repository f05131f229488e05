import { type Static, Type } from "@sinclair/typebox";
import { RETURN_SCHEME_PATTERN, RETURN_SCHEMES_MAX } from "../../../../engine/partners/return-schemes.ts";
import { API_VERSION } from "../../../../engine/webhooks/api-versions.ts";
import { nullable } from "../schema-parts.ts";

/**
 * The JSON of the compatible API's settings. Endpoints declare it, and the portal's pages take
 * their types from it.
 */

/** GET /compatible-api, and the response of every change. */
export const CompatSettings = Type.Object(
  {
    defaultVersion: nullable(Type.String({ description: "The version that the merchant has set; null if it has set none." })),
    effectiveVersion: Type.String({ description: "The version of requests and of endpoints' events that name none." }),
    returnSchemes: Type.Array(Type.String(), { description: "Schemes of apps that buyers may return to, in order." }),
  },
  { title: "CompatibleApiSettings" },
);
/** PUT /compatible-api/default-version. */
export const DefaultVersion = Type.Object(
  {
    version: Type.Union([Type.String({ pattern: API_VERSION.source, maxLength: 64 }), Type.Null()], {
      description: "A version such as `2026-10-28.endive`; null removes the default.",
      errorMessage: "must be a date such as 2026-10-28.endive, or null",
    }),
  },
  { title: "CompatibleApiDefaultVersion" },
);
/** PUT /compatible-api/return-schemes. */
export const ReturnSchemes = Type.Object(
  {
    schemes: Type.Array(
      Type.String({ pattern: RETURN_SCHEME_PATTERN, errorMessage: "must be the scheme of an app in lower-case letters, without `://`" }),
      { maxItems: RETURN_SCHEMES_MAX, description: "All schemes; an empty list removes them." },
    ),
  },
  { title: "CompatibleApiReturnSchemes" },
);

export type CompatSettingsJson = Static<typeof CompatSettings>;
