import { type Static, Type } from "@sinclair/typebox";
import { OPENING_INTERVALS_MAX, OPENING_TIME_PATTERN } from "../../../engine/partners/opening-hours.ts";
import { words } from "../parts/schemas.ts";
import { nullable } from "./schema-parts.ts";

/**
 * The JSON of opening hours. Endpoints declare it, and the portal's pages take their types from it.
 */

export const OpeningSourceWord = words(["set", "payments", "unknown"]);
const Time = Type.String({ pattern: OPENING_TIME_PATTERN, errorMessage: "must be a time such as 08:30" });
const Interval = Type.Object({
  weekday: Type.Integer({ minimum: 1, maximum: 7, description: "The day on which the interval begins: 1 is Monday, 7 is Sunday." }),
  from: Time,
  to: { ...Time, description: "`24:00` is the end of the day. An end before the beginning is on the next day." },
});
const Hours = Type.Array(Interval, { maxItems: OPENING_INTERVALS_MAX });

export const ShownHours = Type.Object(
  {
    source: {
      ...OpeningSourceWord,
      description:
        "`set`: the merchant has set them. `payments`: derived; an hour of the week is open if payments were made in it in at least two of the last four weeks. `unknown`: none are set, and the payments cannot be read at the moment.",
    },
    hours: nullable({ ...Hours, description: "In the installation's time zone; null if they are unknown." }),
  },
  { title: "OpeningHours" },
);
export const SaveHours = Type.Object(
  {
    hours: nullable({
      ...Hours,
      description: "All intervals; an empty list means that the shop is never open. null: derive them from payments.",
    }),
  },
  { title: "OpeningHoursRequest" },
);

export type OpeningHoursJson = Static<typeof ShownHours>;
