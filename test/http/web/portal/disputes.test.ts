import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { DISPUTE_FILE_BYTES_MAX, DISPUTE_STATEMENT_LENGTH_MAX } from "../../../../engine/disputes/words.ts";
import type { DisputeJson } from "../../../../http/surfaces/merchant/disputes/schemas.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import { ALERTS, DISPUTE_HANDLERS, DISPUTES, disputeOf, fileOf, inDays, NO_STATS } from "./fake-disputes.ts";
import {
  type FakeHandler,
  type FakeRequest,
  fakeRelay,
  LINK_TRANSACTION,
  MERCHANT,
  meOf,
  OVERVIEW,
  sessionOf,
  taskOf,
  terminalsOf,
} from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Readonly<Record<string, FakeHandler>> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  "GET /overview": () => ({ data: OVERVIEW }),
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /transactions/*": () => ({ data: LINK_TRANSACTION }),
  ...DISPUTE_HANDLERS,
};
const HOUR_MS = 3_600_000;

const VIEWER = { "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) };

const drawer = (page: Page) => page.locator("dialog.drawer");
const dialog = (page: Page) => page.locator("dialog.dialog");
const callsTo = (calls: readonly FakeRequest[], name: string) => calls.filter(({ method, path }) => `${method} ${path}` === name);
const pathOf = ({ id }: DisputeJson) => `/portal/disputes/${id}`;

const pdf = (name: string, bytes = 1_000) => ({ name, mimeType: "application/pdf", buffer: Buffer.alloc(bytes, "%PDF-1.7 ") });

/** Creates a relay that stores the changes of one dispute, as far as the page needs it. */
function relayOf(begun: DisputeJson): {
  handlers: Record<string, FakeHandler>;
  now: () => DisputeJson;
  set: (next: Partial<DisputeJson>) => DisputeJson;
} {
  let dispute = begun;
  let stored = 0;
  const set = (next: Partial<DisputeJson>): DisputeJson => {
    stored += 1;
    dispute = { ...dispute, ...next, updatedAt: new Date(Date.parse(begun.updatedAt) + stored * 1_000).toISOString() };
    return dispute;
  };
  const handlers: Record<string, FakeHandler> = {
    ...ANNA,
    "GET /disputes/*": () => ({ data: dispute }),
    "PUT /disputes/*/draft": ({ body }) => ({ data: set({ draft: Object(body) }) }),
    "POST /disputes/*/evidence": ({ query }) => {
      const file = fileOf({ id: `dpf_${stored}`, name: `file-${stored}.pdf`, bytes: 1_000 });
      const category = query.get("category") === "DELIVERY" ? "DELIVERY" : "OTHER";
      return { status: 201, data: { fileId: file.id, dispute: set({ files: [...dispute.files, { ...file, category }] }) } };
    },
    "DELETE /disputes/*/evidence/*": ({ path }) => ({ data: set({ files: dispute.files.filter(({ id }) => !path.endsWith(id)) }) }),
  };
  return { handlers, now: () => dispute, set };
}

test(
  "shows the board in order of due times, opens a dispute from its card, and opens the filtered list from the figures",
  skip,
  async (t) => {
    const { url, page, faults } = await openPortal(t);
    const { calls } = await fakeRelay(page, ANNA);
    const column = (name: string) => page.getByRole("region", { name });
    await page.goto(`${url}/portal/disputes`);
    await column("To answer").getByText("Evidence required").waitFor();
    // The most urgent comes first. An ended dispute needs no answer.
    assert.deepEqual(await column("To answer").locator(".badge").allTextContents(), ["Evidence required", "Open"]);
    assert.match((await column("To answer").locator(".case").first().textContent()) ?? "", /11 h 5\d min left|12 h 0 min left/);
    assert.deepEqual(await column("Alerts to decide").locator(".badge").allTextContents(), ["Alert (pre-dispute)"]);
    assert.deepEqual(await column("Under review").locator(".badge").allTextContents(), ["Under review"]);
    assert.deepEqual((await column("Ended").locator(".badge").allTextContents()).sort(), ["Expired", "Lost", "Lost", "Won"]);

    await column("To answer").locator(".case").first().click();
    await drawer(page).getByText("The card network requests evidence").waitFor();
    assert.equal(new URL(page.url()).pathname, pathOf(DISPUTES.prepared));
    await page.keyboard.press("Escape");
    await column("Alerts to decide").locator(".case").click();
    await drawer(page).getByText("The customer has complained to the bank").waitFor();
    assert.equal(new URL(page.url()).pathname, `/portal/alerts/${ALERTS.pending.id}`);

    await page.goto(`${url}/portal/disputes`);
    await page.getByRole("link", { name: /^Due within 3 days/ }).click();
    await page.getByText("in total").waitFor();
    assert.equal(new URL(page.url()).search, "?view=list&dueWithinDays=3");
    const asked = callsTo(calls, "GET /disputes").at(-1)?.query;
    assert.deepEqual(Object.fromEntries(asked ?? []), { dueWithinDays: "3", limit: "50" });
    assert.deepEqual(faults, []);
  },
);

