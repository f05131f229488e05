import type { VerifiedLink } from "../../../engine/links/links.ts";
import { iso } from "../../endpoint/time.ts";

/** Headers that state the age of a verified answer. */
export const FRESHNESS_HEADERS = {
  "Relay-Answer-Stale": {
    description: "`true` if the card gateway could not be asked now: the state is the last known one, and may have changed.",
  },
  "Relay-Verified-At": {
    description: "When the card gateway last answered about this payment, ISO 8601 UTC. Absent if the gateway never answered.",
  },
} as const;

export function freshnessOf({ record: { verifiedAtMs }, isFresh }: VerifiedLink): { [header: string]: string } {
  return {
    ...(isFresh ? {} : { "Relay-Answer-Stale": "true" }),
    ...(verifiedAtMs === null ? {} : { "Relay-Verified-At": iso(verifiedAtMs) }),
  };
}
