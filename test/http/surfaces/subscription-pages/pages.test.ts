import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { DAY_MS, HOUR_MS } from "../../../engine/subscriptions/world.ts";
import { NO_BROWSER, openPage } from "../../../support/browser/browser.ts";
import { assertMatches, textMember } from "../../../support/http/matches.ts";
import { axeViolations, FITS, LOOKS } from "../../../support/node/portal-faults.ts";
import { msOf, open, type World } from "../merchant/subscriptions-world.ts";

/** A subscription with its page. */
async function shown(t: TestContext, terms: object = {}, members: object = {}) {
  const world = await open(t);
  const created = await world.create(terms, members);
  const id = textMember(created, "id");
  const path = new URL(textMember(created, "url")).pathname;
  return { ...world, id, path, record: () => world.engine.of(id) };
}

const BY_LINK = { collection: "LINK", methodId: undefined };

async function failing(world: Pick<World, "engine">, card: "soft" | "hard" = "soft"): Promise<void> {
  world.engine.charges.card = card;
  await world.engine.until(msOf("2026-02-28T09:00"));
}

test("the page says what is subscribed to, when the next payment is due, and nothing of the customer; it loads and leads nowhere else", async (t) => {
  const { page, path } = await shown(t);
  const { status, headers, text } = await page("GET", path, { "accept-language": "it" });
  assert.equal(status, 200);
  assert.match(text, /<h1>Il tuo abbonamento presso Bar &lt;b&gt;&quot;Centrale&quot;&lt;\/b&gt;<\/h1>/);
  assert.match(text, /29,00\u00a0€ ogni mese/);
  assert.match(text, /Prossimo pagamento: sabato 28 febbraio 2026\./);
  assert.match(text, /Prova: non viene addebitato nulla/);
  assert.match(text, /href="\/s\/[A-Za-z0-9]{22}\/cancel">Disdici l’abbonamento</);
  assert.doesNotMatch(text, /Ada|ada@|card_1|<script|undefined|<form/);
  assert.match(String(headers.get("content-security-policy")), /form-action 'self'; frame-ancestors 'none'$/);
  assert.deepEqual(
    ["cache-control", "referrer-policy", "x-robots-tag", "content-language"].map((name) => headers.get(name)),
    ["no-store", "no-referrer", "noindex, nofollow", "it"],
  );
  assert.match((await page("GET", path)).text, /€29\.00 every month[\s\S]*Next payment: Saturday, 28 February 2026/);
});

test("a token that names nothing gets a page", async (t) => {
  for (const token of ["x", "A".repeat(22), "..%2f"]) {
    // A server each: an address has so many presses in a second.
    const { page } = await open(t);
    for (const [method, path] of [
      ["GET", ""],
      ["GET", "/cancel"],
      ["POST", "/pay"],
      ["POST", "/cancel?when=now"],
    ] as const) {
      const answer = await page(method, `/s/${token}${path}`);
      assert.equal(answer.status, 404);
      assert.match(answer.text, /No such subscription/);
    }
  }
});

test("what is unpaid is shown with the reason and the next try, and whoever pays is led to its link, the same one each time", async (t) => {
  const world = await shown(t);
  const { page, path, engine, record } = world;
  assertMatches(await page("POST", `${path}/pay`), { status: 200, text: /Nothing to pay/ });
  await failing(world);
  const { text } = await page("GET", path);
  assert.match(text, /€29\.00[\s\S]*Unpaid since Saturday, 28 February 2026\./);
  assert.match(
    text,
    /Your card was declined\.[\s\S]*The same card is tried again on Sunday, 1 March 2026\.[\s\S]*is cancelled on Sunday, 8 March 2026/,
  );
  assert.match(text, /<form method="post" action="\/s\/[A-Za-z0-9]{22}\/pay">\s*<button[^>]*>Pay €29\.00</);
  const first = await page("POST", `${path}/pay`);
  assert.equal(first.status, 303);
  assert.match(String(first.location), /^\/l\/token-sub-/);
  assert.equal((await page("POST", `${path}/pay`)).location, first.location);
  assert.equal(engine.links.links.size, 1);
  const attempt = (await record()).charge?.attempts.at(-1);
  engine.links.pay(attempt?.id ?? "", engine.clock.nowMs());
  await engine.subscriptions.told(attempt?.id ?? "");
  const paid = await page("GET", path);
  assert.match(paid.text, /Next payment: Tuesday, 31 March 2026/);
  assert.doesNotMatch(paid.text, /Unpaid since/);
});

test("a card that is of no use any more is not tried again, and one that nobody knows of is not to be paid twice", async (t) => {
  const hard = await shown(t);
  await failing(hard, "hard");
  assert.match((await hard.page("GET", hard.path)).text, /can no longer be used[\s\S]*<form method="post"/);
  const unknown = await shown(t);
  unknown.engine.charges.line = "lost";
  unknown.engine.charges.isMute = true;
  await failing(unknown);
  const { text } = await unknown.page("GET", unknown.path);
  assert.match(text, /Please do not pay again/);
  assert.doesNotMatch(text, /<form/);
  assertMatches(await unknown.page("POST", `${unknown.path}/pay`), { status: 200, text: /A payment is under way/ });
});

