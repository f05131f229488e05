import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import { HITS_MAX } from "../../../engine/operators/search.ts";
import type { SearchHit as EngineHit } from "../../../engine/operators/search-hit.ts";
import type { AttentionStore } from "../../../engine/payments/attention-store.ts";
import { type AdministrationSearch, PLACES_MAX } from "../../../engine/search/administration-search.ts";
import { readSearchText, SEARCH_LENGTH_MAX, SEARCH_LENGTH_MIN } from "../../../engine/search/search-text.ts";
import { surface } from "../../endpoint/surface.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { ok } from "./envelope.ts";
import { type SearchHitJson, SearchResult } from "./session-schemas.ts";
import { ADMIN_SURFACE } from "./surface.ts";

/** What the search uses, and what takes items of attention away. */
export interface SearchOperations {
  search: AdministrationSearch;
  attentionItems: Pick<AttentionStore, "remove">;
}

export const adminOfSearch = surface<SearchOperations>()(ADMIN_SURFACE);

/** The store answers at once; ClickHouse is given up after some seconds. */
const SEARCH_DEADLINE_MS = 15_000;

function hitJson({ createdAtMs, updatedAtMs, timeline, attention, ...hit }: EngineHit): SearchHitJson {
  return {
    ...hit,
    createdAt: isoOrNull(createdAtMs),
    updatedAt: isoOrNull(updatedAtMs),
    timeline: timeline.map(({ atMs, what, detail }) => ({ at: iso(atMs), what, detail })),
    attention: [...attention],
  };
}

export const searchAll = adminOfSearch.endpoint({
  name: "adminSearch",
  method: "GET",
  path: "/admin/search",
  summary: "Search everything of the installation",
  description: `Send \`q\`, or \`uuid\` for an exact id only. \`q\` also finds payments of the last 31 days by amount, beginning of the uuid, authorization code and last four digits, and terminals, merchants, partners and nodes (\`places\`, at most ${PLACES_MAX} of each kind). If nothing is found, \`near\` has places with a similar id or name. Finds commands and results of all terminals by uuid, links by txId or by the gateway's payment id, payment intents and payment links of the portal by their ids and the ids of their attempts, disputes and alerts by their ids, and payments of cash registers by uuid. Each hit says what happened and which kinds of attention items there are about it. Hits contain no personal data and no tokens; there are at most ${HITS_MAX}. If the store no longer has an object, the relay searches ClickHouse: \`clickhouse\` is \`away\` if it does not respond.`,
  auth: "admin",
  role: "read-only",
  deadlineMs: SEARCH_DEADLINE_MS,
  query: Type.Object({
    uuid: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: IDENTIFIER_LENGTH_MAX,
        pattern: "^[A-Za-z0-9._-]+$",
        description: "The uuid or id; the case of a uuid in the usual form does not matter.",
      }),
    ),
    q: Type.Optional(
      Type.String({ minLength: SEARCH_LENGTH_MIN, maxLength: SEARCH_LENGTH_MAX, description: "The text that a person typed." }),
    ),
  }),
  responses: {
    200: { description: "What was found. An empty list is not an error.", body: okBody(SearchResult) },
    ...adminOfSearch.errors(400, 401, 503),
  },
  handle: async ({ search }, { query, request }) => {
    const { uuid, q } = query;
    if ((uuid === undefined) === (q === undefined)) throw new RelayError("invalid_request", "Send either uuid or q");
    const { hits, clickhouse, places, near } = await (uuid === undefined
      ? search(readSearchText(q ?? ""), request.gone)
      : search.byId(uuid, request.gone));
    return { status: 200, body: ok({ items: hits.map(hitJson), clickhouse, places: [...places], near: [...near] }) };
  },
});
