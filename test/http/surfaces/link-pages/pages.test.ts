import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { PortalLinkRecord } from "../../../../engine/portal-links/portal-link.ts";
import { attempt, NOW_MS, portalLink } from "../../../engine/portal-links/machine-world.ts";
import { NO_BROWSER, openPage } from "../../../support/browser/browser.ts";
import { axeViolations, FITS, LOOKS } from "../../../support/node/portal-faults.ts";
import { serve } from "./world.ts";

const PAID = attempt(1, "paid");

test("the page says who asks for what and until when, and its policy lets its form lead to us and the gateway only", async (t) => {
  const { send } = await serve(t, portalLink());
  const { status, headers, text } = await send("GET", "", { "accept-language": "it" });
  assert.equal(status, 200);
  assert.match(text, /<h1>Pagamento a Bar &lt;b&gt;&quot;Centrale&quot;&lt;\/b&gt;<\/h1>/);
  assert.match(text, /<p class="amount">12,34\u00a0€<\/p>/);
  assert.match(text, /Two nights/);
  assert.match(text, /Puoi pagare fino a martedì 21 novembre 2023 alle ore 23:13 \(Europe\/Rome\)/);
  assert.match(text, /Prova: non viene addebitato nulla/);
  assert.doesNotMatch(text, /R-7|ada@example\.org|<script|undefined/);
  const policy = String(headers.get("content-security-policy"));
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self' https:\/\/gateway\.example; frame-ancestors 'none'$/,
  );
  assert.deepEqual(
    ["cache-control", "referrer-policy", "x-robots-tag", "content-language"].map((name) => headers.get(name)),
    ["no-store", "no-referrer", "noindex, nofollow", "it"],
  );
  assert.doesNotMatch((await (await serve(t, portalLink([], { livemode: true }))).send("GET")).text, /Test:/);
});

for (const { name, stored, title } of [
  { name: "paid", stored: portalLink([PAID], { state: "PAID" }), title: "Paid" },
  { name: "cancelled", stored: portalLink([], { state: "CANCELLED" }), title: "Payment cancelled" },
  { name: "expired", stored: portalLink([], { state: "EXPIRED" }), title: "This link has expired" },
  {
    name: "over, while somebody may be paying it",
    stored: portalLink([attempt(1, "open")], { order: { ...portalLink().order, expiresAtMs: NOW_MS } }),
    title: "This link has expired",
  },
]) {
  test(`a link that is ${name} says so, without a form, there and where buyers come back`, async (t) => {
    const { send } = await serve(t, stored, { type: "closed", link: stored });
    for (const answer of [await send("GET"), await send("POST", "/pay")]) {
      assert.equal(answer.status, 200);
      assert.match(answer.text, new RegExp(`<h1>${title}</h1>`));
      assert.doesNotMatch(answer.text, /<form/);
      assert.match(String(answer.headers.get("content-security-policy")), /form-action 'none'/);
    }
  });
}

test("whoever presses Pay is sent on; to a page of another origin than the policy names, by a page of ours", async (t) => {
  const link = portalLink([attempt(1, "open")]);
  const known = await serve(t, link, { type: "payable", link, url: "https://gateway.example/pay/1?x=1" });
  const sent = await known.send("POST", "/pay");
  assert.deepEqual([sent.status, sent.location], [303, "https://gateway.example/pay/1?x=1"]);
  assert.equal(sent.headers.get("referrer-policy"), "no-referrer");
  const other = await serve(t, link, { type: "payable", link, url: 'https://pages.example/pay/1?x="1' });
  const onward = await other.send("POST", "/pay");
  assert.equal(onward.status, 200);
  assert.match(onward.text, /<meta http-equiv="refresh" content="0; url=https:\/\/pages\.example\/pay\/1\?x=%221">/);
  assert.match(onward.text, /<a class="button" href="https:\/\/pages\.example\/pay\/1\?x=%221">Continue<\/a>/);
});

for (const [type, title] of [
  ["not_yet", "One moment"],
  ["refused", "The payment cannot be made"],
  ["too_many", "Too many attempts"],
  ["inactive", "Not available right now"],
  ["no_account", "Not available right now"],
] as const) {
  test(`pressing Pay that comes to ${type} gets a page`, async (t) => {
    const link = portalLink();
    const { send } = await serve(t, link, { type, link });
    const { status, text } = await send("POST", "/pay");
    assert.equal(status, 200);
    assert.match(text, new RegExp(`<h1>${title}</h1>`));
  });
}