test("a first payment by link is asked for until the subscription ends without it", async (t) => {
  const { page, path, engine } = await shown(t, {}, BY_LINK);
  assert.match((await page("GET", path)).text, /Unpaid since[\s\S]*Pay €29\.00[\s\S]*begins with the first payment/);
  await engine.until(engine.clock.nowMs() + 73 * HOUR_MS);
  const { text } = await page("GET", path);
  assert.match(text, /It has ended/);
  assert.doesNotMatch(text, /<form|cancel"/);
  assertMatches(await page("GET", `${path}/cancel`), { status: 303, location: path });
});

test("nothing is cancelled before a button of the page that asks is pressed; then at the period's end, or at once", async (t) => {
  const { page, path, engine, record } = await shown(t);
  const asking = await page("GET", `${path}/cancel`);
  assert.match(
    asking.text,
    /Cancel the subscription\?[\s\S]*Cancel on Saturday, 28 February 2026[\s\S]*Cancel now[\s\S]*Keep the subscription/,
  );
  assert.match(asking.text, /action="\/s\/[A-Za-z0-9]{22}\/cancel\?when=end"/);
  assertMatches(await page("POST", `${path}/cancel`), { status: 303, location: `${path}/cancel` });
  assertMatches(await page("POST", `${path}/cancel?when=sometime`), { status: 303, location: `${path}/cancel` });
  assert.equal((await record()).cancelsAtPeriodEnd, false);
  assertMatches(await page("POST", `${path}/cancel?when=end`), { status: 303, location: path });
  assertMatches(await record(), { state: "ACTIVE", cancelsAtPeriodEnd: true, cancelledBy: "customer" });
  assert.match((await page("GET", path)).text, /It is cancelled, and ends on Saturday, 28 February 2026/);
  assert.doesNotMatch((await page("GET", `${path}/cancel`)).text, /when=end/);
  assertMatches(await page("POST", `${path}/cancel?when=now`), { status: 303, location: path });
  assertMatches(await record(), { state: "CANCELLED", cancelledBy: "customer" });
  // Pressed again, by a page that was left open.
  assertMatches(await page("POST", `${path}/cancel?when=now`), { status: 303, location: path });
  const asked = engine.charges.charges.size;
  await engine.until(engine.clock.nowMs() + 40 * DAY_MS);
  assert.equal(engine.charges.charges.size, asked);
});

test("a page that says that it is from elsewhere does nothing; one that says nothing, or hides its address as ours does, is admitted", async (t) => {
  for (const [headers, isAdmitted] of [
    [{ "sec-fetch-site": "cross-site", origin: "null" }, false],
    [{ "sec-fetch-site": "same-site" }, false],
    [{ origin: "https://evil.example" }, false],
    [{ origin: "file://" }, false],
    [{ "sec-fetch-site": "same-origin" }, true],
    [{ origin: "null" }, true],
    [{ origin: "https://relay.example" }, true],
    [{}, true],
  ] as const) {
    const { page, path, record } = await shown(t);
    assertMatches(await page("POST", `${path}/cancel?when=now`, headers), { status: 303, location: path });
    assert.equal((await record()).state, isAdmitted ? "CANCELLED" : "ACTIVE", JSON.stringify(headers));
  }
  const world = await shown(t);
  await failing(world);
  assertMatches(await world.page("POST", `${world.path}/pay`, { origin: "https://evil.example" }), { status: 303, location: world.path });
  assert.equal(world.engine.links.links.size, 0);
});

test("a store or a gateway that does not answer is told as a page, which says when to try again", async (t) => {
  const world = await shown(t);
  await failing(world);
  world.engine.links.isAway = true;
  const answer = await world.page("POST", `${world.path}/pay`, { "accept-language": "it" });
  assertMatches(answer, { status: 200, text: /Un pagamento è in corso/ });
  world.engine.links.isAway = false;
  await world.engine.pass(2 * HOUR_MS, 60_000);
  assert.equal((await world.page("POST", `${world.path}/pay`)).status, 303);
});

test("every page meets WCAG AA, in both themes and widths, and cancels without a script", { skip: NO_BROWSER }, async (t) => {
  const world = await shown(t);
  await failing(world);
  const page = await openPage(t);
  for (const path of [world.path, `${world.path}/cancel`]) {
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 640 });
      await page.goto(`${world.url}${path}`);
      assert.deepEqual(await axeViolations(page), [], `${path} ${colorScheme} ${width}`);
      assert.equal(await page.evaluate(FITS), true, "it is wider than its window");
    }
  }
  await page.goto(`${world.url}${world.path}`);
  await page.getByRole("link", { name: "Cancel the subscription" }).click();
  await page.getByRole("button", { name: "Cancel now" }).click();
  await page.getByText("It has ended").waitFor();
  assertMatches(await world.record(), { state: "CANCELLED", cancelledBy: "customer" });
});