test("keeps the filters of the list in its address, skips invalid ones, and opens alerts on their own page", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  const asked = () => Object.fromEntries(callsTo(calls, "GET /disputes").at(-1)?.query ?? []);
  const fields = page.locator(".filters-desk");
  await page.goto(`${url}/portal/disputes?view=list&status=NONSENSE&dueWithinDays=9999&terminalId=a%20b`);
  await page.getByText("9 disputes in total").waitFor();
  assert.deepEqual(asked(), { limit: "50" });
  await page.goto(`${url}/portal/disputes?view=list`);
  await fields.getByLabel("State").selectOption("WON");
  await eventually(() => assert.deepEqual(asked(), { status: "WON", limit: "50" }));
  await fields.getByLabel("State").selectOption("");
  await fields.getByLabel("Reason").selectOption("FRAUD");
  await fields.getByLabel("Stage").selectOption("CHARGEBACK");
  await fields.getByLabel("Due within").selectOption("7");
  await fields.getByLabel("Terminal").fill("SIM00001");
  await fields.getByLabel("Search").fill("9182736450");
  await fields.getByLabel("Include alerts").uncheck();
  await eventually(() =>
    assert.deepEqual(asked(), {
      ...{ category: "FRAUD", stage: "CHARGEBACK", dueWithinDays: "7", terminalId: "SIM00001", q: "9182736450", includeAlerts: "false" },
      limit: "50",
    }),
  );
  assert.match(page.url(), /view=list.*category=FRAUD/);
  await fields.getByRole("button", { name: "Clear filters" }).click();
  await page.getByText("9 disputes in total").waitFor();
  await page.locator("main .row-button").first().click();
  await drawer(page).getByText("Alert id").waitFor();
});

test("keeps typed text until it is saved, asks before discarding it, and lets no other draft replace it", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const relay = relayOf(disputeOf({ draft: { statement: null, fields: { ownField: "kept" } } }));
  const { calls } = await fakeRelay(page, relay.handlers);
  await page.goto(url + pathOf(relay.now()));
  const statement = drawer(page).getByLabel("Statement");
  await statement.fill("It was handed over on Saturday.");
  await drawer(page).getByLabel("Tracking number").fill("1Z999");
  await drawer(page).getByText("Not saved yet").waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).getByText("Everything you wrote since the last save will be lost.").waitFor();
  await dialog(page).getByRole("button", { name: "Keep editing" }).click();
  assert.equal(await statement.inputValue(), "It was handed over on Saturday.");

  // Another user saves a draft, which the next refresh shows.
  relay.set({ draft: { statement: "Theirs", fields: {} } });
  await drawer(page).getByText("Somebody else has saved another draft.").waitFor();
  assert.equal(await statement.inputValue(), "It was handed over on Saturday.");
  await drawer(page).getByRole("button", { name: "Save draft" }).click();
  await page.getByText("The draft is saved.").waitFor();
  assert.deepEqual(callsTo(calls, `PUT /disputes/${relay.now().id}/draft`).at(-1)?.body, {
    statement: "It was handed over on Saturday.",
    fields: { ownField: "kept", trackingNumber: "1Z999" },
  });
  assert.equal(await drawer(page).getByText("Somebody else has saved").count(), 0);
  await drawer(page).getByText("Saved", { exact: true }).waitFor();

  // Without unsaved changes, the page shows what others save.
  relay.set({ draft: { statement: "Theirs again", fields: {} } });
  await eventually(async () => assert.equal(await statement.inputValue(), "Theirs again"));
  await page.keyboard.press("Escape");
  await drawer(page).waitFor({ state: "detached" });
  assert.deepEqual(faults, []);
});

test("keeps a rejected draft as it was typed, with the reason", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const relay = relayOf(disputeOf());
  await fakeRelay(page, { ...relay.handlers, "PUT /disputes/*/draft": () => ({ status: 503, code: "unavailable" }) });
  await page.goto(url + pathOf(relay.now()));
  await drawer(page).getByLabel("Statement").fill("It was handed over.");
  await drawer(page).getByRole("button", { name: "Save draft" }).click();
  await drawer(page).getByText("Part of the service is not available").waitFor();
  assert.equal(await drawer(page).getByLabel("Statement").inputValue(), "It was handed over.");
  await drawer(page)
    .getByLabel("Statement")
    .fill("x".repeat(DISPUTE_STATEMENT_LENGTH_MAX + 1));
  await drawer(page).getByText("At most 10,000 characters.").waitFor();
  await drawer(page).getByText("10,001 of 10,000 characters").waitFor();
});

test("checks files before it sends them one after the other, explains rejections, and asks before it removes one", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const relay = relayOf(disputeOf());
  let atOnce = 0;
  let atOnceMax = 0;
  const answers = [
    { status: 415, code: "file_type" },
    { status: 503, code: "unavailable" },
  ];
  const { calls } = await fakeRelay(page, {
    ...relay.handlers,
    "POST /disputes/*/evidence": async (request) => {
      atOnce += 1;
      atOnceMax = Math.max(atOnceMax, atOnce);
      await new Promise((resolve) => setTimeout(resolve, 150));
      atOnce -= 1;
      return answers.shift() ?? (await relay.handlers["POST /disputes/*/evidence"]?.(request)) ?? assert.fail();
    },
  });
  await page.goto(url + pathOf(relay.now()));
  const input = drawer(page).locator("input[type=file]");
  const posts = () => callsTo(calls, `POST /disputes/${relay.now().id}/evidence`);
  assert.equal(await drawer(page).getByLabel("Type of the next files").inputValue(), "DELIVERY", "what is looked for first");
  await input.setInputFiles([
    { name: "page.html", mimeType: "text/html", buffer: Buffer.from("<p>") },
    { name: "sheet.xlsm", mimeType: "application/octet-stream", buffer: Buffer.from("PK") },
    { name: "empty.pdf", mimeType: "application/pdf", buffer: Buffer.alloc(0) },
    pdf("large.pdf", DISPUTE_FILE_BYTES_MAX + 1),
  ]);
  await drawer(page).locator(".file-problem").nth(3).waitFor();
  assert.equal(await drawer(page).locator(".file-problem", { hasText: "This file type is not accepted." }).count(), 2);
  await drawer(page).getByText("The file is empty. Choose another one.").waitFor();
  await drawer(page).getByText("The file has 10.1 MB. The maximum is 10 MB.").waitFor();
  assert.equal(posts().length, 0);
  await drawer(page).getByRole("button", { name: "Remove large.pdf from the list" }).click();
  assert.equal(await drawer(page).getByText("large.pdf", { exact: true }).count(), 0);

  await input.setInputFiles([pdf("renamed.pdf"), pdf("lost.pdf"), pdf("good.pdf")]);
  await drawer(page).locator(".file-problem", { hasText: "The content does not match the file name" }).waitFor();
  await drawer(page).locator(".file-problem", { hasText: "Part of the service is not available" }).waitFor();
  await drawer(page).getByText("1 of 20 files").waitFor();
  assert.equal(atOnceMax, 1);
  assert.deepEqual(
    posts().map(({ query, headers }) => [query.get("category"), headers["x-relay-portal"]]),
    Array.from({ length: 3 }, () => ["DELIVERY", "1"]),
  );
  // For screen readers.
  assert.match((await drawer(page).locator('p[role="status"]').last().textContent()) ?? "", /good\.pdf was added/);
  await drawer(page).getByRole("button", { name: "Upload lost.pdf again" }).click();
  await drawer(page).getByText("2 of 20 files").waitFor();

  const [first] = relay.now().files;
  assert.ok(first !== undefined);
  await drawer(page)
    .getByRole("button", { name: `Remove ${first.name}` })
    .click();
  await dialog(page).getByText(`${first.name} will be deleted.`).waitFor();
  await dialog(page).getByRole("button", { name: "Remove", exact: true }).click();
  await drawer(page).getByText("1 of 20 files").waitFor();
  assert.equal(relay.now().files.length, 1);
  assert.deepEqual(faults, [], "refusals are answers, not faults");
});

