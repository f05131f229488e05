/** Returns a time as interfaces show it: ISO 8601 in UTC, to the millisecond. */
export function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function isoOrNull(atMs: number | null): string | null {
  return atMs === null ? null : iso(atMs);
}
