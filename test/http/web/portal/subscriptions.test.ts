import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { DunningPolicyJson } from "../../../../http/surfaces/merchant/subscriptions/plan-schemas.ts";
import type { SubscriptionDetailJson } from "../../../../http/surfaces/merchant/subscriptions/schemas.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import { type FakeHandler, type FakeRequest, fakeRelay, MERCHANT, meOf, OVERVIEW, sessionOf, taskOf } from "./fake-relay.ts";
import {
  chargeOf,
  DUNNING,
  PLAN,
  PLANS_BY_LINK,
  SUBSCRIPTION_HANDLERS,
  SUBSCRIPTION_LIST,
  SUBSCRIPTIONS,
  subscriptionOf,
} from "./fake-subscriptions.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Record<string, FakeHandler> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  ...SUBSCRIPTION_HANDLERS,
};

const as = (role: "FINANCE" | "VIEWER") => ({
  ...ANNA,
  "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role } }) }),
});

const PATH = "/portal/subscriptions";
const rows = (page: Page) => page.locator("main .row-button");
const drawer = (page: Page) => page.locator("dialog.drawer");
const dialog = (page: Page) => page.locator("dialog.dialog");
const button = (page: Page, name: string) => drawer(page).getByRole("button", { name, exact: true });
const answer = (page: Page, name: string) => dialog(page).getByRole("button", { name, exact: true });
const postsOf = (calls: readonly FakeRequest[], path: RegExp) => calls.filter((call) => call.method !== "GET" && path.test(call.path));
const keyOf = ({ headers }: FakeRequest) => headers["idempotency-key"] ?? "";

test("the list names every state in the words that are known, and what happens next to each", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(url + PATH);
  await rows(page).nth(12).waitFor();
  const states = await page.locator("main .badge").allTextContents();
  assert.deepEqual(states.slice(0, 7), ["Past due", "Past due", "Past due", "Past due", "Past due", "Incomplete", "Trialing"]);
  assert.deepEqual(states.slice(7), ["Active", "Active", "Active", "Paused", "Active", "Cancelled"]);
  const nexts = await page.locator('main td[data-label="Next"]').allTextContents();
  assert.deepEqual(
    [...nexts.slice(0, 2), ...nexts.slice(4, 7), nexts.at(9), nexts.at(10), nexts.at(12)],
    [
      ...["Retry 3 Mar 2026", "Reminder 3 Mar 2026", "Reminder 3 Mar 2026", "Until 3 Mar 2026", "31 Mar 2026"],
      ...["Ends 31 Mar 2026", "–", "–"],
    ],
  );
  assert.deepEqual(faults, []);
});

