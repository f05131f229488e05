import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { type AccessibilityCase, lookAtEvery } from "./accessibility-cases.ts";
import { AGENT_HANDLERS, AGENTS, MADE } from "./fake-agents.ts";
import { DAYS, RECONCILIATION_HANDLERS } from "./fake-reconciliation.ts";
import { MERCHANT, meOf, sessionOf } from "./fake-relay.ts";

const ANNA = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  ...AGENT_HANDLERS,
  ...RECONCILIATION_HANDLERS,
  "POST /agent-credentials": () => ({ status: 201, data: MADE }),
};
const VIEWER = { ...ANNA, "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) };
const ITALIAN = { ...ANNA, "GET /session": () => ({ data: sessionOf({ locale: "it" }) }) };
const EMPTY = { data: { items: [], next: null } };
const NOTHING = { ...ANNA, "GET /agent-credentials": () => EMPTY, "GET /reconciliation": () => EMPTY };

const dialog = (page: Page) => page.locator("dialog.dialog");
const drawer = (page: Page) => page.locator("dialog.drawer");
const [PATH, DAYS_PATH] = ["/portal/agents", "/portal/reconciliation"];
const rows = (count: number) => (page: Page) =>
  page
    .locator("main .row-button")
    .nth(count - 1)
    .waitFor();
const press = (page: Page, name: RegExp) => dialog(page).getByRole("button", { name }).click();

const NEXT = /^(Continue|Continua)$/;

/** Opens the wizard and goes on to a step, rightly filled in before. */
const atStep = (step: 1 | 2 | 3 | 4 | 5) => async (page: Page) => {
  await page
    .getByRole("button", { name: /^(New credential|Nuova credenziale)$/ })
    .first()
    .click();
  if (step === 1) return dialog(page).locator("h2").waitFor();
  await dialog(page)
    .getByLabel(/^(Name|Nome)$/)
    .fill("Booking assistant");
  await press(page, NEXT);
  const amounts = dialog(page).locator('input[inputmode="decimal"]');
  await amounts.nth(2).waitFor();
  for (const [index, amount] of ["200", "500", "5000"].entries()) await amounts.nth(index).fill(amount);
  if (step === 2) return;
  await press(page, NEXT);
  await dialog(page).locator("textarea").waitFor();
  if (step === 3) return;
  await press(page, NEXT);
  await dialog(page).locator(".in-words").waitFor();
  if (step === 4) return;
  await press(page, /^(Create credential|Crea credenziale)$/);
  await dialog(page).locator("[data-secret]").waitFor();
};

const wrongAtStep = (step: 1 | 2 | 3) => async (page: Page) => {
  if (step === 1) await atStep(1)(page);
  else await atStep(step)(page);
  if (step === 2) await dialog(page).locator('input[inputmode="decimal"]').first().fill("9999");
  if (step === 3) await dialog(page).locator("textarea").fill("nowhere");
  await press(page, NEXT);
  await dialog(page).locator('[aria-invalid="true"]').first().waitFor();
};

const CASES: AccessibilityCase[] = [
  { name: "agents", path: PATH, handlers: ANNA, until: rows(6) },
  { name: "agents in Italian", path: PATH, handlers: ITALIAN, until: rows(6) },
  { name: "agents for who may only look", path: PATH, handlers: VIEWER, until: rows(6) },
  { name: "no agents", path: PATH, handlers: NOTHING, until: (page) => page.locator(".empty").waitFor() },
  ...Object.entries(AGENTS).map(([name, { id }]) => ({
    name: `an agent: ${name}`,
    path: `${PATH}/${id}`,
    handlers: ANNA,
    until: (page: Page) => drawer(page).getByText("Credential id").waitFor(),
  })),
  {
    name: "an agent in Italian",
    path: `${PATH}/${AGENTS.active.id}`,
    handlers: ITALIAN,
    until: (page) => drawer(page).getByText("Id della credenziale").waitFor(),
  },
  { name: "no such agent", path: `${PATH}/none`, handlers: ANNA, until: (page) => drawer(page).locator(".empty").waitFor() },
  ...([1, 2, 3, 4, 5] as const).flatMap((step) => [
    { name: `a credential to make, step ${step}`, path: PATH, handlers: ANNA, until: atStep(step) },
    { name: `a credential to make in Italian, step ${step}`, path: PATH, handlers: ITALIAN, until: atStep(step) },
  ]),
  ...([1, 2, 3] as const).map((step) => ({
    name: `a credential to make, with what is wrong at step ${step}`,
    path: PATH,
    handlers: ANNA,
    until: wrongAtStep(step),
  })),
  {
    name: "an agent to revoke",
    path: `${PATH}/${AGENTS.active.id}`,
    handlers: ANNA,
    until: async (page) => {
      await drawer(page).getByRole("button", { name: "Revoke" }).click();
      await dialog(page).locator("h2").waitFor();
    },
  },
  {
    name: "all agents to revoke",
    path: PATH,
    handlers: ITALIAN,
    until: async (page) => {
      await page.getByRole("button", { name: "Revoca tutte" }).click();
      await dialog(page).locator("h2").waitFor();
    },
  },
  { name: "closed days", path: DAYS_PATH, handlers: ANNA, until: rows(4) },
  { name: "closed days in Italian", path: DAYS_PATH, handlers: ITALIAN, until: rows(4) },
  { name: "no closed days", path: DAYS_PATH, handlers: NOTHING, until: (page) => page.locator(".empty").waitFor() },
  ...Object.entries(DAYS).map(([name, { day }]) => ({
    name: `a closed day: ${name}`,
    path: `${DAYS_PATH}/${day}`,
    handlers: ANNA,
    until: (page: Page) => drawer(page).getByText("Closed on").waitFor(),
  })),
  {
    name: "a closed day in Italian",
    path: `${DAYS_PATH}/${DAYS.full.day}`,
    handlers: ITALIAN,
    until: (page) => drawer(page).getByText("Chiusa il").waitFor(),
  },
  {
    name: "a day that is open",
    path: `${DAYS_PATH}/2026-11-25`,
    handlers: ANNA,
    until: (page) => drawer(page).locator(".empty").waitFor(),
  },
];

test("no page of agents or of reconciliation breaks WCAG A or AA, its policy or its width, in both themes, on a phone and on a desk", {
  skip: NO_BROWSER,
  timeout: 600_000,
}, async (t) => {
  await lookAtEvery(t, "portal", CASES);
});
