import { type Static, Type } from "@sinclair/typebox";
import { ResultStatus } from "../parts/schemas.ts";

const nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) => Type.Union([schema, Type.Null()]);
const time = (description: string) => Type.String({ description: `ISO 8601 UTC; ${description}` });

/** What a terminal was last asked, what it answered lately, and what it has logged. */
export const TerminalLife = Type.Object(
  {
    command: Type.Union(
      [
        Type.Object({
          uuid: Type.String(),
          service: nullable(Type.String({ description: "PAYCC, SCAN, PRINT, ...; null for a result without a command." })),
          state: Type.String({ description: "queued, sent, done, unknown, expired or cancelled." }),
          amountMinor: Type.Integer({ description: "0 for what is no charge." }),
          acceptedAt: nullable(time("when it was accepted.")),
          sentAt: nullable(time("when it was last handed to the terminal.")),
          finishedAt: nullable(time("when it ended.")),
          attempts: Type.Integer({ description: "How often it was handed out." }),
        }),
        Type.Null(),
      ],
      { description: "The latest command; null for a terminal that was never sent one." },
    ),
    results: Type.Array(
      Type.Object({
        uuid: Type.String(),
        at: time("when it was stored."),
        method: Type.String(),
        status: ResultStatus,
        amountMinor: Type.Integer(),
        currency: Type.String(),
      }),
      { description: "The latest results, newest first." },
    ),
    resultsAway: Type.Boolean({ description: "True where results cannot be read at the moment; then there are none in the answer." }),
    logs: Type.Array(
      Type.Object({
        id: Type.String(),
        at: time("when it was posted."),
        text: Type.String({ description: "What was posted, as JSON, with card numbers masked; its beginning, if it is long." }),
      }),
      { description: "The latest logs, newest first." },
    ),
  },
  { title: "TerminalLife" },
);

export type TerminalLifeJson = Static<typeof TerminalLife>;