test("offers no second upload of a file that was stored although its response was lost", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const relay = relayOf(disputeOf());
  const { calls } = await fakeRelay(page, relay.handlers);
  await page.route("**/evidence?*", async (route) => {
    relay.set({ files: [fileOf({ category: "DELIVERY", bytes: 1_000 })] });
    await route.abort("connectionreset");
  });
  await page.goto(url + pathOf(relay.now()));
  await drawer(page).locator("input[type=file]").setInputFiles(pdf("lost.pdf"));
  await drawer(page).getByText("1 of 20 files").waitFor();
  await drawer(page)
    .getByRole("link", { name: /^Download receipt/ })
    .waitFor();
  assert.equal(await drawer(page).locator(".file").count(), 1);
  assert.equal(callsTo(calls, `POST /disputes/${relay.now().id}/evidence`).length, 0);
});

test("shows the progress of an upload, lets the user stop it, warns before leaving, and blocks a submission meanwhile", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const relay = relayOf(disputeOf());
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await fakeRelay(page, {
    ...relay.handlers,
    "POST /disputes/*/evidence": async () => {
      await held;
      return { status: 503, code: "unavailable" };
    },
  });
  await page.goto(url + pathOf(relay.now()));
  await drawer(page)
    .locator("input[type=file]")
    .setInputFiles([pdf("slow.pdf"), pdf("next.pdf")]);
  await drawer(page).getByRole("progressbar", { name: "slow.pdf" }).waitFor();
  await drawer(page)
    .getByText(/Being checked|% uploaded/)
    .waitFor();
  await drawer(page).getByText("Waiting").waitFor();
  await drawer(page).getByRole("button", { name: "Preview and submit" }).click();
  await drawer(page).getByText("Wait until all files are uploaded.").waitFor();
  await page.keyboard.press("Escape");
  await dialog(page).getByText("Uploads that are not finished will be cancelled.").waitFor();
  await dialog(page).getByRole("button", { name: "Keep editing" }).click();
  await drawer(page).getByRole("button", { name: "Stop the upload of next.pdf" }).click();
  await drawer(page).getByRole("button", { name: "Stop the upload of slow.pdf" }).click();
  await drawer(page).getByText("No files yet.").waitFor();
  release();
  await page.keyboard.press("Escape");
  await drawer(page).waitFor({ state: "detached" });
});

