import assert from "node:assert/strict";
import { test } from "node:test";
import { MERCHANT_ACTS, merchantRoleMay } from "../../engine/access/merchant-user-grant.ts";
import { start as en } from "../../http/web/portal/i18n/start.en.ts";
import { axeViolations, FITS, WIDTHS } from "../support/node/portal-faults.ts";
import { lastMailTo } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { card, pay } from "./payments.ts";
import { addressOf, shopWithOwner } from "./people.ts";
import { DESK, type PortalWorld } from "./portal-world.ts";

/** What makes the pages comfortable: small windows, clear roles, keys, and paper. */
export function comfort(world: PortalWorld): void {
  test("comfort: a narrow window keeps its amounts, leaves out the last columns, and reaches every page by icons with names", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Antica Pasticceria e Torrefazione del Duomo di Santa Maria del Fiore", 1);
    const [terminalId = ""] = shop.terminalIds;
    const uuid = await pay(relay, card(terminalId, 123_456_700));
    const { page } = await world.visitAs(owner, "/portal/transactions");
    const amount = page.locator("main td .amount").first();
    await amount.waitFor();
    const headers = () => page.locator("main thead th").allTextContents();
    const all = await headers();
    for (const locale of ["en", "it"] as const) {
      assert.equal((await owner.send("PATCH", "/me", { locale })).status, 200);
      await page.reload();
      await amount.waitFor();
      for (const width of [...WIDTHS, DESK.width]) {
        await page.setViewportSize({ width, height: 900 });
        await eventually(async () => assert.equal(await page.evaluate(FITS), true, `${locale}, ${width} px`));
        assert.equal(await amount.evaluate((element) => element.getClientRects().length), 1, `${locale}, ${width} px`);
      }
    }
    assert.equal((await owner.send("PATCH", "/me", { locale: "en" })).status, 200);
    await page.setViewportSize({ width: 800, height: 900 });
    await page.reload();
    await amount.waitFor();
    await eventually(async () => assert.ok((await headers()).length < all.length, "nothing has left"));
    assert.deepEqual((await headers()).slice(0, 3), ["Time", "Amount", "Outcome"]);
    await page.locator("main .row-button").first().click();
    // What has left the table is in the drawer.
    await page.locator("dialog").getByText(terminalId).first().waitFor();
    await page.locator("dialog").getByText(uuid).waitFor();
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1_024, height: 900 });
    const link = page.getByRole("navigation").first().getByRole("link", { name: "Payment methods" });
    await link.focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    await eventually(async () =>
      assert.equal(
        await page.evaluate(`getComputedStyle(document.querySelector('.sidebar [href$="/payment-methods"] .nav-label')).opacity`),
        "1",
      ),
    );
    assert.deepEqual(await axeViolations(page), []);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Payment methods" }).waitFor();
    await page.setViewportSize({ width: 1_440, height: 900 });
    assert.equal(await page.locator(".sidebar .nav-link").count(), 18);
    for (const entry of await page.locator(".sidebar .nav-link").all()) {
      const box = await entry.boundingBox();
      assert.ok(box !== null && box.y + box.height <= 900, `${await entry.textContent()}`);
    }
  });

  test("comfort: an owner sees before the choice that Finance refunds, and the invited person reads it too", async () => {
    const { relay } = world;
    const { owner } = await shopWithOwner(relay, "Ferramenta Sole");
    const { page } = await world.visitAs(owner, "/portal/users");
    await page.getByRole("button", { name: "Invite a user" }).click();
    const email = addressOf(relay, "franca");
    await page.locator("dialog").getByLabel("E-mail address").fill(email);
    const finance = page.locator(".choice", { has: page.getByText("Finance", { exact: true }) });
    await finance.getByText("Refund payments").waitFor();
    await finance.getByRole("radio").check();
    await page.locator("dialog").getByRole("button", { name: "Send the invitation" }).click();
    await page.getByText(`The invitation was sent to ${email}.`).waitFor();
    const { token } = await lastMailTo(relay, email);
    const { page: invited } = await world.visit();
    await invited.goto(`/portal/invitation/${token}`);
    await invited.locator(".rights-check li").first().waitFor();
    const rights = (permitted: boolean) =>
      MERCHANT_ACTS.filter((act) => merchantRoleMay("FINANCE", act) === permitted).map((act) => en.rights[act]);
    assert.deepEqual(await invited.locator(".rights-check li").allTextContents(), rights(true));
    assert.deepEqual(await invited.locator(".rights-close li").allTextContents(), rights(false));
    assert.deepEqual(await axeViolations(invited), []);
  });

  test("comfort: the question mark lists the keys of a page, and a receipt fits the roll of a receipt printer", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Cartoleria Blu", 1);
    const [terminalId = ""] = shop.terminalIds;
    await pay(relay, card(terminalId, 2_340));
    const { page } = await world.visitAs(owner, "/portal/payment-links");
    await page.getByRole("heading", { name: "Payment links" }).waitFor();
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await help.getByText("New link").waitFor();
    assert.deepEqual(await axeViolations(page), []);
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "detached" });
    await page.keyboard.press("n");
    await page.locator("dialog").getByLabel("Amount").waitFor();
    await page.keyboard.press("Escape");
    await page.goto("/portal/transactions");
    await page.locator("main .row-button").first().click();
    await page.locator("dialog").getByRole("button", { name: "Receipt" }).click();
    await page.locator(".paper").getByText("Cartoleria Blu").waitFor();
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    const widthsMm = [...pdf.matchAll(/\/MediaBox\s*\[\s*\S+\s+\S+\s+(\S+)/g)].map(([, points]) =>
      Math.round((Number(points) / 72) * 25.4),
    );
    assert.deepEqual(widthsMm, [80]);
  });
}
