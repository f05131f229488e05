import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import type { PaymentLinkJson } from "../../../../http/surfaces/merchant/payment-links/schemas.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { axeViolations } from "../../../support/node/portal-faults.ts";
import { eventually } from "../../../support/within.ts";
import {
  type FakeHandler,
  type FakeRequest,
  fakeRelay,
  LINK_TRANSACTION,
  LINKS,
  linkAt,
  linkOf,
  MERCHANT,
  meOf,
  OVERVIEW,
  PAYMENT_LINKS,
  sessionOf,
  TRANSACTION,
  TRANSACTIONS,
  taskOf,
  terminalsOf,
} from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Record<string, FakeHandler> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  "GET /overview": () => ({ data: OVERVIEW }),
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  "GET /transactions/*": () => ({ data: LINK_TRANSACTION }),
  "GET /payment-links": () => ({ data: PAYMENT_LINKS }),
  "GET /payment-links/*": linkAt,
};

const HOUR_MS = 3_600_000;

const VIEWER = { "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) };

const rows = (page: Page) => page.locator("main .row-button");
const badges = (page: Page) => page.locator("main .badge").allTextContents();
const drawer = (page: Page) => page.locator("dialog.drawer");
const dialog = (page: Page) => page.locator("dialog.dialog");

async function writeLink(page: Page, amount: string, description: string): Promise<void> {
  await page.locator("main").getByRole("button", { name: "New link" }).first().click();
  await dialog(page).getByLabel("Amount").fill(amount);
  await dialog(page).getByLabel("Description").fill(description);
}

const postsOf = (calls: readonly FakeRequest[], path: RegExp) => calls.filter((call) => call.method === "POST" && path.test(call.path));
const keyOf = ({ headers }: FakeRequest) => headers["idempotency-key"] ?? "";

test("the list names every state, and what needs somebody before the rest", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}/portal/payment-links`);
  await rows(page).nth(7).waitFor();
  assert.deepEqual(await badges(page), ["Pending", "Pending", "Paid", "Paid late", "Paid twice", "Refunded", "Cancelled", "Expired"]);
  assert.deepEqual(faults, []);
});

test(
  "filters stand in the address and go to the interface; an address of somebody who sees more is asked without the customer",
  skip,
  async (t) => {
    const { url, page } = await openPortal(t);
    const { calls } = await fakeRelay(page, ANNA);
    const asked = () => Object.fromEntries(calls.filter(({ path }) => path === "/payment-links").at(-1)?.query ?? []);
    await page.goto(`${url}/portal/payment-links?state=NONSENSE&from=never`);
    await rows(page).nth(7).waitFor();
    assert.deepEqual(asked(), { limit: "50" });
    await page.locator(".filters-desk").getByLabel("State").selectOption("PAID");
    await page.locator(".filters-desk").getByLabel("Customer’s e-mail").fill("chiara.conti@example.com");
    await page.locator(".filters-desk").getByLabel("Search").fill("ORDER-7");
    await eventually(() => {
      const { state, customerEmail, q } = asked();
      assert.deepEqual([state, customerEmail, q], ["PAID", "chiara.conti@example.com", "ORDER-7"]);
    });
    const address = page.url();
    assert.match(address, /customerEmail=chiara/);

    await page.unrouteAll();
    const viewer = await fakeRelay(page, { ...ANNA, ...VIEWER });
    await page.goto(address);
    await rows(page).nth(7).waitFor();
    assert.equal(viewer.calls.find(({ path }) => path === "/payment-links")?.query.has("customerEmail"), false);
    assert.equal(await page.locator(".filters-desk").getByLabel("Customer’s e-mail").count(), 0);
  },
);

test("what changes elsewhere is shown at the next refresh; who reads further back is not disturbed", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let items: PaymentLinkJson[] = [LINKS.pending];
  let next: string | null = null;
  await fakeRelay(page, {
    ...ANNA,
    "GET /payment-links": ({ query }) => ({ data: query.has("cursor") ? { items: [LINKS.expired], next: null } : { items, next } }),
  });
  await page.goto(`${url}/portal/payment-links`);
  await rows(page).first().waitFor();
  assert.deepEqual(await badges(page), ["Pending"]);
  items = [{ ...LINKS.paid, id: LINKS.pending.id }];
  next = "more";
  await page.locator("main .badge", { hasText: "Paid" }).waitFor();
  await page.getByRole("button", { name: "Load more" }).click();
  await page.getByText("2 payment links in total").waitFor();
  assert.deepEqual(await badges(page), ["Paid", "Expired"]);
});

test(
  "a double click makes one link; after an answer that did not come the same request goes out again, and other contents are another",
  skip,
  async (t) => {
    const { url, page, faults } = await openPortal(t);
    const fails = [
      { status: 503, code: "unavailable" },
      // What nobody waited for any more is still being done: that is no refusal.
      { status: 409, code: "idempotency_key_in_use" },
    ];
    const { calls } = await fakeRelay(page, {
      ...ANNA,
      "POST /payment-links": ({ body }) =>
        fails.shift() ?? { status: 201, data: linkOf({ description: String(Object(body)["description"]) }) },
    });
    await page.goto(`${url}/portal/payment-links`);
    await writeLink(page, "1,234.50", "Two tickets");
    // How the amount was read stands below it.
    await dialog(page).getByText("= €1,234.50").waitFor();
    await dialog(page).getByRole("button", { name: "Create link" }).dblclick();
    await dialog(page).getByText("Part of the service is not available").waitFor();
    await dialog(page).getByRole("button", { name: "Create link" }).click();
    await dialog(page).getByText("Your request is still being processed.").waitFor();
    await dialog(page).getByRole("button", { name: "Create link" }).click();
    await page.getByText("The link is ready").waitFor();
    const [first, again, third, ...more] = postsOf(calls, /^\/payment-links$/);
    assert.ok(first !== undefined && again !== undefined && third !== undefined && more.length === 0);
    assert.deepEqual(first.body, { amountMinor: 123_450, currency: "EUR", description: "Two tickets", expiresInHours: 168 });
    assert.match(keyOf(first), /^[0-9a-f]{32}$/);
    assert.deepEqual([keyOf(again), keyOf(third)], [keyOf(first), keyOf(first)]);

    await dialog(page).getByRole("button", { name: "Create another link" }).click();
    await dialog(page).getByLabel("Amount").fill("5");
    await dialog(page).getByLabel("Description").fill("A cup");
    await dialog(page).getByLabel("Reference").fill("ORDER-8");
    await dialog(page).getByLabel("Customer’s e-mail").fill("chiara.conti@example.com");
    await dialog(page).getByLabel("Valid for").selectOption("other");
    await dialog(page).getByLabel("Hours").fill("2161");
    await page.keyboard.press("Enter");
    assert.equal(await dialog(page).getByText("From 1 to 2160 hours.").count(), 2, "the hint, and that it is wrong");
    assert.equal(postsOf(calls, /^\/payment-links$/).length, 3);
    await dialog(page).getByLabel("Hours").fill("36");
    await page.keyboard.press("Enter");
    await page.getByText("The link is ready").waitFor();
    const last = postsOf(calls, /^\/payment-links$/).at(-1);
    assert.ok(last !== undefined);
    assert.deepEqual(last.body, {
      ...{ amountMinor: 500, currency: "EUR", description: "A cup", expiresInHours: 36 },
      ...{ reference: "ORDER-8", customerEmail: "chiara.conti@example.com" },
    });
    assert.notEqual(keyOf(last), keyOf(first));
    assert.deepEqual(faults, []);
  },
);

test("an amount with two readings is asked about, and the answer is in the field", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, { ...ANNA, "POST /payment-links": () => ({ status: 201, data: linkOf() }) });
  await page.goto(`${url}/portal/payment-links`);
  await writeLink(page, "12,345", "A piano");
  const status = dialog(page).getByRole("status").filter({ hasText: /./ });
  assert.equal(await status.textContent(), "Which amount do you mean?");
  await page.keyboard.press("Enter");
  await dialog(page).getByText("Choose the amount that you mean.").waitFor();
  assert.equal(postsOf(calls, /^\/payment-links$/).length, 0);
  const answers = dialog(page).locator(".amount-echo").getByRole("button");
  assert.deepEqual(await answers.allTextContents(), ["€12,345.00", "€12.35"]);
  assert.deepEqual(await axeViolations(page), []);
  await answers.first().click();
  assert.equal(await dialog(page).getByLabel("Amount").inputValue(), "12345.00");
  assert.equal(await status.textContent(), "= €12,345.00");
  // The focus is in the field again, so Enter sends the form.
  await page.keyboard.press("Enter");
  await page.getByText("The link is ready").waitFor();
  assert.equal(Object(postsOf(calls, /^\/payment-links$/)[0]?.body)["amountMinor"], 1_234_500);
});

test("an amount is read as the person's language writes it, in the decimals of its currency", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: sessionOf({ locale: "it" }) }) });
  await page.goto(`${url}/portal/payment-links`);
  await page.locator("main").getByRole("button", { name: "Nuovo link" }).first().click();
  const amount = dialog(page).getByLabel("Importo");
  const read = (written: string) => dialog(page).getByText(written, { exact: true });
  for (const [typed, shown] of [
    ["12,5", "= 12,50 €"],
    ["12.50", "= 12,50 €"],
    ["1.200,05", "= 1.200,05 €"],
    ["1,200.05", "= 1.200,05 €"],
  ] as const) {
    await amount.fill(typed);
    await read(shown).waitFor();
  }
  await dialog(page).getByLabel("Valuta").selectOption("JPY");
  await amount.fill("1.200");
  await read("= 1.200 JPY").waitFor();
  for (const typed of ["1,2345", "0", "12,", "1.2.3", "-5", "5 €"]) {
    await amount.fill(typed);
    await dialog(page).getByLabel("Valuta").selectOption("EUR");
    await dialog(page).getByRole("button", { name: "Crea link" }).click();
    await dialog(page)
      .locator(".field-wrong")
      .first()
      .getByText(/(Inserisci un importo|L’importo deve)/)
      .waitFor();
  }
});

test(
  "a link is copied, shown as a QR code, downloaded, printed alone, sent, and handed to other programs where the browser can",
  skip,
  async (t) => {
    const { url, page, faults } = await openPortal(t);
    const { calls } = await fakeRelay(page, {
      ...ANNA,
      "POST /payment-links/*/send": () => ({ data: { ...LINKS.pending, mails: 2 } }),
    });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.addInitScript(
      "navigator.share = async (what) => { globalThis.shared = what; }; globalThis.print = () => { globalThis.printed = true; };",
    );
    await page.goto(`${url}/portal/payment-links/${LINKS.pending.id}`);
    await drawer(page).getByRole("button", { name: "Copy link" }).click();
    await eventually(async () => assert.equal(await page.evaluate("navigator.clipboard.readText()"), LINKS.pending.url));
    await drawer(page).getByRole("button", { name: "Share" }).click();
    await eventually(async () =>
      assert.deepEqual(await page.evaluate("globalThis.shared"), {
        ...{ title: "Caffè Duomo", text: "Caffè Duomo: €49.90 for Two tickets for Saturday", url: LINKS.pending.url },
      }),
    );
    await drawer(page).getByRole("button", { name: "QR code" }).click();
    const [file] = await Promise.all([page.waitForEvent("download"), dialog(page).getByRole("link", { name: "Download as SVG" }).click()]);
    assert.equal(file.suggestedFilename(), `${LINKS.pending.id}.svg`);
    assert.match(await readFile(await file.path(), "utf8"), /^<svg /);
    await dialog(page).getByRole("button", { name: "Print" }).click();
    assert.equal(await page.evaluate("globalThis.printed"), true);
    await page.emulateMedia({ media: "print" });
    assert.equal(await page.getByRole("img", { name: /^QR code of/ }).isVisible(), true);
    assert.equal(await page.locator("main .table").isVisible(), false);
    await page.emulateMedia({ media: "screen" });
    await page.keyboard.press("Escape");

    await drawer(page).getByRole("button", { name: "Send by e-mail" }).click();
    assert.equal(await dialog(page).getByLabel("E-mail address").inputValue(), "chiara.conti@example.com");
    await dialog(page).getByLabel("Language of the e-mail").selectOption("it");
    await dialog(page).getByRole("button", { name: "Send e-mail" }).dblclick();
    await page.getByText("The link was sent to chiara.conti@example.com.").waitFor();
    const sent = postsOf(calls, /send$/);
    assert.deepEqual(
      sent.map(({ body }) => body),
      [{ email: "chiara.conti@example.com", locale: "it" }],
    );
    assert.deepEqual(faults, []);
  },
);

test("cancelling says what happens to somebody who is paying, and shows what became of a link that was paid meanwhile", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let link: PaymentLinkJson = LINKS.beingPaid;
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /payment-links/*": () => ({ data: link }),
    "POST /payment-links/*/cancel": () => {
      link = { ...LINKS.paid, id: link.id };
      return { status: 409, code: "not_pending" };
    },
  });
  await page.goto(`${url}/portal/payment-links/${link.id}`);
  await drawer(page).getByText("A customer is on the payment page right now.").waitFor();
  await drawer(page).getByRole("button", { name: "Cancel link" }).click();
  await dialog(page).getByText("can still complete the payment").waitFor();
  await dialog(page).getByRole("button", { name: "Cancel link" }).click();
  await dialog(page).getByText("It is no longer pending").waitFor();
  await page.keyboard.press("Escape");
  await drawer(page).locator(".badge", { hasText: "Paid" }).waitFor();
  assert.equal(await drawer(page).getByRole("button", { name: "Cancel link" }).count(), 0);
  assert.equal(postsOf(calls, /cancel$/).length, 1);
});

test("a link whose time is over is not shared any more, also while it is looked at; it may still be cancelled", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await page.clock.install();
  let expiresAt = new Date(Date.now() - 60_000).toISOString();
  await fakeRelay(page, { ...ANNA, "GET /payment-links/*": () => ({ data: { ...LINKS.pending, expiresAt } }) });
  const share = drawer(page).getByRole("button", { name: "Copy link" });
  const look = async () => {
    await page.goto(`${url}/portal/payment-links/${LINKS.pending.id}`);
    await drawer(page).getByRole("button", { name: "Cancel link" }).waitFor();
  };
  await look();
  await drawer(page).getByText("Time expired").waitFor();
  assert.equal(await share.count(), 0);
  assert.equal(await drawer(page).getByRole("button", { name: "Send by e-mail" }).count(), 0);
  expiresAt = new Date(Date.now() + HOUR_MS).toISOString();
  await look();
  await share.waitFor();
  await page.clock.fastForward(HOUR_MS);
  await share.waitFor({ state: "detached" });
  assert.deepEqual(faults, []);
});

test("who made a link is named in the person's language by what it was, not by the words for programs", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let link: PaymentLinkJson = LINKS.pending;
  await fakeRelay(page, {
    ...ANNA,
    "GET /session": () => ({ data: sessionOf({ locale: "it" }) }),
    "GET /payment-links/*": () => ({ data: link }),
  });
  for (const [creator, createdBy, shown] of [
    ["former_user", "of the interface", "Ex utente"],
    ["agent", "of the interface", "Agente AI"],
    ["key", "of the interface", "Chiave API"],
    ["user", "luca@example.com", "luca@example.com"],
  ] as const) {
    link = { ...LINKS.pending, creator, createdBy };
    await page.goto(`${url}/portal/payment-links/${link.id}`);
    await drawer(page).getByText(shown, { exact: true }).waitFor();
  }
});

test("who may only look sees no way to create, cancel, send or refund, and is told whom to ask", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, ...VIEWER });
  await page.goto(`${url}/portal/payment-links`);
  await rows(page).first().waitFor();
  assert.equal(await page.getByRole("button", { name: "New link" }).count(), 0);
  for (const [link, shows] of [
    [LINKS.pending, "Copy link"],
    [LINKS.late, "Your role cannot refund"],
    [LINKS.twice, "Your role cannot refund"],
  ] as const) {
    await page.goto(`${url}/portal/payment-links/${link.id}`);
    await drawer(page).getByText(shows).waitFor();
    assert.equal(
      await drawer(page)
        .getByRole("button", { name: /Cancel|Send|^Refund|Check again/ })
        .count(),
      0,
    );
  }
});

test("a payment is given back once, after a question and a second factor, and each outcome is told", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const answers = [
    { status: 403, code: "step_up_required" },
    { status: 409, code: "outcome_unknown" },
    { status: 409, code: "refund_refused", message: "Refund window closed" },
    { data: { uuid: LINK_TRANSACTION.uuid, type: "refund", amountMinor: 4_990, currency: "EUR", at: "2026-11-25T12:00:00.000Z" } },
  ];
  let refunded = false;
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /transactions/*": () => ({
      data: refunded ? { ...LINK_TRANSACTION, refund: { possible: false, reason: "already_refunded" } } : LINK_TRANSACTION,
    }),
    "POST /session/step-up": () => ({ data: sessionOf() }),
    "POST /transactions/*/refund": () => {
      const answer = answers.shift() ?? assert.fail("it was asked once too often");
      refunded = answers.length === 0;
      return answer;
    },
  });
  await page.goto(`${url}/portal/transactions/${LINK_TRANSACTION.uuid}`);
  await drawer(page).getByRole("button", { name: "Refund" }).click();
  await dialog(page).getByLabel("Reason").fill("They cannot come");
  await dialog(page).getByRole("button", { name: "Refund €49.90" }).dblclick();
  const question = page.locator("dialog", { hasText: "Confirm it is you" });
  await question.getByLabel("Code").fill("123456");
  await page.keyboard.press("Enter");
  await dialog(page).getByText("We keep checking, and you can check again with the same button").waitFor();
  await dialog(page).getByRole("button", { name: "Check again" }).click();
  await dialog(page).getByText("The card gateway rejected the refund: Refund window closed").waitFor();
  await dialog(page).getByRole("button", { name: "Refund €49.90" }).click();
  await page.getByText("€49.90 was refunded.").waitFor();
  await drawer(page).getByText("This payment has already been refunded.").waitFor();
  assert.equal(await drawer(page).getByRole("button", { name: "Refund" }).count(), 0);
  const posts = postsOf(calls, /refund$/);
  assert.equal(posts.length, 4);
  assert.ok(posts.every(({ body }) => JSON.stringify(body) === '{"reason":"They cannot come"}'));
  assert.ok(posts.every((post) => /^[0-9a-f]{32}$/.test(keyOf(post))));

  // From the transaction to its link, and back.
  await drawer(page).getByRole("link", { name: "Payment link" }).click();
  await drawer(page).getByText("Payment attempts").waitFor();
  assert.equal(new URL(page.url()).pathname, `/portal/payment-links/${LINKS.paid.id}`);
  await drawer(page).getByRole("link", { name: "Transaction of attempt 1" }).click();
  await drawer(page).getByText("Payment id").waitFor();
  assert.equal(new URL(page.url()).pathname, `/portal/transactions/${LINK_TRANSACTION.uuid}`);
});

test("what another browser has refunded first is told, not refunded again", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let link: PaymentLinkJson = LINKS.late;
  await fakeRelay(page, {
    ...ANNA,
    "GET /payment-links/*": () => ({ data: link }),
    "POST /transactions/*/refund": () => {
      link = { ...link, attempts: link.attempts.map((attempt) => ({ ...attempt, refund: "done" as const })) };
      return { status: 409, code: "already_refunded" };
    },
  });
  await page.goto(`${url}/portal/payment-links/${link.id}`);
  await drawer(page).getByText("after you cancelled it").waitFor();
  await drawer(page).getByText("Deliver the order, or refund the payment below.").waitFor();
  await drawer(page).getByRole("button", { name: "Refund" }).click();
  await dialog(page).getByRole("button", { name: "Refund €49.90" }).click();
  await dialog(page).getByText("This payment has already been refunded.").waitFor();
  assert.equal(
    await dialog(page)
      .getByRole("button", { name: /^Refund/ })
      .count(),
    0,
  );
  await page.keyboard.press("Escape");
  await drawer(page).locator(".badge", { hasText: "Refunded" }).waitFor();
});

test("a terminal's payment says where it is refunded, and offers nothing", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /transactions/*": () => ({ data: TRANSACTION }) });
  await page.goto(`${url}/portal/transactions/${TRANSACTION.uuid}`);
  await drawer(page).getByText("Refund it on that terminal").waitFor();
  assert.equal(await drawer(page).getByRole("button", { name: "Refund" }).count(), 0);
  assert.equal(await drawer(page).getByRole("link", { name: "Payment link" }).count(), 0);
});

test("each of the overview's tasks about a link leads to it", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const tasks = [
    taskOf({ kind: "link_late", subject: LINKS.late.id, about: "One seat" }),
    taskOf({ kind: "link_paid_twice", subject: LINKS.twice.id, about: "Two seats" }),
  ];
  await fakeRelay(page, { ...ANNA, "GET /overview": () => ({ data: { ...OVERVIEW, tasks } }) });
  await page.goto(`${url}/portal`);
  await page.getByText("Link paid late").waitFor();
  await page.getByRole("link", { name: "Two seats" }).click();
  await drawer(page).getByText("This link was paid twice.").waitFor();
});
