import { type TSchema, Type } from "@sinclair/typebox";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "../../../engine/accounts/account.ts";
import { DAY } from "../parts/time.ts";

/**
 * The common parts of the schemas of `/api/merchant`. The schemas of a resource are in `schemas.ts`
 * of its folder, or in `<resource>-schemas.ts` here. Times are ISO 8601 in UTC; amounts are
 * integers in minor units of the currency. Every successful response is `{status: "ok", data}` with
 * one of the schemas as `data`.
 */

export const time = (description: string) => Type.String({ description: `ISO 8601 in UTC: ${description}` });
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/**
 * The body `{items, next}`. The next request sends `next` as `cursor`; it is null on the last page.
 */
export const listOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      items: Type.Array(item),
      next: nullable(Type.String({ description: "The `cursor` of the next page; null on the last page." })),
    },
    item.title === undefined ? {} : { title: `${item.title}Page` },
  );

export const Currency = Type.String({ pattern: "^[A-Z]{3}$" });

export const Day = Type.String({ ...DAY, description: "A day in the installation's time zone." });
export const FromDay = Type.String({ ...Day, parameterName: "PortalFromDay" });
export const ToDay = Type.String({ ...Day, parameterName: "PortalToDay", description: "The last day, inclusive." });

export const PAGE_QUERY = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, parameterName: "PortalPageSize" }),
  cursor: Type.Optional(Type.String({ maxLength: 256, parameterName: "PortalCursor", description: "The `next` of the previous page." })),
};

export const Password = Type.String({ minLength: 1, maxLength: 1_024 });
export const NewPassword = Type.String({ minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX });
