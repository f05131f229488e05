import { type TSchema, Type } from "@sinclair/typebox";
import { DAY } from "../day.ts";

/** What the schemas of `/api/merchant` have in common. */

export const time = (description: string) => Type.String({ description: `ISO 8601 in UTC: ${description}` });
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** `{items, next}`; `next` goes back as `cursor`, null where there is no more. */
export const listOf = <T extends TSchema>(item: T) =>
  Type.Object(
    {
      items: Type.Array(item),
      next: nullable(Type.String({ description: "The `cursor` of the next page; null on the last." })),
    },
    item.title === undefined ? {} : { title: `${item.title}Page` },
  );

export const Currency = Type.String({ pattern: "^[A-Z]{3}$" });

export const Day = Type.String({ ...DAY, description: "A day in the installation's time zone." });
export const FromDay = Type.String({ ...Day, parameterName: "PortalFromDay" });
export const ToDay = Type.String({ ...Day, parameterName: "PortalToDay", description: "The last day, included." });
