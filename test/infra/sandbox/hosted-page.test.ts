import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type TestContext, test } from "node:test";
import type { Page } from "playwright-core";
import type { GatewayOrder } from "../../../engine/gateway/gateway.ts";
import { NO_BROWSER, openPage } from "../../support/browser/browser.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { CREDENTIALS, startGatewayWorld } from "./gateway-world.ts";

/** A buyer before the page of a payment, in a real browser. */
async function buyer(t: TestContext, members: Partial<GatewayOrder> = {}) {
  const world = await startGatewayWorld(t);
  const order = world.order(members);
  const answer = await world.client.init(CREDENTIALS, order);
  assert.ok(answer.type === "done", "the payment is there");
  const page = await openPage(t);
  await page.goto(answer.value.redirectUrl);
  const state = async () => {
    const verified = await world.client.verify(CREDENTIALS, { txId: order.txId, paymentId: answer.value.paymentId });
    return verified.type === "done" ? verified.value : verified;
  };
  return { ...world, page, state };
}

async function fill(page: Page, number: string): Promise<void> {
  await page.getByLabel("Card number").fill(number);
  await page.getByLabel("Valid until").fill("12/40");
  await page.getByLabel("Security code").fill("123");
  await page.getByLabel("Name on the card").fill("Ada Lovelace");
}

const outcomeOf = (page: Page) => page.locator("#outcome").getAttribute("data-result-code");

test("a buyer reads amount and reason, and pays", { skip: NO_BROWSER }, async (t) => {
  const { page, state, notifications } = await buyer(t);
  assert.match((await page.locator("dl").textContent()) ?? "", /12\.30 EUR.*Order <7> & café/);
  await fill(page, "4111 1111 1111 1111");
  await page.getByRole("button", { name: "Pay 12.30 EUR" }).click();
  assert.equal(await outcomeOf(page), "GW_000");
  assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "Paid");
  assert.ok(await notifications.next(), "it is notified");
  assertMatches(await state(), { type: "paid", payment: { maskedPan: "411111******1111", payerName: "Ada", payerLastName: "Lovelace" } });
});

test("a buyer whose card is refused is told so", { skip: NO_BROWSER }, async (t) => {
  const { page, state } = await buyer(t);
  await fill(page, "4000000000009995");
  await page.getByRole("button", { name: "Pay" }).click();
  assert.equal(await outcomeOf(page), "GW_10002");
  assertMatches(await state(), { type: "failed", resultCode: "GW_10002" });
});

test("a buyer cancels", { skip: NO_BROWSER }, async (t) => {
  const { page, state } = await buyer(t);
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await outcomeOf(page), "GW_20090");
  assertMatches(await state(), { type: "failed", resultCode: "GW_20090" });
});

test("a buyer who comes too late finds it expired", { skip: NO_BROWSER }, async (t) => {
  const { page, state, control } = await buyer(t);
  await fill(page, "4111111111111111");
  await control("POST", "/control/advance", { ms: 3_600_001 });
  await page.getByRole("button", { name: "Pay" }).click();
  assert.equal(await outcomeOf(page), "GW_20002");
  assertMatches(await state(), { type: "failed", resultCode: "GW_20002" });
});

test("mistakes are told at their fields before anything is sent", { skip: NO_BROWSER }, async (t) => {
  const { page, state } = await buyer(t);
  let sent = 0;
  page.on("request", (request) => {
    if (request.method() === "POST") sent += 1;
  });
  await fill(page, "4111 1111 1111 1112");
  await page.getByRole("button", { name: "Pay" }).click();
  const number = page.getByLabel("Card number");
  assert.equal(await number.getAttribute("aria-invalid"), "true");
  assert.equal(await number.evaluate((field) => field === field.ownerDocument.activeElement), true, "the field has the focus");
  const described = (await number.getAttribute("aria-describedby")) ?? "";
  assert.match((await page.locator(`#${described.split(" ").at(-1)}`).textContent()) ?? "", /as it is on the card/);
  assert.equal(sent, 0);
  assertMatches(await state(), { type: "pending" });
});

test("without scripts the gateway's own checks tell the same", { skip: NO_BROWSER }, async (t) => {
  const { page, state } = await buyer(t);
  await page.route("**/*.js", (route) => route.abort());
  await page.reload();
  await fill(page, "4111 1111 1111 1112");
  await page.getByRole("button", { name: "Pay" }).click();
  assert.match((await page.getByRole("alert").textContent()) ?? "", /as it is on the card/);
  assert.equal(await page.getByLabel("Card number").inputValue(), "", "the number is not sent back");
  assert.equal(await page.getByLabel("Name on the card").inputValue(), "Ada Lovelace");
  assertMatches(await state(), { type: "pending" });
});

test("afterwards the buyer is back in the shop", { skip: NO_BROWSER }, async (t) => {
  const shop = createServer((_request, response) => response.end("<h1>Thank you</h1>")).listen(0, "127.0.0.1");
  await once(shop, "listening");
  t.after(() => shop.close());
  const address = shop.address();
  assert.ok(address !== null && typeof address === "object", "the shop has a port");
  const { page } = await buyer(t, { returnUrl: `http://127.0.0.1:${address.port}/thanks` });
  await fill(page, "5555555555554444");
  await page.getByRole("button", { name: "Pay" }).click();
  assert.equal(await page.getByRole("heading").textContent(), "Thank you");
});

/** Listens on an address of its own, which makes it another origin. */
async function site(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object", "the site has a port");
  return `http://127.0.0.1:${address.port}`;
}

for (const [how, press] of [
  ["pays", "Pay 12.30 EUR"],
  ["cancels", "Cancel"],
] as const) {
  test(`a buyer who ${how} gets to a shop behind a return address of another origin`, { skip: NO_BROWSER }, async (t) => {
    const shop = await site(t, (_request, response) => response.end("<h1>Thank you</h1>"));
    // As the compatible API does: its own page first, which sends the buyer on.
    const between = await site(t, (_request, response) => response.writeHead(303, { location: `${shop}/thanks` }).end());
    const { page } = await buyer(t, { returnUrl: `${between}/return` });
    if (how === "pays") await fill(page, "4242424242424242");
    await page.getByRole("button", { name: press }).click();
    assert.equal(await page.getByRole("heading").textContent(), "Thank you");
    assert.equal(page.url(), `${shop}/thanks`);
  });
}