test(
  "filters stand in the address, go to the interface and are kept as a view; who sees less is asked without the customer",
  skip,
  async (t) => {
    const { url, page } = await openPortal(t);
    const { calls } = await fakeRelay(page, {
      ...ANNA,
      "PATCH /me": ({ body }) => ({ data: meOf(Object(body)) }),
    });
    const asked = () => Object.fromEntries(calls.filter(({ path }) => path === "/subscriptions").at(-1)?.query ?? []);
    await page.goto(`${url}${PATH}?state=NONSENSE&planId=none&from=never`);
    await rows(page).nth(12).waitFor();
    assert.deepEqual(asked(), { limit: "50" });
    const filters = page.locator(".filters-desk");
    await filters.getByLabel("State").selectOption({ label: "Past due" });
    await filters.getByLabel("Plan").selectOption(PLAN.yearly.id);
    await filters.getByLabel("Customer’s e-mail").fill("chiara.conti@example.com");
    await filters.getByLabel("Started").selectOption("other");
    await filters.getByLabel("From").fill("2026-01-05");
    await filters.getByLabel("To (inclusive)").fill("2026-02-05");
    const wanted = {
      state: "PAST_DUE",
      planId: PLAN.yearly.id,
      customerEmail: "chiara.conti@example.com",
      from: "2026-01-05",
      to: "2026-02-05",
    };
    await eventually(() => assert.deepEqual(asked(), { ...wanted, limit: "50" }));
    assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), wanted);
    await page.getByRole("button", { name: "Saved views" }).click();
    await page.getByRole("button", { name: "Save these filters" }).click();
    await dialog(page).getByLabel("Name").fill("Late payers");
    await page.keyboard.press("Enter");
    await page.getByText("The view “Late payers” is saved.").waitFor();
    const [saved] = postsOf(calls, /^\/me$/);
    assert.equal(Object(saved?.body).savedViews[0].list, "subscriptions");

    // A subscription that is opened and closed leaves the filters as they were.
    await rows(page).first().click();
    await drawer(page).getByText("Subscription id").waitFor();
    assert.match(page.url(), /sub_aaaaaaaaaaaaaaaaaaaaaa01\?.*state=PAST_DUE/);
    await page.keyboard.press("Escape");
    await drawer(page).waitFor({ state: "detached" });
    assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), wanted);
    const address = page.url();
    await page.unrouteAll();
    const viewer = await fakeRelay(page, as("VIEWER"));
    await page.goto(address);
    await rows(page).nth(12).waitFor();
    assert.equal(viewer.calls.find(({ path }) => path === "/subscriptions")?.query.has("customerEmail"), false);
  },
);

test("a subscription begins once, with a key that stays the same until there is an answer, and is opened", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  let away = true;
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "POST /subscriptions": () => (away ? { status: 503, code: "unavailable" } : { status: 201, data: SUBSCRIPTIONS.trialing }),
  });
  await page.goto(url + PATH);
  await rows(page).first().waitFor();
  await page.locator("main").getByRole("button", { name: "New subscription" }).click();
  await dialog(page).getByLabel("Plan").waitFor();
  // What is deactivated takes no new ones.
  assert.deepEqual(await dialog(page).getByLabel("Plan").locator("option").count(), 2);
  await dialog(page).getByText("€29.00 every month, first payment after 14 days").waitFor();
  await dialog(page).getByText("Nothing is charged before the trial ends.").waitFor();
  await dialog(page).getByLabel("Plan").selectOption(PLAN.weekly.id);
  await dialog(page).getByText("€34.50 every 2 weeks, first payment at once").waitFor();
  await dialog(page).getByLabel("Customer’s name").fill("Chiara Conti");
  await dialog(page).getByLabel("Customer’s e-mail").fill("chiara");
  await dialog(page).getByRole("radio", { name: "By card on file" }).check();
  await dialog(page).getByLabel("Card on file", { exact: true }).fill("4242 4242 4242 4242");
  await answer(page, "Start subscription").click();
  await dialog(page).getByText("This looks like a card number.").waitFor();
  await dialog(page).getByText("Enter an address such as name@example.com.").waitFor();
  assert.equal(postsOf(calls, /subscriptions/).length, 0);
  await dialog(page).getByLabel("Customer’s e-mail").fill("chiara.conti@example.com");
  await dialog(page).getByLabel("Card on file", { exact: true }).fill("card_4d7c");
  await dialog(page).getByLabel("E-mail language").selectOption("it");
  await answer(page, "Start subscription").dblclick();
  await dialog(page).getByText("Part of the service is not available").waitFor();
  away = false;
  await answer(page, "Start subscription").click();
  await page.getByText("The subscription has started.").waitFor();
  await drawer(page).locator(".badge", { hasText: "Trialing" }).waitFor();
  const [first, again, ...more] = postsOf(calls, /^\/subscriptions$/);
  assert.ok(first !== undefined && again !== undefined && more.length === 0);
  assert.deepEqual(first.body, {
    planId: PLAN.weekly.id,
    customer: { name: "Chiara Conti", email: "chiara.conti@example.com", locale: "it" },
    ...{ collection: "CARD", methodId: "card_4d7c" },
  });
  assert.match(keyOf(first), /^[0-9a-f]{32}$/);
  assert.equal(keyOf(again), keyOf(first));
  assert.deepEqual(faults, []);
});

