import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { type AccessibilityCase, lookAtEvery } from "./accessibility-cases.ts";
import { MERCHANT, meOf, sessionOf } from "./fake-relay.ts";
import { PLAN, PLANS_BY_LINK, SUBSCRIPTION_HANDLERS, SUBSCRIPTIONS } from "./fake-subscriptions.ts";

const ANNA = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  ...SUBSCRIPTION_HANDLERS,
};
const VIEWER = { ...ANNA, "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) };
const ITALIAN = { ...ANNA, "GET /session": () => ({ data: sessionOf({ locale: "it" }) }) };
const NOTHING = { ...ANNA, "GET /subscriptions": () => ({ data: { items: [], next: null } }) };
const NO_PLANS = { ...NOTHING, "GET /plans": () => ({ data: { ...PLANS_BY_LINK, items: [] } }) };

const dialog = (page: Page) => page.locator("dialog.dialog");
const drawer = (page: Page) => page.locator("dialog.drawer");
const mainButton = (page: Page, name: string) => page.locator("main").getByRole("button", { name }).first();
const pathOf = ({ id }: { id: string }) => `/portal/subscriptions/${id}`;
const DUNNING = "/portal/subscriptions?tab=dunning";

/** Presses a button of the drawer, and waits for the question. */
const asked = (name: string) => async (page: Page) => {
  await drawer(page).getByRole("button", { name, exact: true }).click();
  await dialog(page).locator("h2").waitFor();
};

const changing = async (page: Page) => {
  await page.getByRole("button", { name: /^(Change|Modifica)$/ }).click();
  await drawer(page).locator("h2").waitFor();
};

const CASES: AccessibilityCase[] = [
  {
    name: "subscriptions",
    path: "/portal/subscriptions",
    handlers: ANNA,
    until: (page) => page.locator(".row-button").nth(12).waitFor(),
  },
  {
    name: "subscriptions in Italian",
    path: "/portal/subscriptions",
    handlers: ITALIAN,
    until: (page) => page.locator(".row-button").nth(12).waitFor(),
  },
  { name: "no subscriptions", path: "/portal/subscriptions", handlers: NOTHING, until: (page) => page.locator(".empty").waitFor() },
  {
    name: "subscriptions of other filters",
    path: "/portal/subscriptions?state=PAUSED&from=2026-01-01",
    handlers: NOTHING,
    until: (page) => page.getByText("No results").waitFor(),
  },
  ...Object.entries(SUBSCRIPTIONS).map(([name, subscription]) => ({
    name: `a subscription: ${name}`,
    path: pathOf(subscription),
    handlers: ANNA,
    until: (page: Page) => drawer(page).getByText("Subscription id").waitFor(),
  })),
  {
    name: "a subscription in Italian",
    path: pathOf(SUBSCRIPTIONS.pastDue),
    handlers: ITALIAN,
    until: (page) => drawer(page).getByText("Id dell’abbonamento").waitFor(),
  },
  {
    name: "a subscription for who may only look",
    path: pathOf(SUBSCRIPTIONS.pastDueByLink),
    handlers: VIEWER,
    until: (page) => drawer(page).getByText("Subscription id").waitFor(),
  },
  {
    name: "no such subscription",
    path: "/portal/subscriptions/none",
    handlers: ANNA,
    until: (page) => page.getByText("There is no such subscription").waitFor(),
  },
  { name: "a payment to retry", path: pathOf(SUBSCRIPTIONS.pastDue), handlers: ANNA, until: asked("Retry now") },
  { name: "a subscription to pause", path: pathOf(SUBSCRIPTIONS.pastDue), handlers: ANNA, until: asked("Pause") },
  { name: "a subscription to resume", path: pathOf(SUBSCRIPTIONS.paused), handlers: ANNA, until: asked("Resume") },
  { name: "a cancellation to take back", path: pathOf(SUBSCRIPTIONS.ending), handlers: ANNA, until: asked("Take the cancellation back") },
  { name: "a subscription to cancel", path: pathOf(SUBSCRIPTIONS.active), handlers: ANNA, until: asked("Cancel the subscription") },
  {
    name: "a subscription to cancel in Italian",
    path: pathOf(SUBSCRIPTIONS.active),
    handlers: ITALIAN,
    until: asked("Annulla l’abbonamento"),
  },
  {
    name: "a subscription to begin, with what is wrong",
    path: "/portal/subscriptions",
    handlers: ANNA,
    until: async (page) => {
      await mainButton(page, "New subscription").click();
      await dialog(page).getByRole("radio", { name: "By card on file" }).check();
      await dialog(page).getByRole("button", { name: "Begin the subscription" }).click();
      await page.getByText("This field is required.").first().waitFor();
    },
  },
  {
    name: "a subscription to begin without a plan",
    path: "/portal/subscriptions",
    handlers: NO_PLANS,
    until: async (page) => {
      await mainButton(page, "New subscription").click();
      await page.getByText("There is no plan yet").waitFor();
    },
  },
  {
    name: "plans",
    path: "/portal/subscriptions?tab=plans",
    handlers: ANNA,
    until: (page) => page.getByText("3 plans in total").waitFor(),
  },
  { name: "no plans", path: "/portal/subscriptions?tab=plans", handlers: NO_PLANS, until: (page) => page.locator(".empty").waitFor() },
  {
    name: "a plan",
    path: `/portal/subscriptions/${PLAN.monthly.id}?tab=plans`,
    handlers: ANNA,
    until: (page) => drawer(page).getByText("first payment after 14 days").waitFor(),
  },
  {
    name: "a plan to deactivate",
    path: `/portal/subscriptions/${PLAN.weekly.id}?tab=plans`,
    handlers: ANNA,
    until: asked("Deactivate"),
  },
  {
    name: "a plan to write, with what is wrong",
    path: "/portal/subscriptions?tab=plans",
    handlers: ANNA,
    until: async (page) => {
      await mainButton(page, "New plan").click();
      await dialog(page).getByLabel("Is paid every").fill("99");
      await dialog(page).getByRole("button", { name: "Create the plan" }).click();
      await page.getByText("A whole number from 1 to 36.").waitFor();
    },
  },
  {
    name: "a plan to write in Italian",
    path: "/portal/subscriptions?tab=plans",
    handlers: ITALIAN,
    until: async (page) => {
      await mainButton(page, "Nuovo piano").click();
      await dialog(page).getByLabel("Importo").fill("29");
      await page.getByText("29,00 € ogni mese").first().waitFor();
    },
  },
  { name: "dunning", path: DUNNING, handlers: ANNA, until: (page) => page.locator(".schedule li").nth(5).waitFor() },
  { name: "dunning in Italian", path: DUNNING, handlers: ITALIAN, until: (page) => page.locator(".schedule li").nth(5).waitFor() },
  {
    name: "dunning for who may only look",
    path: DUNNING,
    handlers: VIEWER,
    until: (page) => page.getByText("Owners and admins change it.").waitFor(),
  },
  {
    name: "dunning that cannot be loaded",
    path: DUNNING,
    handlers: { ...ANNA, "GET /dunning": () => ({ status: 503, code: "unavailable" }) },
    until: (page) => page.getByRole("button", { name: "Try again" }).waitFor(),
  },
  {
    name: "dunning to change, with what is wrong",
    path: DUNNING,
    handlers: ANNA,
    until: async (page) => {
      await changing(page);
      await drawer(page).getByLabel("Retry 2", { exact: true }).fill("1");
      await drawer(page).getByRole("button", { name: "Save" }).click();
      await page.getByText("Later than the retry before it.").waitFor();
    },
  },
  { name: "dunning to change in Italian", path: DUNNING, handlers: ITALIAN, until: changing },
  {
    name: "dunning that somebody else has changed",
    path: DUNNING,
    handlers: { ...ANNA, "PUT /dunning": () => ({ status: 409, code: "conflict" }) },
    until: async (page) => {
      await changing(page);
      await drawer(page).getByRole("radio", { name: "Pause it" }).check();
      await drawer(page).getByRole("button", { name: "Save" }).click();
      await page.getByText("Somebody else has changed this").waitFor();
    },
  },
];

test("no page of subscriptions, plans or dunning breaks WCAG A or AA, its policy or its width, in both themes, on a phone and on a desk", {
  skip: NO_BROWSER,
  timeout: 600_000,
}, async (t) => {
  await lookAtEvery(t, "portal", CASES);
});
