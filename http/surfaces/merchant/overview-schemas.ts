import { type Static, Type } from "@sinclair/typebox";
import { OpeningSourceWord } from "./opening-hours-schemas.ts";
import { Day, nullable, time } from "./schema-parts.ts";
import { Method } from "./transaction-schemas.ts";

/**
 * The JSON of the overview. The endpoint declares it, and the portal's page takes its types from
 * it.
 */

const Sums = Type.Object(
  {
    currency: Type.String(),
    volumeMinor: Type.Integer({ description: "Sum of the approved payments; refunds are not subtracted." }),
    approved: Type.Integer(),
    declined: Type.Integer({ description: "Number of declined payments, without expired payment links." }),
  },
  { title: "TransactionSums" },
);
const HourSums = Type.Object(
  {
    hour: Type.Integer({ minimum: 0, maximum: 24, description: "Hours since the day began." }),
    ...Sums.properties,
  },
  { title: "HourlyTransactionSums" },
);

const Task = Type.Object(
  {
    kind: Type.String(),
    subject: Type.String({ description: "The uuid, id or terminal id." }),
    at: nullable(time("since when.")),
    dueAt: nullable(time("until when.")),
    amountMinor: nullable(Type.Integer()),
    currency: nullable(Type.String()),
    category: nullable(Type.String({ description: "The reason of a dispute or alert." })),
    code: nullable(Type.String({ description: "Why a payment of a subscription failed." })),
    message: nullable(Type.String({ description: "Why it failed, as a text." })),
    terminalId: nullable(Type.String()),
    about: nullable(Type.String({ description: "The description of a link, or the name of a plan." })),
  },
  { title: "PortalTask" },
);

/** GET /overview. With `day` it compares that whole day with the same weekday a week before. */
export const Overview = Type.Object(
  {
    day: Day,
    asOf: time("when the figures were computed."),
    /** Whether the day is over. */
    complete: Type.Boolean(),
    today: Type.Array(Sums),
    /** The same weekday a week before, up to the same time of day. */
    before: Type.Array(Sums),
    hours: Type.Array(HourSums),
    hoursBefore: Type.Array(HourSums),
    byMethod: Type.Array(Type.Object({ method: Method, ...Sums.properties })),
    byTerminal: Type.Array(Type.Object({ terminalId: Type.String(), ...Sums.properties })),
    terminals: Type.Object({ online: Type.Integer(), total: Type.Integer() }),
    figuresAvailable: Type.Boolean({
      description:
        "false: the payments cannot be read at the moment, and all figures of payments are missing. The tasks are still correct.",
    }),
    openingHours: {
      ...OpeningSourceWord,
      description: "Where the opening hours come from. If unknown, no terminal is reported as offline.",
    },
    /** Tasks that wait for a person, ordered by their time. */
    tasks: Type.Array(Task),
  },
  { title: "PortalOverview" },
);

export type OverviewJson = Static<typeof Overview>;
