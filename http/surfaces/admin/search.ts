import { Type } from "@sinclair/typebox";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import { type SearchHit as EngineHit, HITS_MAX, type Search } from "../../../engine/operators/search.ts";
import type { AttentionStore } from "../../../engine/payments/attention-store.ts";
import { surface } from "../../endpoint/surface.ts";
import { iso, isoOrNull } from "../../endpoint/time.ts";
import { okBody } from "../parts/relay-envelope.ts";
import { ok } from "./envelope.ts";
import { type SearchHitJson, SearchResult } from "./session-schemas.ts";
import { ADMIN_SURFACE } from "./surface.ts";

/** What the search uses, and what takes items of attention away. */
export interface SearchOperations {
  search: Search;
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
  summary: "Search by a uuid or an id",
  description: `Commands and results of all terminals by uuid, links by txId or by the gateway's payment id, payment intents and payment links of the portal by their ids and those of their attempts, disputes and alerts by their ids, and payments of cash registers by uuid. Each with what happened and the kinds of attention items about it; without personal data and tokens, at most ${HITS_MAX} of them. What the store no longer has is looked for in ClickHouse: \`away\` where that did not answer.`,
  auth: "admin",
  role: "read-only",
  deadlineMs: SEARCH_DEADLINE_MS,
  query: Type.Object({
    uuid: Type.String({
      minLength: 1,
      maxLength: IDENTIFIER_LENGTH_MAX,
      pattern: "^[A-Za-z0-9._-]+$",
      description: "The uuid or id; of a uuid in the usual form the case does not matter.",
    }),
  }),
  responses: {
    200: { description: "What was found; nothing is no error.", body: okBody(SearchResult) },
    ...adminOfSearch.errors(400, 401, 503),
  },
  handle: async ({ search }, { query, request }) => {
    const { hits, clickhouse } = await search(query.uuid, request.gone);
    return { status: 200, body: ok({ items: hits.map(hitJson), clickhouse }) };
  },
});
