import { type Static, Type } from "@sinclair/typebox";
import { EXPORT_FAILURES, EXPORT_FORMATS, EXPORT_LISTS, EXPORT_STATES, XLSX_ROWS_MAX } from "../../../../engine/exports/export.ts";
import { LocaleWord, words } from "../../parts/schemas.ts";
import { ActorType } from "../disputes/schemas.ts";
import { listOf, nullable, time } from "../schema-parts.ts";

/** The JSON of exports: endpoints declare it, pages take their types from it. */

export const ExportListWord = words(EXPORT_LISTS, { title: "ExportList" });
export const ExportFormatWord = words(EXPORT_FORMATS, { title: "ExportFormat" });
export const ExportStateWord = words(EXPORT_STATES, {
  title: "ExportState",
  description: "QUEUED: it waits for its turn. RUNNING: it is being made. READY: the file is there. FAILED: `failure` says why.",
});
export const ExportFailureWord = words(EXPORT_FAILURES, {
  title: "ExportFailure",
  description: `too_many_rows: an XLSX has room for ${XLSX_ROWS_MAX} rows; ask for a CSV. too_large: the file would be too large; choose fewer days. no_room: the files of all exports fill what they may, or too little of the disk is free. unavailable: the rows could not be read for an hour. interrupted: it broke off again and again. not_permitted: who asked for it may not export any more. Further reasons may be added.`,
});

const COLUMN_NAMES_MAX = 40;
const FILTERS_MAX = 20;

export const ExportFiltersSchema = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: 255 }), Type.Number(), Type.Boolean()]),
  {
    maxProperties: FILTERS_MAX,
    description:
      "Members of the query of the list's own endpoint, but for `limit` and `cursor`; their values as there, or as JSON has numbers and booleans. One that the list does not have is refused.",
  },
);

/** POST /exports. */
export const CreateExport = Type.Object(
  {
    list: ExportListWord,
    filters: Type.Optional(ExportFiltersSchema),
    format: ExportFormatWord,
    columns: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: COLUMN_NAMES_MAX,
        uniqueItems: true,
        description: "Names of columns, in the order of the file. All that hold nothing about people, if absent.",
      }),
    ),
    lang: Type.Optional(LocaleWord),
  },
  { title: "ExportRequest" },
);

export const ExportItem = Type.Object(
  {
    id: Type.String(),
    list: ExportListWord,
    filters: ExportFiltersSchema,
    format: ExportFormatWord,
    columns: Type.Array(Type.String()),
    lang: LocaleWord,
    personalData: Type.Boolean({
      description: "Whether a column of it is about people: then its file is downloaded with a second factor of the last ten minutes only.",
    }),
    state: ExportStateWord,
    failure: nullable(ExportFailureWord),
    rows: nullable(Type.Integer({ description: "Of the file, without its headings." })),
    bytes: nullable(Type.Integer()),
    fileName: nullable(Type.String({ description: "Under which it is downloaded; null until it is READY." })),
    createdAt: time("when it was asked for."),
    createdBy: Type.String({
      description: "An e-mail address (masked for roles that do not see personal data), `API key` or `Former user`.",
    }),
    creator: ActorType,
    startedAt: nullable(time("when it was last begun.")),
    endedAt: nullable(time("when it was READY or FAILED.")),
    expiresAt: nullable(time("when it is removed with its file; null until it has ended.")),
  },
  { title: "Export" },
);
export const ExportPage = listOf(ExportItem);

export type CreateExportJson = Static<typeof CreateExport>;
export type ExportJson = Static<typeof ExportItem>;
