import { type TSchema, Type } from "@sinclair/typebox";
import type { Page, PageQuery } from "../../../engine/kernel/page.ts";
import { EXPAND } from "./expand.ts";
import { type Field, integer, parameter, type ReadFields, schemaOf, word } from "./params.ts";
import { invalidParam, noSuch, type PlatformError } from "./platform-error.ts";

const LIMIT_DEFAULT = 10;
const LIMIT_MAX = 100;

/** The last second of the year 9999. */
const SECONDS_MAX = 253_402_300_799;

interface CreatedBounds {
  readonly fromMs: number | null;
  readonly beforeMs: number | null;
}

const second = integer("Seconds since 1970.", { minimum: 0, maximum: SECONDS_MAX });
const BOUNDS = { gt: second, gte: second, lt: second, lte: second };

/** Either one second, or bounds. */
const created: Field<CreatedBounds> = {
  schema: Type.Union([Type.Integer({ minimum: 0, maximum: SECONDS_MAX }), schemaOf(BOUNDS)], {
    description:
      "When the object was created, in seconds since 1970: one second, or bounds as `created[gte]`, `created[gt]`, `created[lte]`, `created[lt]`.",
  }),
  isRequired: false,
  read: (value, param) => {
    if (value === undefined) return { fromMs: null, beforeMs: null };
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      const exact = second.read(value, param) ?? 0;
      return { fromMs: exact * 1_000, beforeMs: (exact + 1) * 1_000 };
    }
    const entries = Object.entries(value);
    const unknown = entries.find(([name]) => !Object.hasOwn(BOUNDS, name));
    if (unknown !== undefined) throw invalidParam(param, `Invalid ${param}: its members are gt, gte, lt and lte.`, "parameter_unknown");
    const read = (name: string) => second.read(entries.find(([one]) => one === name)?.[1], `${param}[${name}]`);
    return {
      fromMs: boundMs(Math.max, [read("gte"), secondAfter(read("gt"))]),
      beforeMs: boundMs(Math.min, [read("lt"), secondAfter(read("lte"))]),
    };
  },
};

function secondAfter(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value + 1;
}

/** Of two bounds the narrower one. */
function boundMs(narrower: (...of: number[]) => number, bounds: readonly (number | undefined)[]): number | null {
  const given = bounds.filter((one) => one !== undefined);
  return given.length === 0 ? null : narrower(...given) * 1_000;
}

const CURSORS = {
  limit: parameter("CompatPageSize", integer(`Maximum number of items. Default: ${LIMIT_DEFAULT}.`, { minimum: 1, maximum: LIMIT_MAX })),
  starting_after: parameter(
    "CompatStartingAfter",
    word("The id of the last item of the previous page: older items follow. The response is 404 for an id that is not in the list."),
  ),
  ending_before: parameter(
    "CompatEndingBefore",
    word("The id of the first item of the next page: newer items are returned. The response is 404 for an id that is not in the list."),
  ),
  expand: EXPAND,
};

/** What every list takes. */
export const LIST_FIELDS = { ...CURSORS, created: parameter("CompatCreated", created) };
/** Of lists that are not narrowed by the time of creation. */
export const PLAIN_LIST_FIELDS = CURSORS;

type Cursors = Omit<ReadFields<typeof CURSORS>, "expand"> & { readonly created?: CreatedBounds };

export function pageQueryOf({ limit, starting_after, ending_before, created = { fromMs: null, beforeMs: null } }: Cursors): PageQuery {
  if (starting_after !== undefined && ending_before !== undefined) {
    throw invalidParam("ending_before", "You may give only one of starting_after and ending_before.");
  }
  return { limit: limit ?? LIMIT_DEFAULT, startingAfter: starting_after ?? null, endingBefore: ending_before ?? null, ...created };
}

/** The error where a page's cursor is nothing in the list. */
export function noSuchCursor({ startingAfter, endingBefore }: PageQuery): PlatformError {
  return noSuch("object in this list", startingAfter ?? endingBefore ?? "", startingAfter === null ? "ending_before" : "starting_after");
}

/** A page of a list as the platform writes it. */
export async function listObject<T>(url: string, page: Page<T>, render: (item: T) => object | Promise<object>) {
  return { object: "list" as const, data: await Promise.all(page.items.map(render)), has_more: page.hasMore, url };
}

export function listSchema(item: TSchema): TSchema {
  return Type.Object({
    object: Type.Literal("list"),
    data: Type.Array(item, { description: "Newest first." }),
    has_more: Type.Boolean({ description: "Whether there are more items in the requested direction." }),
    url: Type.String({ description: "The path of the list." }),
  });
}
