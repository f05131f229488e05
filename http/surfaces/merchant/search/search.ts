import type { FoundGroup, MerchantSearch } from "../../../../engine/search/merchant-search.ts";
import { readSearchText } from "../../../../engine/search/search-text.ts";
import { maySeePersonalData } from "../../../endpoint/personal-data.ts";
import { isoOrNull } from "../../../endpoint/time.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, merchantSurface } from "../surface.ts";
import { hitJson, MerchantSearchResult, SearchQuery } from "./schemas.ts";

export interface SearchOperations {
  merchantSearch: MerchantSearch;
}

const surface = merchantSurface<SearchOperations>();

/** A person who types causes a few searches in a second. */
const SEARCH_RATE = { bucket: "merchantSearch", perSecond: 10 };

/** Two rounds of groups that each give up after three seconds. */
const SEARCH_DEADLINE_MS = 7_000;

export const searchMerchant = surface.endpoint({
  name: "merchantSearch",
  method: "GET",
  path: `${MERCHANT_BASE}/search`,
  summary: "Search everything of the merchant",
  description:
    "Finds payments, payment links, subscriptions, disputes, alerts and terminals of the merchant, in groups of at most five, the newest first. Amounts and the beginnings of ids are searched in a bounded number of the newest objects; `since` reports how far payments were searched. If nothing has the id, `near` has objects with a similar one. A group that cannot be searched is `away`, and the others are returned.",
  auth: "merchantUserOrKey",
  may: "look",
  apartByEnvironment: true,
  refusesUnknown: "rows",
  rateLimit: SEARCH_RATE,
  deadlineMs: SEARCH_DEADLINE_MS,
  query: SearchQuery,
  responses: {
    200: {
      description: "The groups, also those without hits.",
      body: okOf(MerchantSearchResult),
      example: {
        status: "ok",
        data: {
          groups: [
            {
              ...{ name: "payments", state: "searched", more: false, since: null },
              items: [
                {
                  ...{ type: "payment", id: "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10", amountMinor: 2051, currency: "EUR" },
                  ...{ at: "2026-11-25T10:00:00.000Z", state: "OK", detail: "VISA ···· 1111 · SIM00001" },
                },
              ],
            },
          ],
          near: [],
          withheld: null,
        },
      },
    },
    ...surface.errors(400, 401, 403, 429, 503),
  },
  handle: async ({ merchantSearch }, { caller, query, request }) => {
    const wanted = readSearchText(query.q);
    if (wanted.email !== null && !maySeePersonalData(caller)) {
      return { status: 200, body: ok({ groups: [], near: [], withheld: "personal_data" as const }) };
    }
    const { groups, near } = await merchantSearch(merchantOwnerOf(caller), wanted, request.gone);
    return { status: 200, body: ok({ groups: groups.map(groupJson), near: near.map(hitJson), withheld: null }) };
  },
});

function groupJson({ name, state, hits, more, sinceMs }: FoundGroup) {
  return { name, state, items: hits.map(hitJson), more, since: isoOrNull(sinceMs) };
}
