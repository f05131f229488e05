import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrandingJson } from "../../../../http/surfaces/merchant/branding/schemas.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { image } from "../../../support/images/images.ts";
import { lookAtEvery } from "./accessibility-cases.ts";
import { fakeRelay, MERCHANT, meOf, SESSIONS, sessionOf } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER };

const LOGO = { id: "a".repeat(32), url: `data:image/png;base64,${image("logo.png").toString("base64")}`, type: "image/png" };
const BRANDED: BrandingJson = { name: "Bar Centrale", color: "#ffcc00", logo: { ...LOGO, width: 24, height: 16, bytes: 472 } };
const PLAIN: BrandingJson = { name: "Bar Centrale", color: null, logo: null };

const handlersFor = (branding: BrandingJson) => ({
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  "GET /sessions": () => ({ data: SESSIONS }),
  "GET /branding": () => ({ data: branding }),
});
const VIEWER = { "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) };

test("the appearance of the shop meets WCAG AA, in both themes and widths", skip, async (t) => {
  await lookAtEvery(t, "portal", [
    {
      name: "a shop with branding",
      path: "/portal/settings",
      handlers: handlersFor(BRANDED),
      until: (page) => page.getByRole("img", { name: "Logo of Bar Centrale" }).waitFor(),
    },
    {
      name: "a shop without branding",
      path: "/portal/settings",
      handlers: handlersFor(PLAIN),
      until: (page) => page.getByText("Payment to Bar Centrale").waitFor(),
    },
    {
      name: "branding for who may only look",
      path: "/portal/settings",
      handlers: { ...handlersFor(BRANDED), ...VIEWER },
      until: (page) => page.getByText("Only owners and administrators").waitFor(),
    },
  ]);
});

test("a colour is previewed while it is typed, checked, and saved", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, {
    ...handlersFor(PLAIN),
    "PUT /branding/color": () => ({ data: { ...PLAIN, color: "#b3261e" } }),
  });
  await page.goto(`${url}/portal/settings`);
  const color = page.getByRole("textbox", { name: "Colour", exact: true });
  await color.fill("#b326");
  await page.getByRole("button", { name: "Save the colour" }).click();
  await page.getByText("such as #b3261e.").waitFor();
  assert.equal(await color.getAttribute("aria-invalid"), "true");
  await color.fill("#b3261e");
  const button = page.getByText("Pay €12.00");
  assert.equal(await button.evaluate((element) => getComputedStyle(element).backgroundColor), "rgb(179, 38, 30)");
  await page.getByRole("button", { name: "Save the colour" }).click();
  await page.getByText("The colour has been saved.").waitFor();
  assert.deepEqual(
    calls.filter(({ method }) => method === "PUT").map(({ path, body }) => [path, body]),
    [["/branding/color", { color: "#b3261e" }]],
  );
});

test("a file that the relay refuses is explained beside the button", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...handlersFor(BRANDED), "POST /branding/logo": () => ({ status: 415, code: "image_damaged" }) });
  await page.goto(`${url}/portal/settings`);
  await page.locator('input[type="file"]').setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: Buffer.from("x") });
  await page.getByText("The image is damaged or incomplete.").waitFor();
  await page.getByRole("img", { name: "Logo of Bar Centrale" }).waitFor();
});
