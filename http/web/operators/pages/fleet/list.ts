import { FLEET_CONNECTIONS, FLEET_SEEN } from "../../../../../engine/fleet/words.ts";
import type { ListDeclaration } from "../../../portal/list/declaration.ts";

/** The filters of the fleet, as the address and the relay name them. */
export const FLEET_LIST = {
  page: "fleet",
  path: "/fleet/terminals",
  filters: {
    q: { type: "text", pattern: "^[A-Za-z0-9._-]*$", maxLength: 64 },
    connection: { type: "word", words: FLEET_CONNECTIONS },
    seen: { type: "word", words: FLEET_SEEN },
    version: { type: "text", minLength: 1, maxLength: 256 },
    model: { type: "text", minLength: 1, maxLength: 256 },
    group: { type: "text", minLength: 1, maxLength: 64 },
    merchantId: { type: "text", minLength: 1, maxLength: 64 },
  },
} as const satisfies ListDeclaration;

/** What an action is for: some terminals by name, or all that match. */
export type Selection = { type: "some"; ids: readonly string[] } | { type: "matching"; query: Record<string, string>; count: number };

export function countOf(selection: Selection): number {
  return selection.type === "some" ? selection.ids.length : selection.count;
}
