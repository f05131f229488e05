import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { Relay } from "../support/node/relay.ts";
import type { Looked } from "./pages.ts";
import type { Shop } from "./portal-world.ts";
import { becomes, type MadeSubscription, planIn, subscriptionIn } from "./subscriptions.ts";

/** Subscriptions of a shop, by their states; and a plan. */
export interface FurnishedSubscriptions {
  planId: string;
  states: { readonly [state: string]: MadeSubscription };
}

const LONG_NAME = "Associazione Sportiva Dilettantistica Canottieri del Naviglio Grande";

/** Those that take days to come into their states. */
export async function subscriptionsBegun(relay: Relay, shop: Shop): Promise<{ [state: string]: MadeSubscription }> {
  const planId = await planIn(relay, shop, { name: "Gym, monthly, with one day to try it", trialDays: 1 });
  return {
    pastDue: await subscriptionIn(relay, shop, { planId, card: "card_sandbox_declined" }),
    hard: await subscriptionIn(relay, shop, { planId, card: "card_sandbox_expired", name: LONG_NAME }),
    pastDueByLink: await subscriptionIn(relay, shop, { planId, email: "a.customer.with.quite.a.long.name@example.com" }),
  };
}

/** The others, once the days have passed. */
export async function subscriptionsInStates(
  relay: Relay,
  shop: Shop,
  begun: { [state: string]: MadeSubscription },
): Promise<FurnishedSubscriptions> {
  const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
  const planId = await planIn(relay, shop, { name: "Vegetables", amountMinor: 129_900, interval: "WEEK", count: 2 });
  const trialId = await planIn(relay, shop, { name: "A year of everything", amountMinor: 24_900, interval: "YEAR", trialDays: 30 });
  const gone = await planIn(relay, shop, { name: "A plan whose name is so long that no column of any list has room for all of it" });
  const off = await server.send(`/api/merchant/plans/${gone}`, { method: "PATCH", body: { active: false } });
  assert.equal(off.status, 200, off.text);
  const byCard = () => subscriptionIn(relay, shop, { planId, card: "card_sandbox_ok", name: LONG_NAME });
  const states = {
    ...begun,
    incomplete: await subscriptionIn(relay, shop, { planId }),
    trialing: await subscriptionIn(relay, shop, { planId: trialId }),
    active: await byCard(),
    ending: await byCard(),
    paused: await byCard(),
    cancelled: await byCard(),
  };
  for (const [act, { id }, body] of [
    ["cancel", states.ending, { atPeriodEnd: true }],
    ["pause", states.paused, undefined],
    ["cancel", states.cancelled, { atPeriodEnd: false }],
  ] as const) {
    const answer = await server.post(`/api/merchant/subscriptions/${id}/${act}`, body);
    assert.equal(answer.status, 200, answer.text);
  }
  for (const { id } of Object.values(begun)) await becomes(relay, shop, id, { state: "PAST_DUE" });
  return { planId, states };
}

const seen = (text: string) => (page: Page) => page.getByText(text).filter({ visible: true }).first().waitFor();
const drawer = (page: Page) => page.locator("dialog.drawer .sum").waitFor();
const PATH = "/portal/subscriptions";

export function subscriptionPages({ planId, states }: FurnishedSubscriptions): Looked[] {
  return [
    { name: "subscriptions", path: PATH, until: seen("subscriptions in total") },
    { name: "filtered subscriptions", path: `${PATH}?state=PAUSED&customerEmail=nobody@example.com`, until: seen("No results") },
    ...Object.entries(states).map(([state, { id }]) => ({ name: `a subscription ${state}`, path: `${PATH}/${id}`, until: drawer })),
    { name: "no subscription", path: `${PATH}/none`, until: seen("There is no such subscription") },
    { name: "plans", path: `${PATH}?tab=plans`, until: seen("plans in total") },
    { name: "a plan", path: `${PATH}/${planId}?tab=plans`, until: drawer },
    { name: "no plan", path: `${PATH}/none?tab=plans`, until: seen("There is no such plan") },
    { name: "dunning", path: `${PATH}?tab=dunning`, until: seen("The subscription is cancelled") },
  ];
}

export function italianSubscriptionPages({ states }: FurnishedSubscriptions): Looked[] {
  return [
    { name: "abbonamenti", path: PATH, until: seen("abbonamenti in tutto") },
    ...["pastDue", "hard", "ending"].map((state) => ({
      name: `un abbonamento ${state}`,
      path: `${PATH}/${states[state]?.id}`,
      until: drawer,
    })),
    { name: "piani", path: `${PATH}?tab=plans`, until: seen("piani in tutto") },
    { name: "solleciti", path: `${PATH}?tab=dunning`, until: seen("L’abbonamento viene annullato") },
  ];
}

/** What opens over them: the name, the page, and the button that opens it. */
export function openedOverSubscriptions({ planId, states }: FurnishedSubscriptions): (readonly [string, string, string])[] {
  const at = (state: string) => `${PATH}/${states[state]?.id}`;
  return [
    ["a subscription to begin", PATH, "New subscription"],
    ["a payment to retry", at("pastDue"), "Retry now"],
    ["a subscription to pause", at("active"), "Pause"],
    ["a subscription to resume", at("paused"), "Resume"],
    ["a cancellation to take back", at("ending"), "Take the cancellation back"],
    ["a subscription to cancel", at("active"), "Cancel the subscription"],
    ["a plan to create", `${PATH}?tab=plans`, "New plan"],
    ["a plan to deactivate", `${PATH}/${planId}?tab=plans`, "Deactivate"],
  ];
}

/** What customers see of their own: the name, the path, and what is read there in both languages. */
export function customersSubscriptionPages({ states }: FurnishedSubscriptions): (readonly [string, string, string, string])[] {
  const [title, titolo] = ["Your subscription with", "Il tuo abbonamento presso"];
  return [
    ...Object.entries(states).map(([state, { path }]) => [`own subscription ${state}`, path, title, titolo] as const),
    ["own subscription to cancel", `${states["active"]?.path}/cancel`, "Cancel the subscription?", "Vuoi disdire l’abbonamento?"],
    ["own subscription to cancel at once", `${states["incomplete"]?.path}/cancel`, "Cancel now", "Disdici subito"],
    ["no subscription of anybody", "/s/aaaaaaaaaaaaaaaaaaaaaa", "No such subscription", "Abbonamento non trovato"],
  ];
}
