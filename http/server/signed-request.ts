import type { SignedRequest } from "../auth/http-signature.ts";
import type { RequestHead } from "./request-head.ts";

/** What of a request is signed, but for its body: copied, since it is gone when the body has come. */
export function signedHead(req: RequestHead, method: string): Omit<SignedRequest, "body"> {
  const headers = new Map<string, string>();
  req.forEach((name, value) => {
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  });
  const query = req.getQuery();
  return { method, target: query === undefined ? req.getUrl() : `${req.getUrl()}?${query}`, header: (name) => headers.get(name) };
}

/** Null only where the header is absent: uWebSockets gives "" also for a value that it cannot read. */
export function headerOrNull(req: RequestHead, name: string): string | null {
  const value = req.getHeader(name);
  if (value !== "") return value;
  let present = false;
  req.forEach((header) => {
    present ||= header === name;
  });
  return present ? "" : null;
}