test("a store that does not answer is told as a page, which says when to try again", async (t) => {
  const { send } = await serve(t, portalLink(), new RelayError("unavailable", "The store does not answer."));
  const answer = await send("POST", "/pay", { "accept-language": "it" });
  assert.deepEqual([answer.status, answer.headers.get("retry-after")], [503, "2"]);
  assert.match(answer.text, /Riprova tra poco/);
});

test("a page that says that it is from elsewhere begins nothing; one that says nothing, or hides its address as ours does, is admitted", async (t) => {
  const press = async (headers: { [name: string]: string }, ownOrigin = false) => {
    // A server each: an address has so many presses in a second.
    const { send, asked, url } = await serve(t, portalLink());
    const { status, location } = await send("POST", "/pay", ownOrigin ? { origin: url } : headers);
    return { status, location, asked: asked.pay };
  };
  const back = { status: 303, location: `/l/${portalLink().token}`, asked: 0 };
  assert.deepEqual(await press({ "sec-fetch-site": "cross-site", origin: "null" }), back);
  assert.deepEqual(await press({ "sec-fetch-site": "same-site" }), back);
  assert.deepEqual(await press({ origin: "https://evil.example" }), back);
  assert.deepEqual(await press({ origin: "file://" }), back);
  const admitted = { status: 200, location: null, asked: 1 };
  assert.deepEqual(await press({ "sec-fetch-site": "same-origin" }), admitted);
  assert.deepEqual(await press({ origin: "null" }), admitted);
  assert.deepEqual(await press({ origin: "https://relay.example" }), admitted);
  assert.deepEqual(await press({}), admitted);
  assert.deepEqual(await press({}, true), admitted);
});

test("whoever comes back is told how it went, and may try again only where that is of use", async (t) => {
  const at = async (link: PortalLinkRecord) => (await (await serve(t, link)).send("GET", "/return")).text;
  assert.match(await at(portalLink([attempt(1, "failed")])), /<h1>The payment was not made<\/h1>[\s\S]*href="\/l\//);
  assert.match(await at(portalLink([attempt(1, "failed", { resultCode: "GW_20090" })])), /You cancelled the payment[\s\S]*href="\/l\//);
  assert.doesNotMatch(await at(portalLink([attempt(1, "failed")], { state: "CANCELLED" })), /href=/);
  assert.match(await at(portalLink([PAID], { state: "PAID" })), /<h1>Paid<\/h1>/);
  assert.match(await at(portalLink()), /<form method="post"/);
  const waits = await at(portalLink([attempt(1, "open")]));
  assert.match(waits, /<h1>Confirming your payment<\/h1>[\s\S]*<p id="back" hidden><a class="button" href="\/l\//);
  assert.match(waits, /url=\/l\/\w+\/return\?n=1/);
  // Its hour is over here, and the gateway may have taken the money at the last moment.
  const { settled: _, ...ended } = attempt(1, "failed");
  for (const state of ["PENDING", "CANCELLED", "EXPIRED"] as const) {
    assert.match(await at(portalLink([ended], { state })), /<h1>Confirming your payment<\/h1>/, state);
  }
});

test("every page meets WCAG AA, in both themes and widths", { skip: NO_BROWSER }, async (t) => {
  const links = [
    { path: "", link: portalLink() },
    { path: "", link: portalLink([PAID], { state: "PAID" }) },
    { path: "", link: portalLink([], { state: "EXPIRED" }) },
    { path: "/return", link: portalLink([attempt(1, "failed")]) },
    { path: "/return", link: portalLink([attempt(1, "open")]) },
  ];
  const page = await openPage(t);
  for (const { path, link } of links) {
    const { url } = await serve(t, link);
    for (const [colorScheme, width] of LOOKS) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 640 });
      await page.goto(`${url}/l/${link.token}${path}`);
      assert.deepEqual(await axeViolations(page), [], `${link.state} ${path} ${colorScheme} ${width}`);
      assert.equal(await page.evaluate(FITS), true, "it is wider than its window");
    }
  }
});
