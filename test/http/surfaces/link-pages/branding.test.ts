import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogoFacts } from "../../../../engine/branding/branding.ts";
import { attempt, portalLink } from "../../../engine/portal-links/machine-world.ts";
import { NO_BROWSER, openPage } from "../../../support/browser/browser.ts";
import { image } from "../../../support/images/images.ts";
import { axeViolations, FITS, LOOKS, watchFaults } from "../../../support/node/portal-faults.ts";
import { serve } from "./world.ts";

const LOGO: LogoFacts = { id: "0123456789abcdef0123456789abcdef", type: "image/png", width: 24, height: 16, bytes: 472 };
const FILE = { type: "image/png", contents: image("logo.png") } as const;
const LINK = portalLink();

test("the page shows the shop's logo and name, and its policy allows this image only", async (t) => {
  const { send } = await serve(t, LINK, undefined, { shop: { logo: LOGO } });
  const { headers, text } = await send("GET");
  assert.match(
    text,
    /<main>\n<div class="shop"><img class="shop-logo" src="https:\/\/relay\.example\/logo\/0123456789abcdef0123456789abcdef" alt="" width="72" height="48"><span class="shop-name">Bar &lt;b&gt;&quot;Centrale&quot;&lt;\/b&gt;<\/span><\/div>\n<h1>/,
  );
  const policy = String(headers.get("content-security-policy"));
  assert.match(policy, /; img-src https:\/\/relay\.example\/logo\/0123456789abcdef0123456789abcdef; script-src/);
  assert.match(policy, /style-src 'sha256-[^' ]+';/);
});

test("the page of a shop with a colour has computed colours, and the policy allows their style by its hash", async (t) => {
  const { send } = await serve(t, LINK, undefined, { shop: { color: "#ffcc00" } });
  const { headers, text } = await send("GET");
  assert.match(text, /--fill:#ffcc00;--on-fill:#000000/);
  assert.doesNotMatch(text, /<img/);
  const policy = String(headers.get("content-security-policy"));
  assert.match(policy, /style-src 'sha256-[^' ]+' 'sha256-[^' ]+';/);
  assert.doesNotMatch(policy, /img-src|unsafe/);
});

test("a page without branding has neither an image nor another style", async (t) => {
  const { send } = await serve(t, LINK);
  const { headers, text } = await send("GET");
  assert.doesNotMatch(text, /<img|class="shop"|--fill:#/);
  assert.doesNotMatch(String(headers.get("content-security-policy")), /img-src/);
});

test("all pages of a link show the shop; one for a wrong address shows none", async (t) => {
  const branding = { shop: { logo: LOGO } };
  for (const link of [
    LINK,
    portalLink([attempt(1, "paid")], { state: "PAID" }),
    portalLink([], { state: "CANCELLED" }),
    portalLink([], { state: "EXPIRED" }),
    portalLink([attempt(1, "failed")]),
    portalLink([attempt(1, "open")]),
  ]) {
    const { send, url } = await serve(t, link, { type: "refused", link }, branding);
    for (const { text } of [await send("GET"), await send("GET", "/return"), await send("POST", "/pay")]) {
      assert.match(text, /<img class="shop-logo"/, link.state);
    }
    assert.doesNotMatch(await (await fetch(`${url}/l/${"x".repeat(22)}`)).text(), /<img|Centrale/);
  }
});

test("a logo is served for ever under its address, as the image that it is", async (t) => {
  const { url } = await serve(t, LINK, undefined, { shop: { logo: LOGO }, file: FILE });
  const found = await fetch(`${url}/logo/${LOGO.id}`);
  assert.equal(found.status, 200);
  assert.deepEqual(
    ["content-type", "cache-control", "etag", "x-content-type-options", "content-security-policy"].map((name) => found.headers.get(name)),
    ["image/png", "public, max-age=31536000, immutable", `"${LOGO.id}"`, "nosniff", "default-src 'none'; sandbox"],
  );
  assert.deepEqual(Buffer.from(await found.arrayBuffer()), FILE.contents);
  const again = await fetch(`${url}/logo/${LOGO.id}`, { headers: { "if-none-match": `"${LOGO.id}"` } });
  assert.deepEqual([again.status, await again.text()], [304, ""]);
  for (const id of ["f".repeat(32), "x", "..%2Fbranding%2FM1"]) assert.equal((await fetch(`${url}/logo/${id}`)).status, 404, id);
});

test("the browser shows the logo, and every colour is legible in both themes and widths", { skip: NO_BROWSER }, async (t) => {
  for (const color of ["#ffffff", "#000000", "#ffcc00", "#b3261e", "#1e2327"]) {
    const { url } = await serve(t, LINK, undefined, { shop: { color, logo: LOGO }, file: FILE, isLocal: true });
    const page = await openPage(t);
    const faults: string[] = [];
    await watchFaults(page, url, faults);
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 640 });
      await page.goto(`${url}/l/${LINK.token}`);
      assert.equal(await page.evaluate("document.querySelector('.shop-logo').naturalWidth"), 24);
      assert.deepEqual(await axeViolations(page), [], `${color} ${colorScheme} ${width}`);
      assert.equal(await page.evaluate(FITS), true, "it is wider than its window");
    }
    assert.deepEqual(faults, []);
  }
});
