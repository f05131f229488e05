import { Type } from "@sinclair/typebox";
import { ORIGIN_LENGTH_MAX, ORIGIN_PATTERN } from "../../../engine/partners/administer-partners.ts";
import { ALLOWED_ORIGINS_MAX } from "../../../engine/partners/partner.ts";

/** Origins that a caller may allow, under names that the caller chooses. */
export const AllowedOrigins = Type.Record(
  Type.String(),
  Type.String({
    maxLength: ORIGIN_LENGTH_MAX,
    pattern: ORIGIN_PATTERN,
    errorMessage: "must be an origin as browsers send it, such as https://shop.example",
  }),
  { maxProperties: ALLOWED_ORIGINS_MAX },
);
