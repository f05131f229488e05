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
  description:
    "QUEUED: the export waits for its turn. RUNNING: the relay is writing the file. READY: the file can be downloaded. FAILED: `failure` says why.",
});
export const ExportFailureWord = words(EXPORT_FAILURES, {
  title: "ExportFailure",
  description: `too_many_rows: an XLSX file has room for ${XLSX_ROWS_MAX} rows; request a CSV. too_large: the file would be too large; choose fewer days. no_room: the files of all exports have reached their limit, or the disk is too full. unavailable: the rows could not be read for an hour. interrupted: the export was interrupted again and again. not_permitted: the user who requested it may not export any more. Further reasons may be added.`,
});

const COLUMN_NAMES_MAX = 40;
const FILTERS_MAX = 20;

export const ExportFiltersSchema = Type.Record(
  Type.String(),
  Type.Union([Type.String({ maxLength: 255 }), Type.Number(), Type.Boolean()]),
  {
    maxProperties: FILTERS_MAX,
    description:
      "Query members of the list's own endpoint, except `limit` and `cursor`; their values are as there, or JSON numbers and booleans. The relay rejects a filter that the list does not have.",
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
        description: "Names of columns, in the order of the file. Default: all columns without personal data.",
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
      description:
        "True if a column contains personal data: downloading the file then needs a second factor shown in the last ten minutes.",
    }),
    state: ExportStateWord,
    failure: nullable(ExportFailureWord),
    rows: nullable(Type.Integer({ description: "Number of rows in the file, without its headings." })),
    bytes: nullable(Type.Integer()),
    fileName: nullable(Type.String({ description: "Name of the downloaded file; null until the export is READY." })),
    createdAt: time("when the export was requested."),
    createdBy: Type.String({
      description: "Who requested it: an e-mail address (masked for roles that do not see personal data), `API key` or `Former user`.",
    }),
    creator: ActorType,
    startedAt: nullable(time("when the relay last started to write the file.")),
    endedAt: nullable(time("when the export became READY or FAILED.")),
    expiresAt: nullable(time("when the relay deletes the export with its file; null until the export has ended.")),
  },
  { title: "Export" },
);
export const ExportPage = listOf(ExportItem);

export type CreateExportJson = Static<typeof CreateExport>;
export type ExportJson = Static<typeof ExportItem>;
