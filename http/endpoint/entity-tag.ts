/**
 * Whether `If-None-Match` names the tag of the answer: the client has it. Compared weakly (RFC 9110, 8.8.3.2), because the tag of a compressed answer is a weak
 * one, by the relay or by a proxy.
 */
export function isNamedIn(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((one) => one.trim() === "*" || strong(one.trim()) === strong(etag));
}

/** A tag without its sign of weakness. */
function strong(etag: string): string {
  return etag.replace(/^W\//, "");
}
