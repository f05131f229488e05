import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { AlertJson, AlertRulesJson } from "../../../../http/surfaces/merchant/alerts/schemas.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { ALERTS, alertOf, DISPUTE_HANDLERS, DRY_RUN, NO_RULES, REFUND, RULES } from "./fake-disputes.ts";
import {
  type FakeAnswer,
  type FakeHandler,
  type FakeRequest,
  fakeRelay,
  LINK_TRANSACTION,
  MERCHANT,
  meOf,
  sessionOf,
  TRANSACTION,
} from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Readonly<Record<string, FakeHandler>> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  "GET /transactions/*": ({ path }) => ({ data: path.endsWith(TRANSACTION.uuid) ? TRANSACTION : LINK_TRANSACTION }),
  ...DISPUTE_HANDLERS,
};

const as = (role: "FINANCE" | "VIEWER") => ({ "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role } }) }) });

const drawer = (page: Page) => page.locator("dialog.drawer");
const dialog = (page: Page) => page.locator("dialog.dialog");
const pathOf = ({ id }: AlertJson) => `/portal/alerts/${id}`;
const callsTo = (calls: readonly FakeRequest[], name: RegExp) => calls.filter(({ method, path }) => name.test(`${method} ${path}`));

test("names every state in the list, opens the alerts behind each figure, and sorts pending ones by deadline", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal/alerts?state=NONSENSE`);
  await page.getByText("14 alerts in total").waitFor();
  assert.deepEqual(
    [...new Set(await page.locator("main tbody .badge").allTextContents())],
    ["Pending", "Auto-refund", "Refunded", "Declined", "Prevented"],
  );
  await page.getByRole("link", { name: /^To decide/ }).click();
  await page.getByText("7 alerts in total").waitFor();
  assert.deepEqual(Object.fromEntries(callsTo(calls, /^GET \/alerts$/).at(-1)?.query ?? []), {
    state: "PENDING",
    order: "due",
    limit: "50",
  });
  assert.deepEqual(faults, []);
});

test("refunds a payment once, after a confirmation and a second factor, and explains each outcome", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let alert: AlertJson = alertOf();
  const answers: FakeAnswer[] = [
    { status: 403, code: "step_up_required" },
    { status: 409, code: "outcome_unknown" },
    { status: 409, code: "refund_refused", message: "The payment was not refunded: gateway" },
  ];
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /alerts/*": () => ({ data: alert }),
    "POST /session/step-up": () => ({ data: sessionOf() }),
    "POST /alerts/*/refund": () => {
      const answer = answers.shift();
      if (answer !== undefined) return answer;
      alert = { ...alert, state: "REFUNDED", answerable: false, refund: { ...REFUND, state: "done", moved: true } };
      return { data: alert };
    },
  });
  await page.goto(url + pathOf(alert));
  await drawer(page).getByRole("button", { name: "Refund" }).click();
  await dialog(page).getByText("€49.90 goes back to the customer, and the complaint is closed.").waitFor();
  await dialog(page).getByRole("button", { name: "Refund €49.90" }).dblclick();
  const question = page.locator("dialog", { hasText: "Confirm it is you" });
  await question.getByLabel("Code").fill("123456");
  await page.keyboard.press("Enter");
  await dialog(page).getByText("Nothing is refunded twice").waitFor();
  await dialog(page).getByRole("button", { name: "Check again" }).click();
  await dialog(page).getByText("The card gateway rejected the refund.").waitFor();
  await dialog(page).getByRole("button", { name: "Refund €49.90" }).click();
  await page.getByText("€49.90 was refunded.").waitFor();
  await drawer(page).getByText("The payment was refunded.").waitFor();
  assert.equal(
    await drawer(page)
      .getByRole("button", { name: /^(Refund|Decline|Check again)/ })
      .count(),
    0,
  );
  assert.equal(callsTo(calls, /refund$/).length, 4);
  assert.ok(callsTo(calls, /refund$/).every(({ headers }) => /^[0-9a-f]{32}$/.test(headers["idempotency-key"] ?? "")));
});

test("announces that the whole payment is refunded, even if the complaint is about less", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /alerts/*": () => ({ data: alertOf({ amountMinor: 1_000 }) }) });
  await page.goto(url + pathOf(alertOf()));
  await drawer(page).getByText("Open transaction").waitFor();
  await drawer(page).getByText("Approved").waitFor();
  await drawer(page).getByRole("button", { name: "Refund" }).click();
  await dialog(page).getByText("The alert is about €10.00, but you can only refund the full payment here.").waitFor();
  await dialog(page).getByRole("button", { name: "Refund €49.90" }).waitFor();
});

test("declines an alert once with a reason, and shows an end that came first", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let alert: AlertJson = alertOf();
  let ended = false;
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /alerts/*": () => ({ data: alert }),
    "POST /alerts/*/decline": ({ body }) => {
      if (ended) {
        alert = { ...ALERTS.prevented, id: alert.id };
        return { status: 409, code: "not_pending" };
      }
      const reason = String(Object(body)["reason"]);
      alert = { ...alert, state: "DECLINED", answerable: false, end: { by: "merchant", at: "2026-11-25T11:00:00.000Z", reason } };
      return { data: alert };
    },
  });
  await page.goto(url + pathOf(alert));
  await drawer(page).getByRole("button", { name: "Decline" }).click();
  await dialog(page).getByLabel("Reason").fill("The customer has the goods");
  await dialog(page).getByRole("button", { name: "Decline alert" }).dblclick();
  await page.getByText("The alert is declined.").waitFor();
  await drawer(page).getByText("Reason: The customer has the goods").waitFor();
  assert.deepEqual(
    callsTo(calls, /decline$/).map(({ body }) => body),
    [{ reason: "The customer has the goods" }],
  );

  ended = true;
  alert = alertOf();
  await page.goto(url + pathOf(alert));
  await drawer(page).getByRole("button", { name: "Decline" }).click();
  await dialog(page).getByRole("button", { name: "Decline alert" }).click();
  await dialog(page).getByText("It is no longer pending").waitFor();
  await page.keyboard.press("Escape");
  await drawer(page).getByText("The card network has resolved it.").waitFor();
  assert.equal(await drawer(page).getByRole("button", { name: "Decline" }).count(), 0);
});

test("explains why a refund is not possible here, and does not offer it", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  for (const [alert, shows, offers] of [
    [ALERTS.network, "With RDR the card network refunds the customer", ["Decline"]],
    [ALERTS.unknownPayment, "The source did not say which payment this is about", ["Decline"]],
    [ALERTS.refused, "This payment was taken on a terminal", ["Decline"]],
    [ALERTS.capped, "the limit for the day is reached", ["Refund", "Decline"]],
    [ALERTS.held, "the payment is under dispute. It is not refunded.", ["Refund", "Decline"]],
    [ALERTS.refunding, "A refund is in progress.", ["Check again"]],
    [ALERTS.auto, "Decided by your rule “small-amounts”.", []],
    [ALERTS.refunded, "The payment was refunded.", []],
    [ALERTS.expired, "Nobody decided in time", []],
    [ALERTS.invalid, "The source has withdrawn this alert", []],
    [ALERTS.twice, "The customer may have got the money twice", []],
  ] as const) {
    await page.goto(url + pathOf(alert));
    await drawer(page).getByText(shows).waitFor();
    await drawer(page).getByText("Open transaction").or(drawer(page).getByText("which payment this is about.")).first().waitFor();
    const offered = drawer(page).getByRole("button", { name: /^(Refund|Decline|Check again)$/ });
    assert.deepEqual(await offered.allTextContents(), offers, alert.id);
  }
  await page.unrouteAll();
  await fakeRelay(page, { ...ANNA, ...as("VIEWER") });
  await page.goto(url + pathOf(ALERTS.pending));
  await drawer(page).getByText("Your role cannot decide on alerts. Ask a colleague who can.").waitFor();
  assert.equal(
    await drawer(page)
      .getByRole("button", { name: /^(Refund|Decline)$/ })
      .count(),
    0,
  );
});

test("writes rules, tests them before they apply, and saves them after a second factor", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  let rules: AlertRulesJson = NO_RULES;
  let asked = 0;
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /alert-rules": () => ({ data: rules }),
    "POST /alert-rules/dry-run": () => ({ data: DRY_RUN }),
    "POST /session/step-up": () => ({ data: sessionOf() }),
    "PUT /alert-rules": ({ body }) => {
      asked += 1;
      if (asked === 1) return { status: 403, code: "step_up_required" };
      rules = { ...RULES, ...Object(body), version: 1 };
      return { data: rules };
    },
  });
  await page.goto(`${url}/portal/alerts?tab=rules`);
  await page.getByText("Nothing is refunded automatically.").waitFor();
  await page.getByRole("button", { name: "Edit rules" }).click();
  await drawer(page).getByRole("radio", { name: "On" }).check();
  await drawer(page).getByRole("button", { name: "Save rules" }).click();
  await drawer(page).getByText("Add a rule first.").waitFor();
  await drawer(page).getByRole("button", { name: "Add rule" }).click();
  await drawer(page).getByRole("button", { name: "Save rules" }).click();
  await drawer(page).getByText("Enter 1 to 32 letters, digits, - or _.").waitFor();
  await drawer(page).getByText("Enter an amount, for example €25.00.").waitFor();
  assert.equal(callsTo(calls, /^PUT/).length, 0);
  await drawer(page).getByLabel("Name").fill("small-amounts");
  await drawer(page).getByLabel("Payments up to").fill("20");
  await drawer(page).getByText("= €20.00").waitFor();
  await drawer(page).getByLabel("Maximum refunds per day").fill("5");
  await drawer(page).getByLabel("Maximum amount per day").fill("1,000.00");
  const sources = drawer(page).getByRole("group", { name: "Sources" });
  await sources.getByLabel("Any").uncheck();
  await drawer(page).getByRole("button", { name: "Test on the last 90 days" }).click();
  await sources.getByText("Choose at least one.").waitFor();
  await sources.getByLabel("Ethoca").check();
  assert.equal(await sources.getByLabel("RDR").count(), 0);
  const set = {
    ...{ enabled: true, currency: "EUR", dailyCountMax: 5, dailyAmountMaxMinor: 100_000 },
    rules: [{ id: "small-amounts", amountMaxMinor: 2_000, sources: ["ETHOCA"], categories: null, methods: null }],
  };
  await drawer(page).getByRole("button", { name: "Test on the last 90 days" }).click();
  await drawer(page).getByText("2 of 14 alerts would have been refunded. €39.80 in total.").waitFor();
  assert.deepEqual(
    callsTo(calls, /dry-run$/).map(({ body }) => body),
    [set],
  );
  await drawer(page).getByLabel("Payments up to").fill("21");
  await drawer(page).getByText("You have changed the rules since this test. Test them again.").waitFor();
  await drawer(page).getByLabel("Payments up to").fill("20");
  assert.equal(await drawer(page).getByText("You have changed the rules since this test. Test them again.").count(), 0);

  // Escape does not discard the changes without a confirmation.
  await page.keyboard.press("Escape");
  await dialog(page).getByText("What you typed here will be lost.").waitFor();
  await dialog(page).getByRole("button", { name: "Keep editing" }).click();
  await drawer(page).getByRole("button", { name: "Save rules" }).click();
  await page.locator("dialog", { hasText: "Confirm it is you" }).getByLabel("Code").fill("123456");
  await page.keyboard.press("Enter");
  await page.getByText("The rules are saved.").waitFor();
  assert.deepEqual(callsTo(calls, /^PUT/).at(-1)?.body, { ...set, seen: 0 });
  await page.getByText("Up to €20.00 · Ethoca · any reason · any method").waitFor();
  assert.deepEqual(faults, []);
});

test("never replaces what another user saved, and keeps typed text until the current version is requested", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let rules: AlertRulesJson = RULES;
  await fakeRelay(page, {
    ...ANNA,
    "GET /alert-rules": () => ({ data: rules }),
    "PUT /alert-rules": ({ body }) => (Object(body)["seen"] === rules.version ? { data: rules } : { status: 409, code: "conflict" }),
  });
  await page.goto(`${url}/portal/alerts?tab=rules`);
  await page.getByRole("button", { name: "Edit rules" }).click();
  await drawer(page).getByLabel("Maximum refunds per day").fill("3");
  rules = { ...RULES, dailyCountMax: 99, version: 8 };
  await drawer(page).getByRole("button", { name: "Save rules" }).click();
  await drawer(page).getByText("Somebody else has changed the rules").waitFor();
  assert.equal(await drawer(page).getByLabel("Maximum refunds per day").inputValue(), "3");
  await drawer(page).getByRole("button", { name: "Show the current version" }).click();
  await drawer(page).getByRole("button", { name: "Show the current version" }).waitFor({ state: "detached" });
  assert.equal(await drawer(page).getByLabel("Maximum refunds per day").inputValue(), "99");
  await drawer(page).getByRole("button", { name: "Remove rule never-received" }).click();
  await drawer(page).getByRole("button", { name: "Save rules" }).click();
  await page.getByText("The rules are saved.").waitFor();
});

test("shows the rules to users who may decide alerts but not change rules", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, ...as("FINANCE") });
  await page.goto(`${url}/portal/alerts?tab=rules`);
  await page.getByText("small-amounts").waitFor();
  assert.equal(await page.getByRole("button", { name: "Edit rules" }).count(), 0);
});
