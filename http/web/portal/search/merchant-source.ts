import type { MerchantSearchHitJson, MerchantSearchResultJson } from "../../../surfaces/merchant/search/schemas.ts";
import { get } from "../api/client.ts";
import type { IconName } from "../components/icon.tsx";
import { minorOf } from "../i18n/amounts.ts";
import { formatDate } from "../i18n/format.ts";
import { text } from "../i18n/texts.ts";
import { type FilterValues, listHref, objectHref } from "../list/declaration.ts";
import { type SearchAnswer, type SearchOption, type SearchSource, toneOf } from "./source.ts";

type HitType = MerchantSearchHitJson["type"];

/** The page of each type of object, and its icon. */
const TYPES: Readonly<Record<HitType, { page: string; icon: IconName }>> = {
  payment: { page: "transactions", icon: "transactions" },
  payment_link: { page: "payment-links", icon: "link" },
  subscription: { page: "subscriptions", icon: "subscriptions" },
  dispute: { page: "disputes", icon: "dispute" },
  alert: { page: "alerts", icon: "alert" },
  terminal: { page: "terminals", icon: "terminals" },
};

/** Searches everything of the merchant at which the session is. */
export const merchantSource: SearchSource = {
  hint: () => text().search.merchantHint,
  search: async (wanted, signal) => answerOf(wanted, await findInMerchant(wanted, signal)),
};

export function findInMerchant(wanted: string, signal: AbortSignal): Promise<MerchantSearchResultJson> {
  return get<MerchantSearchResultJson>("/search", { signal, query: { q: wanted } });
}

function answerOf(wanted: string, { groups, near, withheld }: MerchantSearchResultJson): SearchAnswer {
  const { search: words } = text();
  const away = groups.filter(({ state }) => state === "away").map(({ name }) => words.groups[name]);
  const since = groups.find((group) => group.since !== null && group.items.length === 0)?.since ?? null;
  return {
    groups: groups.map(({ name, items, more }) => ({
      name,
      title: more ? words.first(words.groups[name]) : words.groups[name],
      options: [...items.map(optionOf), ...(more && name === "payments" ? allPayments(wanted) : [])],
    })),
    near: near.map(optionOf),
    notes: [
      ...(withheld === "personal_data" ? [words.withheld] : []),
      ...(away.length > 0 ? [words.away(away.join(", "))] : []),
      ...(since !== null ? [words.since(formatDate(since))] : []),
    ],
  };
}

/** Makes an option of a hit. Lists without results suggest hits as links too. */
export function optionOf({ type, id, amountMinor, currency, at, state, detail }: MerchantSearchHitJson): SearchOption {
  const { page, icon } = TYPES[type];
  return {
    ...{ key: `${type} ${id}`, href: objectHref(page, id), icon },
    ...(detail === null || detail === ""
      ? { title: id }
      : type === "terminal"
        ? { title: id, second: detail }
        : { title: detail, second: id }),
    amount: amountMinor === null || currency === null ? undefined : { minor: amountMinor, currency },
    at: at ?? undefined,
    state: { text: stateText(type, state), kind: toneOf(state) },
  };
}

/** Returns a state in the words of the page of its object. */
function stateText(type: HitType, state: string): string {
  const { transactions, paymentLinks, subscriptions, disputes, alerts, terminals } = text();
  const all: Readonly<Record<HitType, Readonly<Record<string, string>>>> = {
    payment: { ...transactions.statuses, ...transactions.refundStates },
    payment_link: paymentLinks.states,
    subscription: subscriptions.states,
    dispute: disputes.states,
    alert: alerts.states,
    terminal: terminals.statuses,
  };
  return all[type][state] ?? state;
}

/** The list of transactions with the same search, if the list has it. */
function allPayments(wanted: string): SearchOption[] {
  const minor = minorOf(wanted, "");
  const isIdentifier = /^[A-Za-z0-9._-]{4,64}$/.test(wanted);
  const filters: FilterValues | null =
    minor !== null && !/^\d{4,}$/.test(wanted)
      ? { amountMin: String(minor), amountMax: String(minor) }
      : isIdentifier
        ? { q: wanted }
        : null;
  if (filters === null) return [];
  return [{ key: "all payments", href: listHref("transactions", filters), icon: "filter", title: text().search.allPayments }];
}
