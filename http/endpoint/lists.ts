import { Kind, type TSchema } from "@sinclair/typebox";
import type { EndpointFacts, Responses } from "./endpoint.ts";

/** Members of a page other than the list. */
const PAGE_MEMBERS: ReadonlySet<string> = new Set(["success", "total", "max", "next"]);

/**
 * Returns true if the response to a GET is a list: an array or a page with one, bare or under
 * `data`, or a table in a file. The compatible API reads its queries itself.
 */
export function answersList({
  method,
  responses,
  queryFormat,
}: Pick<EndpointFacts, "method" | "queryFormat"> & { responses: Responses }): boolean {
  const response = responses[200];
  if (method !== "GET" || queryFormat !== undefined || response === undefined) return false;
  if (response.contentType !== undefined) return response.contentType.startsWith("text/csv");
  return response.body !== undefined && isPage(response.body, "whole");
}

function isPage(schema: TSchema, at: "whole" | "data"): boolean {
  if (schema[Kind] === "Array") return true;
  if (schema[Kind] === "Union") return schema["anyOf"].some((one: TSchema) => isPage(one, at));
  if (schema[Kind] !== "Object") return false;
  const members = Object.entries<TSchema>(schema["properties"]);
  const [lists, others] = [
    members.filter(([, { [Kind]: kind }]) => kind === "Array"),
    members.filter(([, { [Kind]: kind }]) => kind !== "Array"),
  ];
  if (at === "data") return lists.some(([name]) => name === "items");
  const data = schema["properties"].data;
  return (lists.length > 0 && others.every(([name]) => PAGE_MEMBERS.has(name))) || (data !== undefined && isPage(data, "data"));
}
