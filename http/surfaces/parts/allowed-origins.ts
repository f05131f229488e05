import { Type } from "@sinclair/typebox";
import { ORIGIN_LENGTH_MAX, ORIGIN_PATTERN } from "../../../engine/partners/administer-partners.ts";
import { ALLOWED_ORIGINS_MAX } from "../../../engine/partners/partner.ts";

/** Origins under names of the caller's choice, as they may be set. */
export const AllowedOrigins = Type.Record(
  Type.String(),
  Type.String({
    maxLength: ORIGIN_LENGTH_MAX,
    pattern: ORIGIN_PATTERN,
    errorMessage: "must be an origin as browsers send it, such as https://shop.example",
  }),
  { maxProperties: ALLOWED_ORIGINS_MAX },
);
