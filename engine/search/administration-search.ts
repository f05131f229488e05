import { hasUuidForm } from "../kernel/identifiers.ts";
import { isOneErrorApart } from "../kernel/typing-error.ts";
import { HITS_MAX, type Search, type SearchResult } from "../operators/search.ts";
import { hitsOfRows, type SearchHit } from "../operators/search-hit.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import type { FedSearch } from "../payments/fed-search.ts";
import type { SearchText } from "./search-text.ts";

/** Something that operators administer. */
export interface Place {
  readonly kind: "terminal" | "merchant" | "partner" | "node";
  readonly id: string;
  /** Null: it has no name besides its id. */
  readonly name: string | null;
}

export interface AdministrationFound extends SearchResult {
  readonly places: readonly Place[];
  /** Places with a similar id or name, if nothing was found. */
  readonly near: readonly Place[];
}

/**
 * Searches the whole installation: payments and objects by id, the payments of the last days by
 * more than that, and terminals, merchants, partners and nodes. Every search is bounded.
 */
export interface AdministrationSearch {
  (wanted: SearchText, gone?: AbortSignal): Promise<AdministrationFound>;
  /** Searches only by a whole id. */
  byId(id: string, gone?: AbortSignal): Promise<AdministrationFound>;
}

/** The places of each kind that are returned. */
export const PLACES_MAX = 5;

export interface AdministrationSearchOptions {
  byId: Search;
  fed: FedSearch;
  /** The terminals that were ever seen, by id after `after`. */
  seenTerminals(after: string, limit: number): Promise<readonly { readonly terminalId: string }[]>;
  /** The ids of terminals with a configuration. Reads only memory. */
  configuredTerminals(): Iterable<string>;
  merchants: Pick<MerchantStore, "beginning">;
  partners(): readonly { readonly id: number; readonly username: string }[];
  nodes(): Promise<readonly { readonly nodeId: string }[]>;
}

/** As many characters name few merchants. */
const SIMILAR_LENGTH = 3;
/** Merchants with the same beginning that are compared with a text. */
const SIMILAR_MAX = 200;

export function createAdministrationSearch(options: AdministrationSearchOptions): AdministrationSearch {
  const { byId, fed, seenTerminals, configuredTerminals, merchants, partners, nodes } = options;

  async function terminals(text: string): Promise<Place[]> {
    const seen = await seenTerminals(justBefore(text), PLACES_MAX);
    const begun = seen.map(({ terminalId }) => terminalId).filter((id) => id.startsWith(text));
    const small = text.toLowerCase();
    const known = [...configuredTerminals()].filter((id) => id.toLowerCase().includes(small)).slice(0, PLACES_MAX);
    return [...new Set([...begun, ...known])].slice(0, PLACES_MAX).map((id) => ({ kind: "terminal", id, name: null }));
  }

  async function merchantsBegun(text: string, limit: number): Promise<Place[]> {
    const found = await merchants.beginning(text, limit);
    return found.map(({ merchantId, merchantName }) => ({ kind: "merchant", id: merchantId, name: merchantName }));
  }

  function partnersOf(matches: (text: string) => boolean): Place[] {
    const found = partners().filter(({ id, username }) => matches(username.toLowerCase()) || matches(String(id)));
    return found.slice(0, PLACES_MAX).map(({ id, username }) => ({ kind: "partner", id: String(id), name: username }));
  }

  async function nodesOf(matches: (text: string) => boolean): Promise<Place[]> {
    const names = new Set((await nodes()).map(({ nodeId }) => nodeId));
    return [...names].filter((name) => matches(name.toLowerCase())).map((id) => ({ kind: "node", id, name: null }));
  }

  async function places({ text }: SearchText): Promise<Place[]> {
    const small = text.toLowerCase();
    const includes = (one: string) => one.includes(small);
    const isKey = /^[A-Za-z0-9._-]+$/.test(text);
    const found = await Promise.all([
      isKey ? terminals(text) : [],
      isKey ? merchantsBegun(text, PLACES_MAX) : [],
      partnersOf(includes),
      nodesOf(includes),
    ]);
    return found.flat();
  }

  async function near(text: string): Promise<Place[]> {
    const small = text.toLowerCase();
    const isNear = (one: string) => isOneErrorApart(one.toLowerCase(), small);
    const known = [...configuredTerminals()].filter(isNear).map((id): Place => ({ kind: "terminal", id, name: null }));
    const [similar, ofNodes] = await Promise.all([merchantsBegun(text.slice(0, SIMILAR_LENGTH), SIMILAR_MAX), nodesOf(isNear)]);
    return [...known, ...similar.filter(({ id }) => isNear(id)), ...partnersOf(isNear), ...ofNodes].slice(0, PLACES_MAX);
  }

  /** Payments of the last days by amount, beginning, authorization code or last four digits. */
  async function recent({ identifier, amounts }: SearchText, gone: AbortSignal | undefined): Promise<SearchResult> {
    if ((identifier === null && amounts.length === 0) || (identifier !== null && hasUuidForm(identifier)))
      return { hits: [], clickhouse: "asked" };
    try {
      const rows = await fed({ uuids: [], filter: { wanted: { text: identifier, amounts } } }, gone);
      return { hits: hitsOfRows(rows), clickhouse: "asked" };
    } catch {
      // The error says only that ClickHouse does not respond, and the rest is still returned.
      return { hits: [], clickhouse: "away" };
    }
  }

  const search = async (wanted: SearchText, gone?: AbortSignal): Promise<AdministrationFound> => {
    const { identifier } = wanted;
    const [ofId, ofRecent, foundPlaces] = await Promise.all([
      identifier === null ? { hits: [], clickhouse: "asked" as const } : byId(identifier, gone),
      recent(wanted, gone),
      places(wanted),
    ]);
    const known = new Set(ofId.hits.map(placeOf));
    const hits = [...ofId.hits, ...ofRecent.hits.filter((hit) => !known.has(placeOf(hit)))].slice(0, HITS_MAX);
    const isFound = hits.length > 0 || foundPlaces.length > 0;
    return {
      hits,
      clickhouse: ofId.clickhouse === "away" || ofRecent.clickhouse === "away" ? "away" : "asked",
      places: foundPlaces,
      near: isFound || identifier === null ? [] : await near(identifier),
    };
  };
  return Object.assign(search, {
    byId: async (id: string, gone?: AbortSignal) => ({ ...(await byId(id, gone)), places: [], near: [] }),
  });
}

function placeOf({ kind, terminalId, id }: SearchHit): string {
  return [kind, terminalId, id.toLowerCase()].join(" ");
}

/** Returns a text after which a list by id begins with this text. */
function justBefore(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return `${text.slice(0, -1)}${String.fromCharCode(last - 1)}\u007e`;
}