test("where no card on file can be charged none is asked for", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /plans": () => ({ data: PLANS_BY_LINK }),
    "POST /subscriptions": () => ({ status: 409, code: "plan_inactive" }),
  });
  await page.goto(url + PATH);
  await page.locator("main").getByRole("button", { name: "New subscription" }).click();
  await dialog(page).getByLabel("Customer’s name").fill("Chiara Conti");
  await dialog(page).getByLabel("Customer’s e-mail").fill("chiara.conti@example.com");
  assert.equal(await dialog(page).getByRole("radio").count(), 0);
  await page.keyboard.press("Enter");
  await dialog(page).getByText("This plan is deactivated").waitFor();
  assert.equal(Object(postsOf(calls, /subscriptions/)[0]?.body).collection, "LINK");
});

test("a subscription says why its payment failed, what happens on which day, and where its customer and its link are", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${url}${PATH}/${SUBSCRIPTIONS.pastDue.id}`);
  await drawer(page).getByText("€29.00 could not be collected.").waitFor();
  await drawer(page)
    .getByText("Reason of the last failure: Not enough money or credit on the card (Code insufficient_funds · Insufficient funds)")
    .waitFor();
  const calendar = drawer(page).getByRole("list", { name: "What happens next" }).getByRole("listitem");
  const days = (await calendar.allTextContents()).map((text) => text.replaceAll(/\s+/g, " "));
  assert.deepEqual(days, [
    "28 FebFirst failuredone",
    "1 MarRetry 1 of 4: the card is charged againdone",
    "3 MarRetry 2 of 4: the card is charged again",
    "5 MarRetry 3 of 4: the card is charged again",
    "7 MarRetry 4 of 4: the card is charged again",
    "8 MarThe subscription is cancelled",
  ]);
  await button(page, "Copy link").click();
  await eventually(async () => assert.equal(await page.evaluate("navigator.clipboard.readText()"), SUBSCRIPTIONS.pastDue.url));
  const open = drawer(page).getByRole("link", { name: "Open page" });
  assert.deepEqual([await open.getAttribute("href"), await open.getAttribute("target")], [SUBSCRIPTIONS.pastDue.url, "_blank"]);
  assert.match((await open.getAttribute("rel")) ?? "", /noopener/);

  // What would come after its end does not come.
  await page.goto(`${url}${PATH}/${SUBSCRIPTIONS.hard.id}`);
  await drawer(page).getByText("It ends on 4 Mar 2026 and is not renewed.").waitFor();
  assert.deepEqual(
    (await calendar.allTextContents()).map((text) => text.replaceAll(/\s+/g, " ")),
    [
      "28 FebFirst failuredone",
      "1 MarStep 1 of 4: the customer is asked to paydone",
      "3 MarStep 2 of 4: the customer is asked to pay",
      "4 MarIt ends. No more payments are requested",
    ],
  );
  const link = drawer(page).getByRole("link", { name: "Payment link of payment 2, attempt 2" });
  assert.equal(await link.getAttribute("href"), "/portal/payment-links/pl_aaaaaaaaaaaaaaaaaaaaaa02");
  for (const [subscription, says] of [
    [SUBSCRIPTIONS.incomplete, "If it is not made, the subscription is cancelled on 3 Mar 2026, 09:00."],
    [SUBSCRIPTIONS.ending, "The customer has cancelled. It ends on 31 Mar 2026"],
    [SUBSCRIPTIONS.due, "After three days without payment it counts as failed"],
    [SUBSCRIPTIONS.twice, "A period was paid twice."],
    [SUBSCRIPTIONS.cancelled, "Cancelled: all payment retries failed."],
    [SUBSCRIPTIONS.cancelled, "The payment was taken. Keep it, or refund it"],
    [SUBSCRIPTIONS.stays, "The subscription stays past due until it is paid or you cancel it."],
  ] as const) {
    await page.goto(`${url}${PATH}/${subscription.id}`);
    await drawer(page).getByText(says).waitFor();
  }
  assert.equal(await drawer(page).getByText("The link expired before it was paid.").count(), 2);
  assert.deepEqual(faults, []);
});

test(
  "a payment is retried once however often it is pressed; within the hour and while its outcome is unknown it is explained",
  skip,
  async (t) => {
    const { url, page } = await openPortal(t);
    let shown: SubscriptionDetailJson = SUBSCRIPTIONS.pastDue;
    let code: string | null = "too_many";
    const { calls } = await fakeRelay(page, {
      ...ANNA,
      "GET /subscriptions/*": () => ({ data: shown }),
      "POST /subscriptions/*/retry": () => {
        if (code !== null) return { status: 409, code };
        shown = { ...shown, retryFrom: "2026-03-01T10:30:00.000Z" };
        return { data: shown };
      },
    });
    await page.goto(`${url}${PATH}/${shown.id}`);
    await button(page, "Retry now").click();
    await dialog(page).getByText("The stored card is charged now. You can do this once an hour").waitFor();
    await answer(page, "Retry now").click();
    await dialog(page).getByText("The maximum number of attempts for this payment is reached").waitFor();
    code = null;
    await answer(page, "Retry now").dblclick();
    await page.getByText("The payment is requested again.").waitFor();
    await drawer(page).getByText("You can retry again at 11:30.").waitFor();
    assert.equal(await button(page, "Retry now").isDisabled(), true);
    // An hour later, in the same window, it is another request.
    shown = { ...shown, retryFrom: null };
    await drawer(page).getByText("You can retry again at 11:30.").waitFor({ state: "detached" });
    await button(page, "Retry now").click();
    await answer(page, "Retry now").click();
    await drawer(page).getByText("You can retry again at 11:30.").waitFor();
    const posts = postsOf(calls, /retry$/);
    // What was refused did nothing, and asks anew.
    assert.equal(new Set(posts.map(keyOf)).size, 3);
    assert.equal(posts.length, 3);

    shown = SUBSCRIPTIONS.unknown;
    await page.goto(`${url}${PATH}/${shown.id}`);
    await drawer(page).getByText("The outcome of the last payment is not known yet.").waitFor();
    await drawer(page).getByText("You can retry as soon as the outcome of the last attempt is known").waitFor();
    assert.equal(await button(page, "Retry now").isDisabled(), true);
    shown = { ...SUBSCRIPTIONS.pastDueByLink, retryFrom: null };
    await page.goto(`${url}${PATH}/${shown.id}`);
    await button(page, "Retry now").click();
    await dialog(page).getByText("The customer gets another e-mail with the payment page.").waitFor();
  },
);

test("pause, resume, a cancellation and taking it back say what happens, and are done once", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  let shown: SubscriptionDetailJson = SUBSCRIPTIONS.active;
  const become = (changes: Partial<SubscriptionDetailJson>) => () => {
    shown = { ...shown, ...changes };
    return { data: shown };
  };
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /subscriptions/*": () => ({ data: shown }),
    "POST /subscriptions/*/pause": become({ state: "PAUSED", pausedBy: "merchant", pausedAt: "2026-03-08T08:12:00.000Z", nextDueAt: null }),
    "POST /subscriptions/*/resume": become({ state: "ACTIVE", pausedBy: null, cancelsAtPeriodEnd: false, cancelledBy: null }),
    "POST /subscriptions/*/cancel": ({ body }) =>
      Object(body).atPeriodEnd === true
        ? become({ cancelsAtPeriodEnd: true, cancelledBy: "merchant" })()
        : become({ state: "CANCELLED", cancelledBy: "merchant", cancelledAt: "2026-03-08T08:12:00.000Z" })(),
  });
  await page.goto(`${url}${PATH}/${shown.id}`);
  assert.equal(await button(page, "Retry now").count(), 0);
  await button(page, "Pause").click();
  await dialog(page).getByText("The time of the pause is not charged.").waitFor();
  await answer(page, "Pause").dblclick();
  await drawer(page).getByText("Paused by your company.").waitFor();
  assert.equal(await button(page, "Pause").count(), 0);
  await button(page, "Resume").click();
  await dialog(page).getByText("It continues with the next scheduled period.").waitFor();
  await answer(page, "Resume").dblclick();
  await drawer(page).locator(".badge", { hasText: "Active" }).waitFor();

  await button(page, "Cancel subscription").click();
  await dialog(page).getByText("On 31 Mar 2026. Until then you can undo this.").waitFor();
  await answer(page, "Cancel at the end of the period").dblclick();
  await drawer(page).getByText("It ends on 31 Mar 2026 and is not renewed.").waitFor();
  await button(page, "Undo cancellation").click();
  await dialog(page).getByText("The next payment is requested on 31 Mar 2026").waitFor();
  await answer(page, "Undo cancellation").click();
  // The question over the drawer has a button of that name, too.
  await eventually(async () => assert.equal(await button(page, "Undo cancellation").count(), 0));
  await button(page, "Cancel subscription").click();
  await dialog(page).getByRole("radio", { name: /^Now/ }).check();
  await dialog(page).getByText("A customer who is paying right now can still complete the payment").waitFor();
  await answer(page, "Cancel now").dblclick();
  await drawer(page).getByText("Cancelled by your company.").waitFor();
  assert.equal(
    await drawer(page)
      .getByRole("button", { name: /Cancel|Pause|Retry|Resume/ })
      .count(),
    0,
  );
  const posts = postsOf(calls, /subscriptions/);
  assert.deepEqual(
    posts.map(({ path, body }) => [path.split("/")[3], body]),
    [
      ["pause", undefined],
      ["resume", undefined],
      ["cancel", { atPeriodEnd: true }],
      ["resume", undefined],
      ["cancel", { atPeriodEnd: false }],
    ],
  );
  assert.equal(new Set(posts.map(keyOf)).size, 5, "each request has a key of its own");
  assert.deepEqual(faults, []);
});

test("what somebody else did first is told, and shown behind the question", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let shown: SubscriptionDetailJson = SUBSCRIPTIONS.incomplete;
  await fakeRelay(page, {
    ...ANNA,
    "GET /subscriptions/*": () => ({ data: shown }),
    "POST /subscriptions/*/cancel": () => {
      shown = { ...SUBSCRIPTIONS.cancelled, id: shown.id };
      return { status: 409, code: "not_in_state" };
    },
  });
  await page.goto(`${url}${PATH}/${shown.id}`);
  // One that has not begun has no period to end with.
  await button(page, "Cancel subscription").click();
  assert.equal(await dialog(page).getByRole("radio").count(), 0);
  await answer(page, "Cancel now").click();
  await dialog(page).getByText("The state has changed").waitFor();
  await answer(page, "Keep subscription").click();
  await drawer(page).locator(".badge", { hasText: "Cancelled" }).waitFor();
});

test("earlier payments are read page by page, each once", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const latest = subscriptionOf({ charges: [chargeOf({ cycle: 50 }), chargeOf({ cycle: 49 })], chargesNext: 49 });
  await fakeRelay(page, {
    ...ANNA,
    "GET /subscriptions/*": ({ query }) => ({
      // One of them stands on both pages, as when a cycle has begun in between.
      data:
        query.get("beforeCycle") === "49"
          ? { ...latest, charges: [chargeOf({ cycle: 49 }), chargeOf({ cycle: 48 })], chargesNext: null }
          : latest,
    }),
  });
  await page.goto(`${url}${PATH}/${latest.id}`);
  await button(page, "Show earlier payments").click();
  await drawer(page).getByRole("article", { name: "Payment 48" }).waitFor();
  assert.deepEqual(await drawer(page).locator(".charge strong").allTextContents(), ["Payment 50", "Payment 49", "Payment 48"]);
  assert.equal(await button(page, "Show earlier payments").count(), 0);
});

test("who may only look sees no way to change anything, and no customer’s page", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...as("VIEWER"), "GET /subscriptions/*": () => ({ data: { ...SUBSCRIPTIONS.pastDue, url: null } }) });
  await page.goto(`${url}${PATH}/${SUBSCRIPTIONS.pastDue.id}`);
  await drawer(page).getByText("Subscription id").waitFor();
  assert.deepEqual(await drawer(page).getByRole("button").allTextContents(), ["", "Copy"]);
  await page.keyboard.press("Escape");
  assert.equal(await page.getByRole("button", { name: "New subscription" }).count(), 0);
  await page.goto(`${url}${PATH}/${PLAN.weekly.id}?tab=plans`);
  await drawer(page).getByText("Plan id").waitFor();
  assert.deepEqual(await drawer(page).getByRole("button").allTextContents(), ["", "Copy"]);
  await page.goto(`${url}${PATH}?tab=dunning`);
  await page.getByText("You can view this. Owners and admins can change it.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Change" }).count(), 0);
});

test("a plan says in words what it means while it is written, and is made once", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const made = { ...PLAN.weekly, id: "plan_aaaaaaaaaaaaaaaaaaaaaa09", name: "Box" };
  let items: unknown[] = [];
  let code: string | null = "conflict";
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /plans": () => ({ data: { ...PLANS_BY_LINK, items } }),
    "POST /plans": () => {
      if (code !== null) return { status: 409, code };
      items = [made];
      return { status: 201, data: made };
    },
  });
  await page.goto(`${url}${PATH}?tab=plans`);
  await page.getByText("No plans yet").waitFor();
  await page.locator("main").getByRole("button", { name: "New plan" }).first().click();
  const meaning = dialog(page).locator(".in-words").getByRole("status");
  assert.equal(await meaning.textContent(), "Enter an amount, for example €29.00.");
  await dialog(page).getByLabel("Name").fill("Box");
  await dialog(page).getByLabel("Amount").fill("29");
  await dialog(page).getByLabel("Trial in days").fill("14");
  assert.equal(await meaning.textContent(), "€29.00 every month, first payment after 14 days");
  await dialog(page).getByLabel("Unit").selectOption("YEAR");
  await dialog(page).getByLabel("Paid every").fill("4");
  await answer(page, "Create plan").click();
  await dialog(page).getByText("Enter a whole number from 1 to 3.").waitFor();
  assert.equal(postsOf(calls, /plans/).length, 0);
  await dialog(page).getByLabel("Unit").selectOption("WEEK");
  await dialog(page).getByLabel("Paid every").fill("2");
  await dialog(page).getByLabel("Trial in days").fill("1");
  assert.equal(await meaning.textContent(), "€29.00 every 2 weeks, first payment after 1 day");
  await answer(page, "Create plan").click();
  await dialog(page).getByText("The maximum number of plans is reached.").waitFor();
  code = null;
  await answer(page, "Create plan").dblclick();
  await page.getByText("The plan “Box” is created.").waitFor();
  await rows(page).first().waitFor();
  const posts = postsOf(calls, /plans/);
  assert.equal(posts.length, 2);
  assert.deepEqual(posts[1]?.body, {
    name: "Box",
    ...{ amountMinor: 2_900, currency: "EUR", interval: "WEEK", count: 2, trialDays: 1 },
  });
  assert.deepEqual(faults, []);
});

test("a plan is deactivated and activated, deleted only if it was never used, and leads to its subscriptions", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let plan = { ...PLAN.weekly };
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /plans": () => ({ data: { ...PLANS_BY_LINK, items: [plan] } }),
    "PATCH /plans/*": ({ body }) => {
      plan = { ...plan, active: Object(body).active === true };
      return { data: plan };
    },
    "DELETE /plans/*": () => {
      plan = { ...plan, used: true };
      return { status: 409, code: "plan_used" };
    },
  });
  await page.goto(`${url}${PATH}/${plan.id}?tab=plans`);
  await button(page, "Deactivate").click();
  await dialog(page).getByText("Current subscriptions continue.").waitFor();
  await answer(page, "Deactivate").dblclick();
  await drawer(page).locator(".badge", { hasText: "Deactivated" }).waitFor();
  assert.equal(await button(page, "Start a subscription").count(), 0);
  await button(page, "Activate again").click();
  await drawer(page).locator(".badge", { hasText: "Active" }).waitFor();
  assert.deepEqual(
    postsOf(calls, /plans/).map(({ body }) => body),
    [{ active: false }, { active: true }],
  );
  await button(page, "Delete").click();
  await answer(page, "Delete").click();
  await dialog(page).getByText("This plan has or had subscriptions and cannot be deleted.").waitFor();
  await page.keyboard.press("Escape");
  await eventually(async () => assert.equal(await button(page, "Delete").count(), 0));
  await button(page, "Start a subscription").click();
  assert.equal(await dialog(page).getByLabel("Plan").inputValue(), plan.id);
  await page.keyboard.press("Escape");
  await drawer(page).getByRole("link", { name: "Show its subscriptions" }).click();
  await rows(page).first().waitFor();
  assert.equal(new URL(page.url()).searchParams.get("planId"), plan.id);
  assert.equal(
    calls
      .filter(({ path }) => path === "/subscriptions")
      .at(-1)
      ?.query.get("planId"),
    plan.id,
  );
});

test(
  "the policy shows what a customer gets when while it is written, needs a second factor, and never overwrites somebody else’s",
  skip,
  async (t) => {
    const { url, page, faults } = await openPortal(t);
    let stored: DunningPolicyJson = DUNNING;
    let isConfirmed = false;
    const { calls } = await fakeRelay(page, {
      ...ANNA,
      "GET /dunning": () => ({ data: stored }),
      "POST /session/step-up": () => {
        isConfirmed = true;
        return { data: sessionOf() };
      },
      "PUT /dunning": ({ body }) => {
        if (!isConfirmed) return { status: 403, code: "step_up_required" };
        stored = Object(body);
        return { data: stored };
      },
    });
    await page.goto(`${url}${PATH}?tab=dunning`);
    await page.getByText("The payment counts as failed, three days after it was due").waitFor();
    await page.getByLabel("Customers who pay").selectOption("CARD");
    await page.getByText("A card that is declined permanently").waitFor();
    await page.getByRole("button", { name: "Change" }).click();
    const preview = drawer(page).getByRole("list", { name: "Preview" }).getByRole("listitem");
    const days = async () => (await preview.locator(".schedule-day").allTextContents()).map((text) => text.replaceAll(/\s+/g, " ").trim());
    assert.deepEqual(await days(), ["0 days", "+1 day", "+3 days", "+5 days", "+7 days", "+8 days"]);
    await drawer(page).getByRole("button", { name: "Remove retry 1" }).click();
    await drawer(page).getByRole("button", { name: "Add retry" }).click();
    assert.deepEqual(await days(), ["0 days", "+3 days", "+5 days", "+7 days", "+9 days", "+10 days"]);
    const retry = (number: number) => drawer(page).getByLabel(`Retry ${number}`, { exact: true });
    for (const [written, says] of [
      ["3", "Enter a later day than for the previous retry."],
      ["46", "A whole number of days from 1 to 45."],
      ["x", "A whole number of days from 1 to 45."],
    ] as const) {
      await retry(2).fill(written);
      await button(page, "Save").click();
      await drawer(page).getByText(says).waitFor();
    }
    assert.equal(postsOf(calls, /dunning/).length, 0);
    await retry(2).fill("4");
    await drawer(page).getByRole("radio", { name: "Leave it past due" }).check();
    await drawer(page).getByLabel("E-mails to the customer").uncheck();
    await preview.last().getByText("It stays past due").waitFor();
    assert.equal(await preview.getByText("No e-mail", { exact: true }).count(), 1);
    assert.equal(await preview.getByText("No e-mail.").count(), 4);

    // Somebody else saves in between.
    stored = { ...DUNNING, finalAction: "PAUSE" };
    await button(page, "Save").click();
    await drawer(page).getByText("Somebody else has changed these rules").waitFor();
    assert.equal(await retry(2).inputValue(), "4");
    assert.equal(postsOf(calls, /dunning/).length, 0);
    await button(page, "Show the current version").click();
    await drawer(page).getByText("Somebody else has changed these rules").waitFor({ state: "detached" });
    assert.equal(await drawer(page).getByRole("radio", { name: "Pause it" }).isChecked(), true);
    assert.equal(await retry(2).inputValue(), "3");

    await retry(4).fill("14");
    // What is not saved is not left without a question.
    await page.keyboard.press("Escape");
    await answer(page, "Keep editing").click();
    await button(page, "Save").click();
    const question = page.locator("dialog", { hasText: "Confirm it is you" });
    await question.getByLabel("Code").fill("123456");
    await page.keyboard.press("Enter");
    await page.getByText("Saved. Applies to payments that fail from now on.").waitFor();
    assert.deepEqual(stored, { retryDays: [1, 3, 5, 14], finalAction: "PAUSE", mails: true });
    await drawer(page).waitFor({ state: "detached" });
    await page.locator("main .schedule-day", { hasText: "+15" }).waitFor();
    assert.deepEqual(faults, []);
  },
);

test("who looks after payments changes subscriptions and plans, and not the policy", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, as("FINANCE"));
  await page.goto(`${url}${PATH}?tab=dunning`);
  await page.getByText("Owners and admins can change it.").waitFor();
  assert.equal(await page.getByRole("button", { name: "Change" }).count(), 0);
  await page.getByRole("tab", { name: "Plans" }).click();
  await page.getByRole("button", { name: "New plan" }).waitFor();
  await page.getByRole("tab", { name: "Subscriptions" }).click();
  await page.getByRole("button", { name: "New subscription" }).waitFor();
});

test("the overview’s tasks about a subscription lead to it, with the time when something is done about it", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { id } = SUBSCRIPTIONS.pastDue;
  await fakeRelay(page, {
    ...ANNA,
    "GET /overview": () => ({
      data: {
        ...OVERVIEW,
        tasks: [
          taskOf({ kind: "subscription_past_due", subject: id, dueAt: "2026-03-08T08:12:00.000Z", about: "Monthly box", code: "54" }),
        ],
      },
    }),
  });
  await page.goto(`${url}/portal`);
  await page.getByText("Subscription past due").waitFor();
  await page.getByText("8 Mar 2026, 09:12").waitFor();
  await page.getByText("The card has expired, or its date is wrong (Code 54)").waitFor();
  await page.getByRole("link", { name: "Monthly box" }).click();
  await drawer(page).getByText("€29.00 could not be collected.").waitFor();
  assert.equal(new URL(page.url()).pathname, `${PATH}/${id}`);
});

test("what changes elsewhere is shown at the next refresh", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let items = SUBSCRIPTION_LIST.items.slice(0, 1);
  await fakeRelay(page, { ...ANNA, "GET /subscriptions": () => ({ data: { items, next: null } }) });
  await page.goto(url + PATH);
  await page.locator("main .badge", { hasText: "Past due" }).waitFor();
  items = [{ ...SUBSCRIPTIONS.active, id: SUBSCRIPTIONS.pastDue.id }];
  await page.locator("main .badge", { hasText: "Active" }).waitFor();
});
