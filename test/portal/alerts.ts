import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertMatches, member } from "../support/http/matches.ts";
import type { PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { alerted } from "./disputes.ts";
import { paidLink } from "./links.ts";
import { shopWithOwner } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

/** Longer than whoever was about to ask the gateway has to say what came of it. */
const LEASE_MS = 2 * 60_000;

const drawer = (page: Page) => page.locator("dialog.drawer");
const dialog = (page: Page) => page.locator("dialog.dialog");
/** The state of the alert; the payment beside it has a badge of its own. */
const alertBadge = (page: Page, state: string) => drawer(page).locator(".sum .badge", { hasText: state });

async function alertOf(person: PortalPerson, id: string): Promise<unknown> {
  const answer = await person.send("GET", `/alerts/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return member(answer.body, "data");
}

/** Alerts that rules refund, that the network resolves, and that people decide. */
export function alerts(world: PortalWorld): void {
  test("acceptance 11: a rule that was tried refunds an alert by itself, once also where the gateway's answer is lost; with RDR the gateway is never asked", {
    timeout: 240_000,
  }, async (t) => {
    const { relay, gateway } = world;
    const { shop, owner } = await shopWithOwner(relay, "Gelateria Polo");
    const back = () => gateway.answers("refund") + gateway.answers("reversal");
    const before = await alerted(relay, shop, { amountMinor: 1_990 });

    const { page } = await world.visitAs(owner, "/portal/alerts?tab=rules");
    await page.getByText("Nothing is refunded automatically.").waitFor();
    await page.getByRole("button", { name: "Edit rules" }).click();
    await drawer(page).getByRole("radio", { name: "On" }).check();
    await drawer(page).getByRole("button", { name: "Add rule" }).click();
    await drawer(page).getByLabel("Name").fill("small-amounts");
    await drawer(page).getByLabel("Payments up to").fill("50");
    await drawer(page).getByRole("button", { name: "Test on the last 90 days" }).click();
    // That one names no payment, so that nothing could have been given back.
    await drawer(page).getByText("0 of 1 alert would have been refunded.").waitFor();
    await drawer(page).getByRole("button", { name: "Save rules" }).click();
    await page.getByText("The rules are saved.").waitFor();
    await page.getByText("Up to €50.00 · any source · any reason · any method").waitFor();
    assertMatches(await alertOf(owner, before), { state: "PENDING" });

    // AUTO_REFUND, and REFUNDED at once where the gateway answers.
    const paid = await paidLink(world, shop, { description: "Ice for a party" });
    const asked = back();
    const refunded = await alerted(relay, shop, { uuid: paid });
    await eventually(async () => assertMatches(await alertOf(owner, refunded), { state: "REFUNDED", rule: "small-amounts" }));
    assert.equal(back(), asked + 1);
    await page.goto(`/portal/alerts/${refunded}`);
    await alertBadge(page, "Refunded").waitFor();
    await drawer(page).getByText("Decided by your rule “small-amounts”.").waitFor();
    await drawer(page).getByRole("link", { name: "Open transaction" }).click();
    await drawer(page).getByText("This payment has already been refunded.").waitFor();
    await drawer(page).getByRole("link", { name: "Open the alert" }).waitFor();

    // The network moves the money itself: the gateway is not asked, whatever rules say.
    const other = await paidLink(world, shop, { description: "A cake of ice" });
    const atNetwork = back();
    const rdr = await alerted(relay, shop, { uuid: other, source: "RDR" });
    await page.goto(`/portal/alerts/${rdr}`);
    await drawer(page).getByText("With RDR the card network refunds the customer").waitFor();
    assert.equal(await drawer(page).getByRole("button", { name: "Refund" }).count(), 0);
    assertMatches(await owner.send("POST", `/alerts/${rdr}/refund`), { status: 409, body: { code: "network_refunds" } });
    const resolved = await relay.administrator().post(`/admin/alerts/${rdr}/resolve`);
    assert.equal(resolved.status, 200, resolved.text);
    await alertBadge(page, "Prevented").waitFor();
    assert.equal(back(), atNetwork);

    // The gateway has done it, and its answer does not arrive.
    const lost = await paidLink(world, shop, { description: "Two cones" });
    await gateway.faults({ outage: "drop_answer", outageOf: ["refund", "reversal"] });
    t.after(() => gateway.faults({ outage: "none" }));
    const returnsBefore = gateway.returns().size;
    const unknown = await alerted(relay, shop, { uuid: lost });
    await page.goto(`/portal/alerts/${unknown}`);
    await alertBadge(page, "Auto-refund").waitFor();
    await drawer(page).getByText("The card gateway has not confirmed it yet.").waitFor();
    await gateway.faults({ outage: "none" });
    // The relay finds out by itself.
    relay.advance(LEASE_MS);
    await eventually(
      async () => assertMatches(await alertOf(owner, unknown), { state: "REFUNDED", refund: { state: "done" } }),
      30_000,
      250,
    );
    await alertBadge(page, "Refunded").waitFor();
    assert.ok(gateway.returns().size <= returnsBefore + 1, "the gateway was asked under more than one id");
    const timeline = member((await owner.send("GET", `/transactions/${lost}`)).body, "data", "timeline");
    assert.equal(JSON.stringify(timeline).match(/"what":"(?:refund|reversal)"/g)?.length, 1, JSON.stringify(timeline));
  });

  test("an alert is refunded by whoever looks at it, and declined with a reason", {
    timeout: 180_000,
  }, async () => {
    const { relay, gateway } = world;
    const { shop, owner } = await shopWithOwner(relay, "Pescheria Zanetti");
    const paid = await paidLink(world, shop, { description: "A tuna" });
    const [first, second] = [await alerted(relay, shop, { uuid: paid }), await alerted(relay, shop, { category: "DUPLICATE" })];
    const { page } = await world.visitAs(owner, "/portal");
    await page.getByText("Decide on an alert").first().waitFor();
    await page.locator(`main a[href$="/alerts/${first}"]`).click();
    const before = gateway.answers("refund") + gateway.answers("reversal");
    await drawer(page).getByRole("button", { name: "Refund" }).click();
    await dialog(page).getByRole("button", { name: "Refund €49.90" }).dblclick();
    await page.getByText("€49.90 was refunded.").waitFor();
    await alertBadge(page, "Refunded").waitFor();
    assert.equal(gateway.answers("refund") + gateway.answers("reversal"), before + 1);
    await page.goto(`/portal/alerts/${second}`);
    await drawer(page).getByText("The source did not say which payment this is about").first().waitFor();
    await drawer(page).getByRole("button", { name: "Decline" }).click();
    await dialog(page).getByLabel("Reason").fill("Two purchases on two days");
    await dialog(page).getByRole("button", { name: "Decline alert" }).click();
    await drawer(page).getByText("Reason: Two purchases on two days").waitFor();
    assertMatches(await alertOf(owner, second), { state: "DECLINED", end: { by: "merchant" } });
    await page.goto("/portal/audit");
    await page.getByText("Declined an alert").first().waitFor();
    await page.getByText("Refunded the payment of an alert").first().waitFor();
  });
}
