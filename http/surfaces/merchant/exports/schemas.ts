import { type Static, Type } from "@sinclair/typebox";
import type { ExportActor, ExportRecord } from "../../../../engine/exports/export.ts";
import { EXPORT_FAILURES, EXPORT_FORMATS, EXPORT_LISTS, EXPORT_STATES, XLSX_ROWS_MAX } from "../../../../engine/exports/words.ts";
import { resourceOf } from "../../../endpoint/resource.ts";
import { LocaleWord, words } from "../../parts/schemas.ts";
import type { LocalTime } from "../../parts/time.ts";
import { type ActorContext, EXAMPLE_CONTEXT } from "../actor-context.ts";
import { ActorType } from "../disputes/schemas.ts";

/** The resource of exports, and the JSON of requests. Pages take their types from it. */

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

export interface ExportContext extends ActorContext<ExportActor> {
  readonly localTime: Pick<LocalTime, "format">;
}

const m = resourceOf<ExportRecord, ExportContext>();
/** Shown by GET /exports, GET /exports/{id} and POST /exports. */
export const exportItem = m.resource({
  title: "Export",
  members: {
    id: m.text(),
    list: m.value(ExportListWord).from(({ order }) => order.list),
    filters: m.value(ExportFiltersSchema).from(({ order }) => order.filters),
    format: m.value(ExportFormatWord).from(({ order }) => order.format),
    columns: m.value(Type.Array(Type.String())).from(({ order }) => order.columns),
    lang: m.value(LocaleWord).from(({ order }) => order.lang),
    personalData: m
      .boolean("True if a column contains personal data: downloading the file then needs a second factor shown in the last ten minutes.")
      .from(({ order }) => order.personalData),
    state: m.value(ExportStateWord),
    failure: m.value(ExportFailureWord).orNull(),
    rows: m.integer("Number of rows in the file, without its headings.").orNull(),
    bytes: m.integer().orNull(),
    fileName: m
      .text("Name of the downloaded file; null until the export is READY.")
      .orNull()
      .from((record, { localTime }) => (record.state === "READY" ? fileNameOf(record, localTime) : null)),
    createdAt: m.time("when the export was requested."),
    createdBy: m
      .text("Who requested it: an e-mail address (masked for roles that do not see personal data), `API key` or `Former user`.")
      .from(({ createdBy }, { names }) => names(createdBy, true).by)
      .personal((_, { createdBy }, { names }) => names(createdBy, false).by),
    creator: m.value(ActorType).from(({ createdBy }, { names }) => names(createdBy).byType),
    startedAt: m.time("when the relay last started to write the file.").orNull(),
    endedAt: m.time("when the export became READY or FAILED.").orNull(),
    expiresAt: m.time("when the relay deletes the export with its file; null until the export has ended.").orNull(),
  },
  example: {
    record: {
      ...{ schema: 1, id: "exp_4f0k2m9x7q1c8v5b3n6z0a2s", merchantId: "SHOP-001", partnerId: 1, livemode: true, state: "READY" },
      order: {
        ...{ list: "transactions", filters: { from: "2026-11-01", to: "2026-11-25", status: "OK" }, format: "XLSX", lang: "it" },
        ...{ columns: ["createdAt", "uuid", "terminalId", "amount", "currency"], personalData: false },
      },
      ...{ createdBy: { type: "key" }, createdAtMs: Date.parse("2026-11-25T10:00:00.000Z"), updatedAtMs: 0, attempts: 1, leaseOf: "" },
      ...{ leaseUntilMs: null, failure: null, file: null, rows: 1_204, bytes: 61_338, nextAtMs: null },
      ...{ startedAtMs: Date.parse("2026-11-25T10:00:00.100Z"), endedAtMs: Date.parse("2026-11-25T10:00:02.000Z") },
      expiresAtMs: Date.parse("2026-11-26T10:00:02.000Z"),
    },
    context: { ...EXAMPLE_CONTEXT, localTime: { format: () => "2026-11-25T11:00:00" } },
  },
});

/**
 * Names the list, the merchant and the minute of the request. The id tells two exports of one
 * minute apart.
 */
export function fileNameOf({ id, merchantId, order, createdAtMs }: ExportRecord, localTime: Pick<LocalTime, "format">): string {
  const at = localTime.format(createdAtMs).slice(0, "YYYY-MM-DDTHH:MM".length).replace("T", "_").replace(":", "");
  return `${order.list}_${merchantId}_${at}_${id.slice(-4)}.${order.format.toLowerCase()}`;
}

export type CreateExportJson = Static<typeof CreateExport>;
export type ExportJson = Static<typeof exportItem.schema>;