test("previews the response and sends it once, even after a lost response or a double click", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const relay = relayOf(disputeOf());
  let away = true;
  const { calls } = await fakeRelay(page, {
    ...relay.handlers,
    "POST /disputes/*/respond": () =>
      away ? { status: 503, code: "unavailable" } : { data: relay.set({ status: "UNDER_REVIEW", answerable: false }) },
  });
  await page.goto(url + pathOf(relay.now()));
  await drawer(page).getByRole("button", { name: "Preview and submit" }).click();
  await drawer(page).getByText("Write a statement or add a file first.").waitFor();
  await drawer(page).getByLabel("Statement").fill("It was handed over.\nOn Saturday.");
  await drawer(page).getByLabel("Carrier").fill("Corriere Nord");
  await drawer(page).locator("input[type=file]").setInputFiles(pdf("note.pdf"));
  await drawer(page).getByText("1 of 20 files").waitFor();
  await drawer(page).getByRole("button", { name: "Preview and submit" }).click();
  await dialog(page).getByText("You can send it only once, and cannot change or withdraw it.").waitFor();
  await dialog(page).getByText("Corriere Nord").waitFor();
  await dialog(page).getByText("1 file", { exact: true }).waitFor();
  await dialog(page).getByRole("button", { name: "Submit response" }).dblclick();
  await dialog(page).getByText("Part of the service is not available").waitFor();
  away = false;
  await dialog(page).getByRole("button", { name: "Submit response" }).click();
  await drawer(page).getByText("Your response was submitted.").waitFor();
  const posts = callsTo(calls, `POST /disputes/${relay.now().id}/respond`);
  assert.equal(posts.length, 2);
  assert.deepEqual(posts[0]?.body, {
    ...{ action: "CHALLENGE", statement: "It was handed over.\nOn Saturday.", fields: { carrier: "Corriere Nord" } },
    fileIds: relay.now().files.map(({ id }) => id),
  });
  assert.match(posts[0]?.headers["idempotency-key"] ?? "", /^[0-9a-f]{32}$/);
  assert.equal(posts[1]?.headers["idempotency-key"], posts[0]?.headers["idempotency-key"]);
  assert.equal(await drawer(page).getByRole("button", { name: "Preview and submit" }).count(), 0);
  // A submitted response is not a draft any more.
  await page.keyboard.press("Escape");
  await drawer(page).waitFor({ state: "detached" });
  assert.deepEqual(faults, []);
});

test("asks before it accepts the loss, and sends nothing of the draft", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const relay = relayOf(disputeOf({ draft: { statement: "A draft", fields: {} } }));
  const { calls } = await fakeRelay(page, {
    ...relay.handlers,
    "POST /disputes/*/respond": () => ({
      data: relay.set({ status: "LOST", answerable: false, outcome: { result: "LOST", by: "accepted", at: "2026-11-25T10:00:00.000Z" } }),
    }),
  });
  await page.goto(url + pathOf(relay.now()));
  await drawer(page).getByRole("button", { name: "Accept loss" }).click();
  await dialog(page).getByText("Accept the loss of €49.90?").waitFor();
  await dialog(page).getByRole("button", { name: "Accept loss" }).click();
  await drawer(page).getByText("You accepted the loss.").waitFor();
  assert.deepEqual(
    callsTo(calls, `POST /disputes/${relay.now().id}/respond`).map(({ body }) => body),
    [{ action: "ACCEPT" }],
  );
});

test("tells a late user about the deadline, and shows the current state of the dispute", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const relay = relayOf(disputeOf({ draft: { statement: "A draft", fields: {} } }));
  await fakeRelay(page, {
    ...relay.handlers,
    "POST /disputes/*/respond": () => {
      relay.set({ status: "EXPIRED", answerable: false });
      return { status: 409, code: "deadline_passed" };
    },
  });
  await page.goto(url + pathOf(relay.now()));
  await drawer(page).getByRole("button", { name: "Preview and submit" }).click();
  await dialog(page).getByRole("button", { name: "Submit response" }).click();
  await page.getByText("The deadline has passed. Nothing was sent.").first().waitFor();
  await drawer(page).getByText("Nobody answered in time.").waitFor();
  assert.equal(await drawer(page).getByRole("button", { name: "Preview and submit" }).count(), 0);
});

test("offers nothing more when the deadline passes while the page is open", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const relay = relayOf(disputeOf({ respondBy: new Date(Date.now() + HOUR_MS).toISOString() }));
  await fakeRelay(page, relay.handlers);
  await page.clock.install();
  await page.goto(url + pathOf(relay.now()));
  await drawer(page).getByRole("button", { name: "Preview and submit" }).waitFor();
  await page.clock.fastForward(HOUR_MS);
  await drawer(page).getByText("The deadline has passed. The dispute will show Expired within a minute").waitFor();
  assert.equal(await drawer(page).getByRole("button", { name: "Preview and submit" }).count(), 0);
});

