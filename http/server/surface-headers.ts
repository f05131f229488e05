import type { ResponseHeadersOf } from "../endpoint/endpoint.ts";
import { areHeadersSafe } from "./answer.ts";
import type { RequestHead } from "./request-head.ts";

/** Names and values, alternating, of what a surface adds to each of its responses. A value that would end its header is left out. */
export function surfaceHeaders(headersOf: ResponseHeadersOf | undefined, head: Pick<RequestHead, "getText">, requestId: string): string[] {
  if (headersOf === undefined) return [];
  return Object.entries(headersOf((name) => head.getText(name), requestId)).flatMap(([name, value]) =>
    areHeadersSafe({ [name]: value }) ? [name, value] : [],
  );
}
