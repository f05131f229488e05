import { signal } from "@preact/signals";

/** The session reports the installation's time zone. All times are shown in it. */
export const timeZone = signal("UTC");