test("explains each end with its submitted response, and tells viewers whom to ask", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  for (const [dispute, shows] of [
    [DISPUTES.review, "Your response was submitted."],
    [DISPUTES.won, "You won: you keep the money."],
    [DISPUTES.lost, "You lost: the card network decided for the customer"],
    [DISPUTES.accepted, "You accepted the loss."],
    [DISPUTES.expired, "Nobody answered in time."],
  ] as const) {
    await page.goto(url + pathOf(dispute));
    await drawer(page).getByText(shows).waitFor();
    assert.equal(
      await drawer(page)
        .getByRole("button", { name: /Preview|Accept|Save|Add files|^Remove/ })
        .count(),
      0,
      dispute.status,
    );
  }
  await page.goto(url + pathOf(DISPUTES.won));
  await drawer(page).getByText("Response 2 · Received by the network").waitFor();
  await drawer(page).getByText("Response 1 · Rejected by the network").waitFor();
  assert.equal(
    await drawer(page)
      .getByRole("link", { name: /^Download/ })
      .first()
      .getAttribute("href"),
    `/api/merchant/disputes/${DISPUTES.won.id}/evidence/${DISPUTES.won.files[0]?.id}`,
  );

  await page.unrouteAll();
  await fakeRelay(page, { ...ANNA, ...VIEWER });
  await page.goto(url + pathOf(DISPUTES.prepared));
  await drawer(page).getByText("Your role cannot answer disputes. Ask a colleague who can.").waitFor();
  assert.equal(
    await drawer(page)
      .getByRole("button", { name: /Preview|Accept|Save|Add files|^Remove/ })
      .count(),
    0,
  );
  assert.equal(
    await drawer(page)
      .getByRole("link", { name: /^Download/ })
      .count(),
    0,
  );
});

test("names the complaints of a payment and why it is not refunded, and links to both from the overview's tasks", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const tasks = [
    taskOf({ kind: "dispute_due", subject: DISPUTES.open.id, dueAt: DISPUTES.open.respondBy, category: "NOT_RECEIVED" }),
    taskOf({ kind: "alert_pending", subject: ALERTS.pending.id, dueAt: inDays(0.8), category: "FRAUD" }),
  ];
  await fakeRelay(page, {
    ...ANNA,
    "GET /transactions": () => ({ data: { items: [], next: null } }),
    "GET /overview": () => ({ data: { ...OVERVIEW, tasks } }),
    "GET /transactions/*": () => ({
      data: {
        ...{ ...LINK_TRANSACTION, refund: { possible: false, reason: "under_dispute" } },
        ...{ disputes: [{ id: DISPUTES.open.id, status: "OPEN", respondBy: DISPUTES.open.respondBy }] },
        alerts: [{ id: ALERTS.pending.id, state: "PENDING", respondBy: ALERTS.pending.respondBy }],
      },
    }),
  });
  await page.goto(`${url}/portal/transactions/${LINK_TRANSACTION.uuid}`);
  await drawer(page).getByText("The customer disputes this payment with the bank. It cannot be refunded").waitFor();
  assert.equal(await drawer(page).getByRole("button", { name: "Refund" }).count(), 0);
  assert.deepEqual(await drawer(page).locator(".complaints .badge").allTextContents(), ["Open", "Alert (pre-dispute)"]);
  await drawer(page).getByRole("link", { name: "Open the dispute" }).click();
  await drawer(page).getByText("Your response").waitFor();
  await drawer(page).getByRole("link", { name: "Open transaction" }).click();
  await drawer(page).getByRole("link", { name: "Open the alert" }).click();
  await drawer(page).getByText("Alert id").waitFor();

  await page.goto(`${url}/portal`);
  await page.getByText("Decide on an alert").waitFor();
  await page.getByRole("link", { name: "Not received" }).click();
  await drawer(page).getByText("Your response").waitFor();
});

test("shows a short text without disputes, reports an unknown id, and explains why the board cannot be loaded", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let away = false;
  await fakeRelay(page, {
    ...ANNA,
    "GET /disputes/stats": () => ({ data: NO_STATS }),
    "GET /disputes": () => (away ? { status: 503, code: "unavailable" } : { data: { items: [], next: null } }),
    "GET /disputes/*": () => ({ status: 404, code: "not_found" }),
  });
  await page.goto(`${url}/portal/disputes`);
  await page.getByText("No disputes").waitFor();
  await page.getByText("None closed yet").waitFor();
  await page.goto(`${url}/portal/disputes/none`);
  await drawer(page).getByText("Dispute not found").waitFor();
  away = true;
  await page.goto(`${url}/portal/disputes`);
  await page.getByText("Not available at the moment").waitFor();
});
