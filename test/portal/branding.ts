import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { assertMatches, member } from "../support/http/matches.ts";
import { image } from "../support/images/images.ts";
import { Relay } from "../support/node/relay.ts";
import { startSmtpServer } from "../support/node/smtp-server.ts";
import { formOf, MULTIPART } from "../support/people/package-upload.ts";
import { eventually } from "../support/within.ts";
import { linkIn } from "./links.ts";
import { colleague, shopWithOwner } from "./people.ts";
import { newShop, type PortalWorld, type Shop } from "./portal-world.ts";

const BRANDING = "/api/merchant/branding";
const COLOR = "#ffcc00";

const panelOf = (page: Page): Locator => page.locator("section", { has: page.getByRole("heading", { name: "Your shop’s appearance" }) });

/** The source of the logo on a page, or null without one. */
async function logoOn(page: Page): Promise<string | null> {
  const logos = page.locator(".shop-logo");
  return (await logos.count()) === 0 ? null : logos.getAttribute("src");
}

/** Uploads a logo and a colour with the shop's key. */
async function brandedByKey(relay: Relay, { secretKey }: Shop): Promise<void> {
  const server = relay.client({ authorization: `Bearer ${secretKey}` });
  const form = formOf([{ name: "file", fileName: "logo.png", content: image("logo.png") }]);
  for (const answer of [
    await server.post(`${BRANDING}/logo`, form, { "content-type": MULTIPART }),
    await server.send(`${BRANDING}/color`, { method: "PUT", body: { color: COLOR } }),
  ]) {
    assert.equal(answer.status, 200, answer.text);
  }
}

/** What customers see of a shop: its logo and its colour on pages and in mails. */
export function branding(world: PortalWorld): void {
  test("an owner uploads a logo and a colour, the link page carries them, and another merchant's does not", async () => {
    const { relay } = world;
    const { owner, shop } = await shopWithOwner(relay, "Caffè del Logo");
    const { page } = await world.visitAs(owner, "/portal/settings");
    const panel = panelOf(page);
    const [svg, png] = [Buffer.from("<svg></svg>"), image("logo.png")];
    const input = panel.locator('input[type="file"]');
    await input.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: svg });
    await panel.getByText(/SVG images are not accepted/).waitFor();
    await input.setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: png });
    await page.getByText("The logo has been saved.").waitFor();
    await panel.getByRole("img", { name: "Logo of Caffè del Logo" }).waitFor();
    await panel.getByRole("textbox", { name: "Colour", exact: true }).fill("yellow!");
    await panel.getByRole("button", { name: "Save the colour" }).click();
    await panel
      .getByText(/Enter # and six digits/)
      .last()
      .waitFor();
    await panel.getByRole("textbox", { name: "Colour", exact: true }).fill(COLOR);
    await panel.getByRole("button", { name: "Save the colour" }).click();
    await page.getByText("The colour has been saved.").waitFor();

    const link = await linkIn(relay, shop);
    const { page: customer } = await world.visit();
    await customer.goto(link.path);
    const source = await logoOn(customer);
    assert.ok(source !== null, "the link page has no logo");
    assert.equal(await customer.evaluate("document.querySelector('.shop-logo').naturalWidth"), 24);
    assert.equal(await customer.evaluate("getComputedStyle(document.querySelector('.button')).backgroundColor"), "rgb(255, 204, 0)");
    assert.equal(await customer.evaluate("getComputedStyle(document.querySelector('.button')).color"), "rgb(0, 0, 0)");
    const other = await linkIn(relay, await newShop(relay, "Bar senza logo"));
    await customer.goto(other.path);
    await customer.getByRole("heading", { name: "Payment to Bar senza logo" }).waitFor();
    assert.equal(await logoOn(customer), null);
    assert.notEqual(await customer.evaluate("getComputedStyle(document.querySelector('.button')).backgroundColor"), "rgb(255, 204, 0)");

    const audit = JSON.stringify(member((await owner.send("GET", "/audit")).body, "data"));
    for (const action of ["branding.logo", "branding.color"]) assert.ok(audit.includes(action), action);

    await panel.getByRole("button", { name: "Remove the logo" }).click();
    await page.locator("dialog").getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("The logo has been removed.").waitFor();
    await customer.goto(link.path);
    assert.equal(await logoOn(customer), null);
    assert.equal((await relay.client({}).get(new URL(source).pathname)).status, 404);
  });

  test("a person who may not change settings sees the appearance and cannot change it", async () => {
    const { owner } = await shopWithOwner(world.relay, "Caffè Sola Lettura");
    const viewer = await colleague(world.relay, owner, "vera", "VIEWER");
    const { page } = await world.visitAs(viewer, "/portal/settings");
    const panel = panelOf(page);
    await panel.getByText("Only owners and administrators can change the logo and the colour.").waitFor();
    assert.equal(await panel.getByRole("button").count(), 0);
    assertMatches(await viewer.send("PUT", "/branding/color", { color: COLOR }), { status: 403, body: { code: "role" } });
  });

  test("the mail with a payment link carries the logo and the colour, and another merchant's does not", async () => {
    const smtp = await startSmtpServer();
    const relay = new Relay({
      shards: 1,
      environment: { RELAY_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, RELAY_MAIL_FROM: "Payments <no-reply@relay.example>" },
    });
    try {
      await relay.start();
      const [branded, plain] = [await newShop(relay, "Caffè del Logo"), await newShop(relay, "Bar senza logo")];
      await brandedByKey(relay, branded);
      for (const [shop, to] of [
        [branded, "ada@customer.example"],
        [plain, "bob@customer.example"],
      ] as const) {
        const { id } = await linkIn(relay, shop);
        const sent = await relay
          .client({ authorization: `Bearer ${shop.secretKey}` })
          .post(`/api/merchant/payment-links/${id}/send`, { email: to, locale: "en" });
        assert.equal(sent.status, 200, sent.text);
      }
      const mailTo = (to: string) => smtp.mails.find((mail) => mail.to.includes(to))?.data ?? "";
      await eventually(async () => assert.equal(smtp.mails.length, 2), 30_000, 250);
      const [first, second] = [mailTo("ada@customer.example"), mailTo("bob@customer.example")];
      for (const mail of [first, second]) assert.match(mail, /^Content-Type: multipart\/alternative;/m);
      assert.match(first, /^Content-ID: <logo@relay>\r$/im);
      // The HTML may be encoded, and soft line breaks of that encoding are within words.
      const decoded = first.replaceAll("=\r\n", "").replaceAll("=3D", "=");
      assert.match(decoded, /background:#ffcc00;color:#000000/);
      assert.match(decoded, /<img src="cid:logo@relay"/);
      assert.doesNotMatch(second.replaceAll("=\r\n", ""), /logo@relay|ffcc00|image\/png/);
    } finally {
      await relay.stop();
      await smtp.close();
    }
  });
}
