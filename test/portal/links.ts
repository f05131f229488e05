import assert from "node:assert/strict";
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import { assertMatches, listOf, member, textMember } from "../support/http/matches.ts";
import type { Relay } from "../support/node/relay.ts";
import { mailsTo, type PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { disputed } from "./disputes.ts";
import { card, pay } from "./payments.ts";
import { shopWithOwner } from "./people.ts";
import { type PortalWorld, type Shop, stepUp, type Visitor } from "./portal-world.ts";

const HOUR_MS = 3_600_000;

const GOOD_CARD = "4242 4242 4242 4242";
const DECLINED_CARD = "4000 0000 0000 0002";

export interface MadeLink {
  id: string;
  /** `/l/...`, below the relay's address. */
  path: string;
}

/** A link of a shop's, made with its key beside the pages. */
export async function linkIn(relay: Relay, shop: Shop, members: { [member: string]: unknown } = {}): Promise<MadeLink> {
  const answer = await relay
    .client({ authorization: `Bearer ${shop.secretKey}` })
    .post("/api/merchant/payment-links", { amountMinor: 4_990, description: "Two tickets for Saturday", ...members });
  assert.equal(answer.status, 201, answer.text);
  return { id: textMember(answer.body, "data", "id"), path: new URL(textMember(answer.body, "data", "url")).pathname };
}

/** Begins a payment of the link, as a customer's press on Pay does. */
export async function begunPayment(relay: Relay, { path }: MadeLink): Promise<void> {
  const pressed = await relay.client({}).post(`${path}/pay`);
  assert.equal(pressed.status, 303, pressed.text);
}

/** Cancels the link with the shop's key. */
export async function cancelled(relay: Relay, shop: Shop, { id }: MadeLink): Promise<void> {
  const answer = await relay.client({ authorization: `Bearer ${shop.secretKey}` }).post(`/api/merchant/payment-links/${id}/cancel`);
  assert.equal(answer.status, 200, answer.text);
}

/** A link of a shop's that was paid; the uuid of its payment. */
export async function paidLink({ relay, gateway }: PortalWorld, shop: Shop, members: { [member: string]: unknown } = {}): Promise<string> {
  const link = await linkIn(relay, shop, members);
  await begunPayment(relay, link);
  await gateway.act(`${link.id}.1`, "pay");
  const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
  await eventually(
    async () => assertMatches((await server.get(`/api/merchant/payment-links/${link.id}`)).body, { data: { state: "PAID" } }),
    30_000,
    250,
  );
  return `${link.id}.1`;
}

/** Links of a shop in the states that it takes no clock to bring them into. */
export async function linksInStates({ relay, gateway }: PortalWorld, shop: Shop): Promise<{ [state: string]: MadeLink }> {
  const customerEmail = "a.customer.with.quite.a.long.name@example.com";
  const pending = await linkIn(relay, shop, { customerEmail, reference: "ORDER-2026-000017" });
  const beingPaid = await linkIn(relay, shop, { description: "A table for two" });
  const [paid, late] = [await linkIn(relay, shop, { description: "A cake" }), await linkIn(relay, shop, { description: "Another cake" })];
  const gone = await linkIn(relay, shop, {
    description: "A description so long that it has no room in a narrow column of a small telephone",
  });
  const refunded = await linkIn(relay, shop, { description: "A gift" });
  for (const link of [beingPaid, paid, late, refunded]) await begunPayment(relay, link);
  for (const link of [late, gone]) await cancelled(relay, shop, link);
  const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
  for (const { id } of [paid, late, refunded]) {
    await gateway.act(`${id}.1`, "pay");
    // The gateway's notification; asked for less often than a caller may.
    await eventually(
      async () => {
        const { text, body } = await server.get(`/api/merchant/payment-links/${id}`);
        assert.ok(text.includes('"status":"ok"'), text);
        assertMatches(body, { data: { state: "PAID" } });
      },
      30_000,
      250,
    );
  }
  const back = await server.post(`/api/merchant/transactions/${refunded.id}.1/refund`, {});
  assert.equal(back.status, 200, back.text);
  return { pending, beingPaid, paid, late, cancelled: gone, refunded };
}

export async function linkOf(person: PortalPerson, id: string): Promise<unknown> {
  const answer = await person.send("GET", `/payment-links/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return member(answer.body, "data");
}

/** Opens the link as its customer, in a browser that knows nobody, and presses Pay: ends at the gateway's page. */
export async function goToPay({ page }: Visitor, path: string): Promise<void> {
  await page.goto(path);
  await page.getByRole("button", { name: /^(Pay|Paga) / }).click();
  await page.getByLabel("Card number").waitFor();
}

export async function enterCard({ page }: Visitor, number = GOOD_CARD): Promise<void> {
  await page.getByLabel("Card number").fill(number);
  await page.getByLabel("Valid until").fill("12/40");
  await page.getByLabel("Security code").fill("123");
  await page.getByLabel("Name on the card").fill("Ada Lovelace");
  await page.getByRole("button", { name: "Pay" }).click();
}

/** Whoever pays is no visitor of the portal: what a browser does at the gateway's page is not what the portal is held to. */
const customer = (world: PortalWorld, phone = false, locale: "en-GB" | "it-IT" = "en-GB") => world.visit({ phone, locale, faults: [] });

const drawer = (page: Page) => page.locator("dialog.drawer");
const dialog = (page: Page) => page.locator("dialog.dialog");
const rowOf = (page: Page, description: string) => page.locator("main tbody tr", { hasText: description });

async function createInPage(page: Page, amount: string, description: string): Promise<string> {
  await page.locator("main").getByRole("button", { name: "New link" }).first().click();
  await dialog(page).getByLabel("Amount").fill(amount);
  await dialog(page).getByLabel("Description").fill(description);
  await dialog(page).getByRole("button", { name: "Create link" }).dblclick();
  await page.getByText("The link is ready").waitFor();
  return (await dialog(page).locator(".share-link code").textContent()) ?? "";
}

interface Received {
  headers: { [name: string]: string | string[] | undefined };
  body: string;
}

/** A server that takes webhooks, as a shop has one. */
async function receiver(t: TestContext): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString("utf8") });
      response.end("ok");
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return { url: `http://127.0.0.1:${address.port}/hook`, received };
}

/** As a shop does it, with nothing of the relay's. */
function isSigned({ headers, body }: Received, secret: string): boolean {
  const given = Buffer.from(String(headers["x-gateway-signature"]), "hex");
  const own = createHmac("sha256", secret).update(body, "utf8").digest();
  return given.length === own.length && timingSafeEqual(given, own);
}

const typeOf = ({ body }: Received) => textMember(JSON.parse(body), "type");

/** What customers pay by link, what goes another way than usual, and the way back. */
export function links(world: PortalWorld): void {
  test("acceptance 6: a link is made in the page and opened in two browsers, where one payment is begun; paid, it is so at the next refresh, and a webhook says it whose signature holds", {
    timeout: 180_000,
  }, async (t) => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Teatro Carcano");
    const { url: hook, received } = await receiver(t);
    const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
    const endpoint = await server.post("/api/merchant/webhooks", { format: "portal", url: hook, events: ["payment_link.paid"] });
    assert.equal(endpoint.status, 201, endpoint.text);
    const secret = textMember(endpoint.body, "data", "secret");

    const { page } = await world.visitAs(owner, "/portal/payment-links");
    await page.getByText("No payment links yet").waitFor();
    const url = await createInPage(page, "49.90", "Two tickets for Saturday");
    assert.ok(url.startsWith(`${world.origin}/l/`), url);
    await page.keyboard.press("Escape");
    await rowOf(page, "Two tickets").locator(".badge", { hasText: "Pending" }).waitFor();
    assert.equal(await page.locator("main .row-button").count(), 1, "the double click made one link");
    await page.evaluate("globalThis.notReloaded = true");

    const [one, other] = [await customer(world), await customer(world)];
    await Promise.all([goToPay(one, url), goToPay(other, url)]);
    assert.equal(one.page.url(), other.page.url());
    await enterCard(one);
    await one.page.getByRole("heading", { name: "Paid" }).waitFor();
    await rowOf(page, "Two tickets")
      .locator(".badge", { hasText: /^Paid$/ })
      .waitFor();
    assert.equal(await page.evaluate("globalThis.notReloaded"), true);

    await page.locator("main .row-button").first().click();
    await drawer(page).locator(".timeline li").first().waitFor();
    assert.equal(await drawer(page).locator(".timeline li").count(), 1);
    await drawer(page).getByText("Paid · €49.90 · ···· 4242").waitFor();
    // Whoever comes after sees that it is paid, and pays nothing.
    await other.page.goto(url);
    await other.page.getByRole("heading", { name: "Paid" }).waitFor();
    assert.equal(await other.page.getByRole("button").count(), 0);

    await eventually(() => assert.equal(received.length, 1));
    const [webhook] = received;
    assert.ok(webhook !== undefined);
    assert.ok(isSigned(webhook, secret));
    // With one digit of the amount changed it is nobody's.
    const forged = webhook.body.replace("4990", "4991");
    assert.notEqual(forged, webhook.body);
    assert.ok(!isSigned({ ...webhook, body: forged }, secret));
    assert.ok(!isSigned(webhook, `${secret}x`));
    assert.equal(typeOf(webhook), "payment_link.paid");

    // From the link to its transaction, and back.
    await eventually(async () => {
      const { id } = await onlyLink(owner);
      assert.equal((await owner.send("GET", `/transactions/${id}.1`)).status, 200);
    });
    await drawer(page).getByRole("link", { name: "Transaction of attempt 1" }).click();
    await drawer(page).getByText("Payment id").waitFor();
    await drawer(page).getByRole("link", { name: "Payment link" }).click();
    await drawer(page).getByText("Payment attempts").waitFor();
  });

  test("acceptance 7: a link that is cancelled while somebody pays it is paid late, stands among the tasks and what operators look at, and is refunded once though two browsers ask at once", {
    timeout: 180_000,
  }, async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Noleggio Bici");
    const link = await linkIn(relay, shop, { amountMinor: 2_350, description: "A bicycle for a day" });
    const paying = await customer(world);
    await goToPay(paying, link.path);

    const { page } = await world.visitAs(owner, `/portal/payment-links/${link.id}`);
    await drawer(page).getByText("A customer is on the payment page right now.").waitFor();
    await drawer(page).getByRole("button", { name: "Cancel link" }).click();
    await dialog(page).getByText("can still complete the payment").waitFor();
    await dialog(page).getByRole("button", { name: "Cancel link" }).click();
    await page.getByText("The link is cancelled.").waitFor();
    await drawer(page).locator(".badge", { hasText: "Cancelled" }).waitFor();
    const late = await customer(world);
    await late.page.goto(link.path);
    await late.page.getByRole("heading", { name: "Payment cancelled" }).waitFor();

    await enterCard(paying);
    await paying.page.getByRole("heading", { name: "Paid" }).waitFor();
    await drawer(page).locator(".badge", { hasText: "Paid late" }).waitFor();
    await drawer(page).getByText("This link was paid after you cancelled it").waitFor();

    // For its people, and for the operators.
    const items = listOf(member((await relay.administrator().get("/admin/attention?limit=500")).body, "data"));
    assert.ok(items.some((item) => member(item, "kind") === "link_late" && member(item, "uuid") === `${link.id}.1`));
    const second = await world.visitAs(owner, "/portal");
    await second.page.getByText("Link paid late").waitFor();
    await second.page.locator(`main a[href$="/payment-links/${link.id}"]`).click();
    await drawer(second.page).getByText("Deliver the order, or refund the payment below.").waitFor();

    // Their second factors are of just now, so that both requests leave at once.
    const before = world.gateway.answers("refund") + world.gateway.answers("reversal");
    const both = [page, second.page];
    for (const one of both) {
      await drawer(one).getByRole("button", { name: "Refund" }).click();
      await dialog(one).getByLabel("Reason").fill("Cancelled in time");
    }
    await Promise.all(both.map((one) => dialog(one).getByRole("button", { name: "Refund €23.50" }).dblclick()));
    const isTold = (one: Page) =>
      eventually(async () => {
        // Whoever came second is told so, or that it was done; if the other was just at it, asks again.
        const again = dialog(one).getByRole("button", { name: "Check again" });
        if ((await again.count()) > 0) await again.click({ timeout: 1_000 }).catch(() => {});
        const told = await one.getByText(/€23\.50 was refunded\.|This payment has already been refunded\./).count();
        assert.ok(told > 0);
      });
    // Beside each other: what is told in the corner of a page is there for some seconds only.
    await Promise.all(both.map(isTold));
    // What was told in the question stays there until it is closed.
    for (const one of both) {
      if ((await dialog(one).count()) > 0) await dialog(one).getByRole("button", { name: "Close" }).last().click();
    }
    assert.equal(world.gateway.answers("refund") + world.gateway.answers("reversal"), before + 1, "the gateway was asked once");
    await one(page).waitFor();
    assertMatches(await linkOf(owner, link.id), { state: "PAID", late: true, attempts: [{ state: "paid", refund: "done" }] });
    // Nothing is left to do.
    await second.page.goto("/portal");
    await second.page.getByRole("heading", { name: "Overview" }).waitFor();
    await eventually(async () => assert.deepEqual(member((await owner.send("GET", "/overview")).body, "data", "tasks"), []));
  });

  const one = (page: Page) => drawer(page).locator(".badge", { hasText: "Refunded" });

  test("acceptance 8: the refund of a terminal's payment, and of one that is under dispute, is explained and not offered, and its endpoint refuses it", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Rosticceria Sole", 1);
    const [terminalId = ""] = shop.terminalIds;
    const uuid = await pay(relay, card(terminalId, 1_850));
    await eventually(async () => assert.equal((await owner.send("GET", `/transactions/${uuid}`)).status, 200));
    const { page } = await world.visitAs(owner, `/portal/transactions/${uuid}`);
    await drawer(page)
      .getByText("This payment was taken on a terminal. Refund it on that terminal, with the card or app that paid.")
      .waitFor();
    assert.equal(
      await drawer(page)
        .getByRole("button", { name: /Refund/ })
        .count(),
      0,
    );
    assert.equal(await drawer(page).getByRole("link", { name: "Payment link" }).count(), 0);
    const refunded = await relay
      .client({ authorization: `Bearer ${shop.secretKey}` })
      .post(`/api/merchant/transactions/${uuid}/refund`, { reason: "They changed their mind" });
    assertMatches(refunded, { status: 409, body: { status: "error", code: "not_refundable_here" } });

    const paid = await paidLink(world, shop, { description: "A dinner for two" });
    const disputeId = await disputed(relay, shop, { uuid: paid });
    await eventually(async () => assert.equal((await owner.send("GET", `/transactions/${paid}`)).status, 200));
    await page.goto(`/portal/transactions/${paid}`);
    await drawer(page).getByText("The customer disputes this payment with the bank. It cannot be refunded").waitFor();
    assert.equal(
      await drawer(page)
        .getByRole("button", { name: /Refund/ })
        .count(),
      0,
    );
    const before = world.gateway.answers("refund") + world.gateway.answers("reversal");
    assertMatches(await relay.client({ authorization: `Bearer ${shop.secretKey}` }).post(`/api/merchant/transactions/${paid}/refund`, {}), {
      status: 409,
      body: { status: "error", code: "under_dispute" },
    });
    assert.equal(world.gateway.answers("refund") + world.gateway.answers("reversal"), before, "the gateway was asked");
    await drawer(page).getByRole("link", { name: "Open the dispute" }).click();
    await drawer(page).getByText("You cannot refund this payment unless you win the dispute").waitFor();
    assert.equal(new URL(page.url()).pathname, `/portal/disputes/${disputeId}`);
  });

  test("a link whose time is over while somebody pays is paid in time, and open for nobody else meanwhile", {
    timeout: 120_000,
  }, async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Museo Civico");
    const link = await linkIn(relay, shop, { description: "A guided tour", expiresInHours: 1 });
    relay.advance(HOUR_MS - 60_000);
    const paying = await customer(world);
    await goToPay(paying, link.path);
    relay.advance(2 * 60_000);
    const late = await customer(world);
    await late.page.goto(link.path);
    await late.page.getByRole("heading", { name: "This link has expired" }).waitFor();
    assert.equal(await late.page.getByRole("button").count(), 0);
    assert.equal((await owner.signIn()).status, 200);
    assertMatches(await linkOf(owner, link.id), { state: "PENDING", attempts: [{ state: "open" }] });
    await enterCard(paying);
    await paying.page.getByRole("heading", { name: "Paid" }).waitFor();
    const { page } = await world.visitAs(owner, `/portal/payment-links/${link.id}`);
    await drawer(page)
      .locator(".badge", { hasText: /^Paid$/ })
      .waitFor();
    assertMatches(await linkOf(owner, link.id), { state: "PAID", late: false });
  });

  test("a customer with an Italian phone gets the mail in Italian, is declined, pays with another card, and reads of it all in Italian", {
    timeout: 120_000,
  }, async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Trattoria da Ugo");
    const link = await linkIn(relay, shop, { amountMinor: 123_450, description: "Cena di Natale", customerEmail: "ada@example.com" });
    const { page } = await world.visitAs(owner, `/portal/payment-links/${link.id}`);
    await drawer(page).getByRole("button", { name: "Send by e-mail" }).click();
    assert.equal(await dialog(page).getByLabel("E-mail address").inputValue(), "ada@example.com");
    const email = `ada.${relay.uuid().slice(0, 8)}@example.com`;
    await dialog(page).getByLabel("E-mail address").fill(email);
    await dialog(page).getByLabel("Language of the e-mail").selectOption("it");
    await dialog(page).getByRole("button", { name: "Send e-mail" }).click();
    await page.getByText(`The link was sent to ${email}.`).waitFor();
    const [mail] = await mailsTo(relay, email);
    assert.match(mail?.text ?? "", /1\.234,50/);
    assert.ok(mail?.text.includes(link.path));

    const visitor = await customer(world, true, "it-IT");
    await visitor.page.goto(link.path);
    await visitor.page.getByRole("heading", { name: "Pagamento a Trattoria da Ugo" }).waitFor();
    assert.equal(await visitor.page.evaluate("document.documentElement.lang"), "it");
    assert.equal(await visitor.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true);
    await visitor.page.getByRole("button", { name: "Paga 1.234,50 €" }).click();
    await visitor.page.getByLabel("Card number").waitFor();
    await enterCard(visitor, DECLINED_CARD);
    await visitor.page.getByRole("heading", { name: "Pagamento non riuscito" }).waitFor();
    await visitor.page.getByRole("link", { name: "Riprova" }).click();
    await visitor.page.getByRole("button", { name: /^Paga / }).click();
    await enterCard(visitor);
    await visitor.page.getByRole("heading", { name: "Pagato" }).waitFor();
    // Its people see both attempts, with the gateway's words on the first.
    await drawer(page).locator(".timeline li").nth(1).waitFor();
    await drawer(page).getByText("Not paid").waitFor();
    await drawer(page).getByText("Paid · €1,234.50 · ···· 4242").waitFor();
  });

  test("a refund whose answer is lost is told as unknown, stands among the tasks, and the same button finds out", {
    timeout: 120_000,
  }, async (t) => {
    const { relay, gateway } = world;
    const { shop, owner } = await shopWithOwner(relay, "Vivaio Verde");
    const link = await linkIn(relay, shop, { description: "An olive tree" });
    const paying = await customer(world);
    await goToPay(paying, link.path);
    await enterCard(paying);
    await paying.page.getByRole("heading", { name: "Paid" }).waitFor();
    const { page } = await world.visitAs(owner, `/portal/payment-links/${link.id}`);
    // Longer than a second factor counts for what moves money.
    relay.advance(11 * 60_000);
    await gateway.faults({ outage: "drop_answer", outageOf: ["refund", "reversal"] });
    t.after(() => gateway.faults({ outage: "none" }));
    await drawer(page).getByRole("button", { name: "Refund" }).click();
    await dialog(page).getByRole("button", { name: "Refund €49.90" }).click();
    await stepUp(page, owner);
    await dialog(page).getByText("We keep checking, and you can check again with the same button").waitFor();
    await gateway.faults({ outage: "none" });
    const overview = await world.visitAs(owner, "/portal");
    await overview.page.getByText("Refund not confirmed").waitFor();
    await eventually(async () => {
      const again = dialog(page).getByRole("button", { name: "Check again" });
      if ((await again.count()) > 0) await again.click({ timeout: 1_000 }).catch(() => {});
      assert.ok((await page.getByText(/€49\.90 was refunded\.|This payment has already been refunded\./).count()) > 0);
    });
    assertMatches(await linkOf(owner, link.id), { attempts: [{ refund: "done" }] });
  });
}

async function onlyLink(person: PortalPerson): Promise<{ id: string }> {
  const answer = await person.send("GET", "/payment-links");
  const [link, ...more] = listOf(member(answer.body, "data", "items"));
  assert.equal(more.length, 0);
  return { id: textMember(link, "id") };
}
