import type { SearchHitJson, SearchResultJson } from "../../../surfaces/admin/session-schemas.ts";
import { get } from "../../portal/api/client.ts";
import type { IconName } from "../../portal/components/icon.tsx";
import { type SearchOption, type SearchSource, toneOf } from "../../portal/search/source.ts";
import { words } from "../i18n/texts.ts";
import { searchHref } from "../pages/search/address.ts";
import { stateText } from "../pages/search/states.ts";
import { pageHref } from "../state/addresses.ts";

/** The relay gives up what is away after 15 seconds, and then answers with the rest. */
const DEADLINE_MS = 20_000;

const ICONS: Readonly<Record<SearchHitJson["kind"], IconName>> = {
  ...{ command: "terminals", result: "terminals", register_payment: "terminals", link: "link", payment_link: "link" },
  ...{ payment_intent: "card", subscription: "subscriptions", dispute: "dispute", alert: "alert" },
};

/** Searches the whole relay. A hit is opened on the search page, which shows everything about it. */
export const operatorsSource: SearchSource = {
  hint: () => words().search.dialogHint,
  search: async (wanted, signal) => {
    const { search: own } = words();
    const { items, places, near, clickhouse } = await findInRelay(wanted, signal);
    return {
      groups: [
        { name: "payments", title: own.dialogPayments, options: items.map(optionOf) },
        ...(["terminal", "merchant", "partner", "node"] as const).map((kind) => ({
          name: kind,
          title: own.placeGroups[kind],
          options: places.filter((place) => place.kind === kind).map(placeOption),
        })),
      ],
      near: near.map(placeOption),
      notes: clickhouse === "away" ? [own.away] : [],
    };
  },
};

export function findInRelay(wanted: string, signal: AbortSignal): Promise<SearchResultJson> {
  return get<SearchResultJson>("/search", { signal, query: { q: wanted }, deadlineMs: DEADLINE_MS });
}

function optionOf({ kind, id, terminalId, state, amountMinor, currency, createdAt, updatedAt }: SearchHitJson): SearchOption {
  return {
    ...{
      key: [kind, id, terminalId, createdAt].join(" "),
      href: searchHref(id),
      icon: ICONS[kind],
      title: words().search.kinds[kind],
      second: id,
    },
    amount: amountMinor === null ? undefined : { minor: amountMinor, currency: currency ?? "" },
    at: createdAt ?? updatedAt ?? undefined,
    state: { text: stateText(state), kind: toneOf(state) },
  };
}

type PlaceJson = SearchResultJson["places"][number];

const PLACE_ICONS: Readonly<Record<PlaceJson["kind"], IconName>> = {
  terminal: "terminals",
  merchant: "inbox",
  partner: "users",
  node: "device",
};

export function placeOption({ kind, id, name }: PlaceJson): SearchOption {
  return {
    ...{ key: `${kind} ${id}`, href: placeHref({ kind, id }), icon: PLACE_ICONS[kind] },
    ...(name === null ? { title: id } : { title: name, second: id }),
  };
}

function placeHref({ kind, id }: Pick<PlaceJson, "kind" | "id">): string {
  if (kind === "node") return pageHref("cluster");
  return pageHref(kind === "terminal" ? "terminals" : kind === "merchant" ? "merchants" : "partners", id);
}
