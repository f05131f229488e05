import { type Static, Type } from "@sinclair/typebox";
import { GROUP_HITS_MAX, type MerchantHit, NEAR_HITS_MAX, SEARCH_GROUPS } from "../../../../engine/search/merchant-search.ts";
import { IDENTIFIER_LENGTH_MIN, SEARCH_LENGTH_MAX, SEARCH_LENGTH_MIN } from "../../../../engine/search/search-text.ts";
import { isoOrNull } from "../../../endpoint/time.ts";
import { words } from "../../parts/schemas.ts";
import { nullable, time } from "../schema-parts.ts";
import { itemOf, outcomeWord } from "../transaction-item.ts";

/** The JSON of the search. Pages take their types from it. */

const HIT_TYPES = ["payment", "payment_link", "subscription", "dispute", "alert", "terminal"] as const;

export const SearchQuery = Type.Object({
  q: Type.String({
    minLength: SEARCH_LENGTH_MIN,
    maxLength: SEARCH_LENGTH_MAX,
    description: `An amount ("20.51" or "20,51"), an id or its beginning (${IDENTIFIER_LENGTH_MIN} characters or more), an authorization code, the last four digits of a card, a part of a terminal id, or a customer's whole e-mail address. Spaces around it are ignored.`,
  }),
});

export const MerchantSearchHit = Type.Object(
  {
    type: words(HIT_TYPES),
    id: Type.String(),
    amountMinor: nullable(Type.Integer()),
    currency: nullable(Type.String()),
    at: nullable(time("when it was created, or when a terminal was last active.")),
    state: Type.String({ description: "The state in the words of its type; OK, KO, PARTLY_REFUNDED or REFUNDED for a payment." }),
    detail: nullable(Type.String({ description: "Card and terminal of a payment, description of a link, plan of a subscription." })),
  },
  { title: "MerchantSearchHit" },
);

const Group = Type.Object(
  {
    name: words(SEARCH_GROUPS),
    state: words(["searched", "away"], {
      description: "`away`: this group could not be searched in time, for example because ClickHouse does not respond.",
    }),
    items: Type.Array(MerchantSearchHit, { maxItems: GROUP_HITS_MAX }),
    more: Type.Boolean({ description: "True if there are more hits than `items` has." }),
    since: nullable(time("older payments were not searched. Null: all were.")),
  },
  { title: "MerchantSearchGroup" },
);

export const MerchantSearchResult = Type.Object(
  {
    groups: Type.Array(Group),
    near: Type.Array(MerchantSearchHit, {
      maxItems: NEAR_HITS_MAX,
      description: "Objects with a similar id, if nothing has the id: one typing error, or the same beginning.",
    }),
    withheld: Type.Union([Type.Literal("personal_data"), Type.Null()], {
      description: "`personal_data`: the text is an e-mail address, and the role does not see personal data. Nothing was searched.",
    }),
  },
  { title: "MerchantSearchResult" },
);

export type MerchantSearchHitJson = Static<typeof MerchantSearchHit>;
export type MerchantSearchResultJson = Static<typeof MerchantSearchResult>;

/** Nothing in a hit is personal: a role may only be told by an e-mail address that it knows. */
export function hitJson(hit: MerchantHit): MerchantSearchHitJson {
  switch (hit.type) {
    case "payment": {
      const { uuid: id, createdAt: at, amountMinor, currency, terminalId, brand, last4 } = itemOf(hit.payment);
      const card = last4 === null ? null : [brand, `···· ${last4}`].filter((part) => part !== null).join(" ");
      const detail = [card, terminalId].filter((part) => part !== null).join(" · ");
      return { type: hit.type, id, amountMinor, currency, at, state: outcomeWord(hit.payment), detail };
    }
    case "payment_link": {
      const { id, state, createdAtMs, order } = hit.link;
      return { type: hit.type, id, ...moneyOf(order), at: isoOrNull(createdAtMs), state, detail: order.description };
    }
    case "subscription": {
      const { id, state, createdAtMs, plan } = hit.subscription;
      return { type: hit.type, id, ...moneyOf(plan), at: isoOrNull(createdAtMs), state, detail: plan.name };
    }
    case "dispute": {
      const { id, state, createdAtMs, networkCaseId } = hit.dispute;
      return { type: hit.type, id, ...moneyOf(hit.dispute), at: isoOrNull(createdAtMs), state, detail: networkCaseId };
    }
    case "alert": {
      const { id, state, createdAtMs, source } = hit.alert;
      return { type: hit.type, id, ...moneyOf(hit.alert), at: isoOrNull(createdAtMs), state, detail: source };
    }
    case "terminal": {
      const { view, group } = hit.terminal;
      const { terminalId: id, connectionStatus: state, lastActivityMs, lastSeenMs, device } = view;
      const detail = [device.deviceModel, group].filter((part) => part !== null && part !== undefined).join(" · ");
      const at = isoOrNull(lastActivityMs ?? lastSeenMs ?? null);
      return { type: hit.type, id, amountMinor: null, currency: null, at, state, detail: detail === "" ? null : detail };
    }
  }
}

function moneyOf({ amountMinor, currency }: { readonly amountMinor: number; readonly currency: string }) {
  return { amountMinor, currency };
}
