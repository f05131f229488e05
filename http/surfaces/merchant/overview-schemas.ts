import { type Static, Type } from "@sinclair/typebox";
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
    /** Tasks that wait for a person, ordered by their time. */
    tasks: Type.Array(Type.Object({ kind: Type.String(), subject: Type.String(), dueAt: nullable(time("until when.")) })),
  },
  { title: "PortalOverview" },
);

export type OverviewJson = Static<typeof Overview>;
