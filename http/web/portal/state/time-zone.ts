import { signal } from "@preact/signals";

/** The installation's time zone, in which all times are shown; the session says it. */
export const timeZone = signal("UTC");
