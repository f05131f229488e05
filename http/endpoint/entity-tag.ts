/**
 * Returns true if `If-None-Match` names the tag of the response, which the client then already has.
 * The comparison is weak (RFC 9110, 8.8.3.2), because the relay or a proxy makes the tag of a
 * compressed response weak.
 */
export function isNamedIn(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((one) => one.trim() === "*" || strong(one.trim()) === strong(etag));
}

/** Removes the mark of a weak tag. */
function strong(etag: string): string {
  return etag.replace(/^W\//, "");
}
