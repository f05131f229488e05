import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { SANDBOX_OWNER } from "../../infra/node/boot/sandbox-names.ts";
import { NO_CLICKHOUSE, placeOf, startNodeProcess } from "../fault/node-process.ts";
import { CREDENTIALS, HttpClient } from "../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../support/http/matches.ts";
import { TestGateway } from "../support/node/gateway.ts";
import type { Relay } from "../support/node/relay.ts";
import { mailsTo, PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { enterCard } from "./links.ts";
import { addressOf, shopWithOwner } from "./people.ts";
import { PortalWorld, type Shop, signIn } from "./portal-world.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** What is due at nine is asked for within half an hour. */
const AFTER_NINE_MS = 35 * MINUTE_MS;

export interface MadeSubscription {
  id: string;
  /** `/s/...`, below the relay's address. */
  path: string;
}

const serverOf = (relay: Relay, { secretKey }: Shop) => relay.client({ authorization: `Bearer ${secretKey}` });

/** A plan of a shop's, made with its key beside the pages. */
export async function planIn(relay: Relay, shop: Shop, members: { [member: string]: unknown } = {}): Promise<string> {
  const body = { name: "Gym, monthly", amountMinor: 2_900, interval: "MONTH", ...members };
  const made = await serverOf(relay, shop).post("/api/merchant/plans", body);
  assert.equal(made.status, 201, made.text);
  return textMember(made.body, "data", "id");
}

/** The same of a subscription; by link unless a card on file is named. */
export async function subscriptionIn(
  relay: Relay,
  shop: Shop,
  { planId, email = "ada@example.com", name = "Ada Rossi", card }: { planId: string; email?: string; name?: string; card?: string },
): Promise<MadeSubscription> {
  const paid = card === undefined ? {} : { collection: "CARD", methodId: card };
  const body = { planId, customer: { name, email, locale: "en" }, ...paid };
  const made = await serverOf(relay, shop).post("/api/merchant/subscriptions", body);
  assert.equal(made.status, 201, made.text);
  return { id: textMember(made.body, "data", "id"), path: new URL(textMember(made.body, "data", "url")).pathname };
}

async function subscriptionOf(relay: Relay, shop: Shop, id: string): Promise<unknown> {
  const answer = await serverOf(relay, shop).get(`/api/merchant/subscriptions/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return member(answer.body, "data");
}

/** Waits until the subscription is as expected; asked less often than a caller may. */
export function becomes(relay: Relay, shop: Shop, id: string, expected: object): Promise<unknown> {
  return eventually(
    async () => {
      const found = await subscriptionOf(relay, shop, id);
      assertMatches(found, expected);
      return found;
    },
    30_000,
    250,
  );
}

const drawer = (page: Page) => page.locator("dialog.drawer");
const dialog = (page: Page) => page.locator("dialog.dialog");
const badge = (page: Page, state: string) => drawer(page).locator(".sum .badge", { hasText: state });
const attemptsOf = (subscription: unknown) => listOf(member(listOf(member(subscription, "charges"))[0], "attempts"));

/** The charges of cards on file that were made, by their ids. */
async function chargedBy(gateway: TestGateway): Promise<string[]> {
  return (await gateway.charges()).flatMap(({ id, type }) => (type === "done" ? [id] : []));
}

/** What was written to an address, oldest first. Without its texts: those of a reminder are kept only as long as it is worth something. */
async function kindsOf(relay: Relay, email: string): Promise<unknown[]> {
  const listed = await relay.administrator().get("/admin/mails?limit=500");
  const own = listOf(member(listed.body, "data")).filter((mail) => member(mail, "to") === email);
  return own.map((mail) => member(mail, "kind")).reverse();
}

/** Customers who pay again and again: the calendar, what is done where a payment fails, and the customer's own page. */
export function subscriptions(world: PortalWorld): void {
  test("acceptance 12: a subscription of 31 January bills 28 February and 31 March; it fails twice, is written of and tried again by its calendar, and recovers; once cancelled it is not asked for again", {
    timeout: 300_000,
  }, async (t) => {
    const own = new PortalWorld();
    // 31 January 2026 at eleven in Rome: its first February has 28 days.
    await own.start(Date.now() - Date.parse("2026-01-31T10:00:00Z"));
    t.after(() => own.stop());
    const { relay, gateway } = own;
    const { shop, owner } = await shopWithOwner(relay, "Palestra Olimpia");
    const email = addressOf(relay, "ada");
    const goTo = async (atIso: string) => relay.advance(Date.parse(atIso) - relay.nowMs());
    const faults: string[] = [];

    const { page } = await own.visitAs(owner, "/portal/subscriptions?tab=plans", { faults });
    await page.locator("main").getByRole("button", { name: "New plan" }).first().click();
    await dialog(page).getByLabel("Name").fill("Gym, monthly");
    await dialog(page).getByLabel("Amount").fill("29");
    await dialog(page).getByText("€29.00 every month, first payment at once").waitFor();
    await dialog(page).getByRole("button", { name: "Create plan" }).dblclick();
    await page.getByText("The plan “Gym, monthly” is created.").waitFor();
    await page.getByText("1 plan", { exact: true }).waitFor();
    await page.getByRole("tab", { name: "Subscriptions" }).click();
    await page.locator("main").getByRole("button", { name: "New subscription" }).first().click();
    await dialog(page).getByLabel("Customer’s name").fill("Ada Rossi");
    await dialog(page).getByLabel("Customer’s e-mail").fill(email);
    await dialog(page).getByRole("radio", { name: "By card on file" }).check();
    await dialog(page).getByLabel("Card on file", { exact: true }).fill("card_sandbox_recovers");
    await dialog(page).getByRole("button", { name: "Start subscription" }).dblclick();
    await badge(page, "Active").waitFor();
    await drawer(page).getByText("28 Feb 2026", { exact: true }).waitFor();
    const id = /sub_[a-z0-9]{24}/.exec(page.url())?.[0] ?? assert.fail("its address does not name it");
    assertMatches(await subscriptionOf(relay, shop, id), { state: "ACTIVE", nextDueAt: "2026-02-28T08:00:00.000Z" });
    assert.deepEqual(await chargedBy(gateway), [`sub-${id}-1-1`]);

    // A minute before nine nothing is asked for.
    await goTo("2026-02-28T07:59:00Z");
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assertMatches(await subscriptionOf(relay, shop, id), { state: "ACTIVE", cycle: 1 });
    relay.advance(AFTER_NINE_MS);
    const failed = await becomes(relay, shop, id, {
      ...{ state: "PAST_DUE", cycle: 2, nextDueAt: "2026-03-31T07:00:00.000Z" },
      unpaid: { dueAt: "2026-02-28T08:00:00.000Z", code: "insufficient_funds" },
    });
    assert.equal(attemptsOf(failed).length, 1);
    assert.deepEqual(await kindsOf(relay, email), ["subscription-failed"]);

    await page.context().clearCookies();
    await signIn(page, owner, "/portal");
    await page.getByText("Subscription past due").waitFor();
    await page.locator(`main a[href$="/subscriptions/${id}"]`).click();
    await badge(page, "Past due").waitFor();
    await drawer(page).getByText("Reason of the last failure: Not enough money or credit on the card").waitFor();
    const days = drawer(page).getByRole("list", { name: "What happens next" }).locator(".schedule-day");
    assert.deepEqual(
      (await days.allTextContents()).map((day) => day.trim()),
      ["28 Feb", "1 Mar", "3 Mar", "5 Mar", "7 Mar", "8 Mar"],
    );

    relay.advance(DAY_MS);
    const again = await becomes(relay, shop, id, { state: "PAST_DUE", dunning: { steps: [{ made: true }, { made: false }, {}, {}] } });
    assert.equal(attemptsOf(again).length, 2);
    assert.deepEqual(await kindsOf(relay, email), ["subscription-failed", "subscription-reminder"]);
    relay.advance(2 * DAY_MS);
    await becomes(relay, shop, id, { state: "ACTIVE", dunning: null, unpaid: null });
    assert.deepEqual(await kindsOf(relay, email), ["subscription-failed", "subscription-reminder", "subscription-recovered"]);
    assert.deepEqual(await chargedBy(gateway), [`sub-${id}-1-1`, `sub-${id}-2-3`]);

    // The day of the month comes back, and clocks have changed meanwhile.
    await goTo("2026-03-31T06:59:00Z");
    relay.advance(AFTER_NINE_MS);
    await becomes(relay, shop, id, { state: "PAST_DUE", cycle: 3, unpaid: { dueAt: "2026-03-31T07:00:00.000Z" } });
    await page.context().clearCookies();
    await signIn(page, owner, `/portal/subscriptions/${id}`);
    await badge(page, "Past due").waitFor();
    await drawer(page).getByRole("article", { name: "Payment 3" }).waitFor();
    await drawer(page).getByRole("button", { name: "Cancel subscription" }).click();
    await dialog(page).getByRole("radio", { name: /^Now/ }).check();
    await dialog(page).getByRole("button", { name: "Cancel now" }).dblclick();
    await badge(page, "Cancelled").waitFor();
    for (const day of [1, 3, 5, 7, 9, 31]) {
      await goTo(new Date(Date.parse("2026-03-31T09:00:00Z") + day * DAY_MS).toISOString());
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    const ended = await subscriptionOf(relay, shop, id);
    assertMatches(ended, { state: "CANCELLED", cycle: 3, cancelledBy: "merchant" });
    assert.equal(attemptsOf(ended).length, 1, "nothing was asked for after the end");
    assert.deepEqual(await chargedBy(gateway), [`sub-${id}-1-1`, `sub-${id}-2-3`]);
    assert.deepEqual(faults, []);
  });

  test("acceptance 12: a node that is killed in the middle of a charge has charged once, whenever it dies", {
    timeout: 400_000,
  }, async (t) => {
    const { port, dataDirectory } = await placeOf(t);
    const gateway = await TestGateway.start();
    t.after(() => gateway.stop());
    const origin = `http://127.0.0.1:${port}`;
    let addresses = 0;
    const client = (headers: { [name: string]: string }) => {
      addresses += 1;
      return new HttpClient(() => origin, headers, `127.9.1.${addresses}`);
    };
    const place = {
      client,
      administrator: () => client(CREDENTIALS.administrator),
      nowMs: () => Date.now(),
      advance: () => assert.fail("the time of this node is the machine's"),
    };
    const start = async () => {
      const environment = { ...NO_CLICKHOUSE, RELAY_GATEWAY_URL: gateway.url };
      const node = startNodeProcess(t, { port, dataDirectory, environment });
      await node.ready();
      return node;
    };
    let node = await start();
    const owner = new PortalPerson(place, SANDBOX_OWNER.email);
    owner.scan(SANDBOX_OWNER.totpSecret);
    assert.equal((await owner.signIn(SANDBOX_OWNER.password)).status, 200);
    const plan = await owner.send("POST", "/plans", { name: "Box", amountMinor: 1_500, interval: "WEEK" }, { "idempotency-key": "plan" });
    assert.equal(plan.status, 201, plan.text);
    const planId = textMember(plan.body, "data", "id");
    const begin = (afterMs: number) => {
      const customer = { name: "Ada Rossi", email: `ada.${afterMs}@example.com`, locale: "en" };
      const body = { planId, customer, collection: "CARD", methodId: "card_sandbox_ok" };
      return owner.send("POST", "/subscriptions", body, { "idempotency-key": `after-${afterMs}` });
    };
    await gateway.faults({ latencyMs: GATEWAY_LATENCY_MS });
    for (const afterMs of KILLED_AFTER_MS) {
      const beginning = begin(afterMs).catch(() => null);
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await node.kill();
      await beginning;
      node = await start();
    }
    await gateway.faults({ latencyMs: 0 });
    const ids: string[] = [];
    for (const afterMs of KILLED_AFTER_MS) {
      // As whoever got no answer does: the same once more. While the first one is still looked for, later.
      const made = await eventually(
        async () => {
          const answer = await begin(afterMs);
          assert.equal(answer.status, 201, answer.text);
          return answer;
        },
        120_000,
        2_000,
      );
      ids.push(textMember(made.body, "data", "id"));
    }
    assert.equal(new Set(ids).size, KILLED_AFTER_MS.length);
    for (const id of ids) {
      await eventually(
        async () => {
          const { body, text, status } = await owner.send("GET", `/subscriptions/${id}`);
          assert.equal(status, 200, text);
          assertMatches(body, { data: { state: "ACTIVE", charges: [{ state: "PAID" }] } });
        },
        // What was asked by a node that is gone is looked at a minute later.
        120_000,
        1_000,
      );
    }
    const charged = await chargedBy(gateway);
    for (const id of ids) assert.equal(charged.filter((charge) => charge.startsWith(`sub-${id}-`)).length, 1, `${id}: ${charged}`);
    assert.equal(charged.length, ids.length);
    const { body } = await owner.send("GET", "/subscriptions");
    assert.equal(listOf(member(body, "data", "items")).length, ids.length);
    t.diagnostic(`charges by the gateway: ${charged.map((charge) => charge.slice(-3)).join(", ")}`);
  });

  test("a payment whose answer is lost is explained, cannot be retried meanwhile, and is known at a later look", {
    timeout: 120_000,
  }, async (t) => {
    const { relay, gateway } = world;
    const { shop, owner } = await shopWithOwner(relay, "Latteria Bassi");
    const planId = await planIn(relay, shop, { name: "Milk", interval: "WEEK" });
    const { id } = await subscriptionIn(relay, shop, { planId, card: "card_sandbox_lost" });
    await gateway.faults({ outage: "error", outageOf: ["verify"] });
    t.after(() => gateway.faults({ outage: "none" }));
    const { page } = await world.visitAs(owner, `/portal/subscriptions/${id}`);
    await badge(page, "Incomplete").waitFor();
    await drawer(page).getByText("The outcome of the last payment is not known yet.").waitFor();
    assert.equal(await drawer(page).getByRole("button", { name: "Retry now" }).isDisabled(), true);
    const refused = await serverOf(relay, shop).post(`/api/merchant/subscriptions/${id}/retry`);
    assertMatches(refused, { status: 409, body: { code: "outcome_unknown" } });
    await gateway.faults({ outage: "none" });
    relay.advance(10 * MINUTE_MS);
    await badge(page, "Active").waitFor();
    assert.deepEqual(
      (await chargedBy(gateway)).filter((charge) => charge.includes(id)),
      [`sub-${id}-1-1`],
    );
  });

  test("the customer pays and cancels on the own page, on a phone that runs no scripts; the merchant sees it and may take a cancellation back", {
    timeout: 180_000,
  }, async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Yoga Studio Brera");
    const email = addressOf(relay, "ada");
    const planId = await planIn(relay, shop, { name: "Yoga, monthly" });
    const { id, path } = await subscriptionIn(relay, shop, { planId, email });
    const [mail] = await mailsTo(relay, email);
    assert.ok(mail?.text.includes(path), "the mail leads to the page");
    const { page } = await world.visitAs(owner, `/portal/subscriptions/${id}`);
    await badge(page, "Incomplete").waitFor();

    const customer = await world.visit({ phone: true, scripts: false, faults: [] });
    const own = customer.page;
    await own.goto(path);
    await own.getByRole("heading", { name: "Your subscription with Yoga Studio Brera" }).waitFor();
    await own.getByRole("button", { name: "Pay €29.00" }).click();
    await own.getByRole("button", { name: "Pay €29.00" }).click();
    await enterCard(customer);
    await own.getByRole("heading", { name: "Paid" }).waitFor();
    await badge(page, "Active").waitFor();
    await own.goto(path);
    await own.getByText("Next payment").waitFor();
    assert.equal(await own.getByRole("button").count(), 0, "nothing is left to pay");

    const cancel = async (button: RegExp) => {
      await own.getByRole("link", { name: "Cancel subscription" }).click();
      await own.getByRole("heading", { name: "Cancel the subscription?" }).waitFor();
      await own.getByRole("button", { name: button }).click();
      await own.getByRole("heading", { name: "Your subscription with Yoga Studio Brera" }).waitFor();
    };
    await cancel(/^Cancel on /);
    await drawer(page).getByText("The customer has cancelled. It ends on").waitFor();
    await drawer(page).getByRole("button", { name: "Undo cancellation" }).click();
    await dialog(page).getByText("Undo this only if the customer asked you to.").waitFor();
    await dialog(page).getByRole("button", { name: "Undo cancellation" }).click();
    await drawer(page).getByText("The customer has cancelled. It ends on").waitFor({ state: "detached" });
    await cancel(/^Cancel now/);
    assert.equal(await own.getByRole("link", { name: "Cancel subscription" }).count(), 0);
    await badge(page, "Cancelled").waitFor();
    await drawer(page).getByText("Cancelled by the customer.").waitFor();
    // Whoever presses Back and then the button again finds it as it is.
    await own.goto(`${path}/cancel`);
    await own.getByRole("heading", { name: "Your subscription with Yoga Studio Brera" }).waitFor();
  });

  test("the policy is changed with a second factor, counts for what fails from then on, and is looked at by colleagues", {
    timeout: 120_000,
  }, async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Edicola Centrale");
    const { page } = await world.visitAs(owner, "/portal/subscriptions?tab=dunning");
    await page.getByText("The subscription is cancelled").waitFor();
    // Longer than a second factor counts.
    relay.advance(11 * MINUTE_MS);
    await page.getByRole("button", { name: "Change" }).click();
    await drawer(page).getByRole("button", { name: "Remove retry 4" }).click();
    await drawer(page).getByRole("radio", { name: "Pause it" }).check();
    await drawer(page).getByRole("button", { name: "Save" }).click();
    const question = page.locator("dialog", { hasText: "Confirm it is you" });
    await question.getByLabel("Code").fill(owner.code());
    await question.getByRole("button", { name: "Confirm" }).click();
    await page.getByText("Saved. Applies to payments that fail from now on.").waitFor();
    await page.reload();
    await page.getByText("The subscription is paused").waitFor();
    const stored = await serverOf(relay, shop).get("/api/merchant/dunning");
    assertMatches(stored, { status: 200, body: { data: { retryDays: [1, 3, 5], finalAction: "PAUSE", mails: true } } });
  });
}

/** Long enough to be killed before the gateway has charged, and while its answer is on its way. */
const GATEWAY_LATENCY_MS = 600;
const KILLED_AFTER_MS = [5, 60, 300, 590, 640, 900];
