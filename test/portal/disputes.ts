import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { freePort } from "../../infra/local/free-port.ts";
import { NO_CLICKHOUSE } from "../fault/node-process.ts";
import { assertMatches, member, textMember } from "../support/http/matches.ts";
import { Relay } from "../support/node/relay.ts";
import { mailsTo, type PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { tabTo } from "./keyboard.ts";
import { paidLink } from "./links.ts";
import { shopWithOwner } from "./people.ts";
import { type PortalWorld, type Shop, signIn, stepUp } from "./portal-world.ts";

/** The board asks every fifteen seconds, a case every five; the rest is for a machine that does other things too. */
const NEXT_REFRESH_MS = 30_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MB = 1_048_576;
const LARGE_BYTES = Math.floor(9.9 * MB);

/** A dispute as an administrator brings it in; its id. */
export async function disputed(relay: Relay, shop: Shop, members: { [member: string]: unknown } = {}): Promise<string> {
  const fed = await relay.administrator().post("/admin/disputes", {
    ...{ merchantId: shop.merchantId, network: "VISA", networkCaseId: `C-${relay.uuid().slice(0, 13)}`, stage: "CHARGEBACK" },
    ...{ amountMinor: 4_990, currency: "EUR", reasonCode: "13.1", category: "NOT_RECEIVED" },
    respondBy: new Date(relay.nowMs() + 5 * DAY_MS).toISOString(),
    ...members,
  });
  assert.equal(fed.status, 201, fed.text);
  return textMember(fed.body, "data", "id");
}

/** An alert, in the same way. */
export async function alerted(relay: Relay, shop: Shop, members: { [member: string]: unknown } = {}): Promise<string> {
  const fed = await relay.administrator().post("/admin/alerts", {
    ...{ merchantId: shop.merchantId, source: "ETHOCA", networkRef: `A-${relay.uuid().slice(0, 13)}`, category: "FRAUD" },
    ...{ amountMinor: 4_990, currency: "EUR" },
    ...members,
  });
  assert.equal(fed.status, 201, fed.text);
  return textMember(fed.body, "data", "id");
}

export interface Complaints {
  /** The ids, by what they are. */
  disputes: { readonly [state: string]: string };
  alerts: { readonly [state: string]: string };
}

/** Disputes and alerts of a shop in states that it takes no clock to bring them into; the first about this payment of a terminal, and an alert about one by link. */
export async function complaintsIn(relay: Relay, shop: Shop, { uuid, linkUuid }: { uuid: string; linkUuid: string }): Promise<Complaints> {
  const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
  const ok = async (sent: Promise<{ status: number; text: string }>) => {
    const { status, text } = await sent;
    assert.ok(status < 300, text);
  };
  const said = (id: string, what: string, body?: object) => ok(relay.administrator().post(`/admin/disputes/${id}/${what}`, body));
  const answer = (id: string, body: object) => ok(server.post(`/api/merchant/disputes/${id}/respond`, body));
  const statement = "The table was taken from eight until eleven.\nThe guest signed the receipt.";
  const fields = { customerName: "Chiara Conti", orderNumber: "ORDER-2026-000017" };
  const rules = await server.send("/api/merchant/alert-rules", {
    method: "PUT",
    body: {
      ...{ enabled: true, currency: "EUR", dailyCountMax: 10, dailyAmountMaxMinor: 50_000, seen: 0 },
      rules: [{ id: "small-amounts", amountMaxMinor: 500, sources: ["ETHOCA"], categories: null, methods: null }],
    },
  });
  assert.equal(rules.status, 200, rules.text);
  const alerts = {
    pending: await alerted(relay, shop, { uuid }),
    byLink: await alerted(relay, shop, { uuid: linkUuid }),
    network: await alerted(relay, shop, { source: "RDR" }),
    declined: await alerted(relay, shop, { source: "CDRN", category: "NOT_RECEIVED" }),
  };
  await ok(server.post(`/api/merchant/alerts/${alerts.declined}/decline`, { reason: "The customer has the goods" }));
  const open = await disputed(relay, shop, { uuid, amountMinor: 12_480 });
  const prepared = await disputed(relay, shop, { category: "FRAUD", alertId: alerts.declined });
  await said(prepared, "evidence-requested", {
    respondBy: new Date(relay.nowMs() + 30 * DAY_MS).toISOString(),
    stage: "PRE_ARBITRATION",
  });
  await ok(server.send(`/api/merchant/disputes/${prepared}/draft`, { method: "PUT", body: { statement, fields } }));
  const [review, won, lost, accepted] = [
    await disputed(relay, shop, { amountMinor: 123_456 }),
    await disputed(relay, shop, { category: "NOT_AS_DESCRIBED" }),
    await disputed(relay, shop, { category: "DUPLICATE" }),
    await disputed(relay, shop, { category: "CANCELLED_RECURRING" }),
  ];
  for (const id of [review, won, lost]) await answer(id, { action: "CHALLENGE", statement, fields });
  await answer(accepted, { action: "ACCEPT" });
  await said(won, "verdict", { result: "WON" });
  await said(lost, "verdict", { result: "LOST" });
  return { disputes: { open, prepared, review, won, lost, accepted }, alerts };
}

const drawer = (page: Page) => page.locator("dialog.drawer");
const dialog = (page: Page) => page.locator("dialog.dialog");
const column = (page: Page, name: string) => page.getByRole("region", { name });

async function disputeOf(person: PortalPerson, id: string): Promise<unknown> {
  const answer = await person.send("GET", `/disputes/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return member(answer.body, "data");
}

function pdf(name: string, bytes: number) {
  const buffer = Buffer.alloc(bytes, "x");
  buffer.write("%PDF-1.7\n");
  return { name, mimeType: "application/pdf", buffer };
}

const PAGE = Buffer.from("<!doctype html><html><body><script>alert(1)</script></body></html>");

/** A person who answers a dispute, and one who is too late. */
export function disputes(world: PortalWorld): void {
  test("acceptance 9: a dispute from the administrators' feed is answered by keyboard alone: 9.9 MB PDF and CSV accepted, 10.1 MB, a renamed page and a workbook with macros refused, submitted, under review, won", {
    timeout: 240_000,
  }, async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Sartoria Fontana");
    const uuid = await paidLink(world, shop, { description: "A coat" });
    const id = await disputed(relay, shop, { uuid });
    await eventually(async () =>
      assert.ok((await mailsTo(relay, owner.email)).some(({ text }) => text.includes(`/portal/disputes/${id}`))),
    );

    const { page } = await world.visitAs(owner, "/portal");
    await page.getByText("Answer a dispute").waitFor();
    await page.evaluate("document.activeElement.blur()");
    // No mouse from here on.
    await tabTo(page, "Disputes");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Disputes", level: 1 }).waitFor();
    await column(page, "To answer").locator(".case").waitFor();
    await tabTo(page, /^€49\.90.*Not received/);
    await page.keyboard.press("Enter");
    await drawer(page).getByText("What helps: Not received").waitFor();
    await drawer(page).getByText("A coat").or(drawer(page).getByText("Payment link")).first().waitFor();

    await tabTo(page, "Statement");
    await page.keyboard.type("The coat was handed over in the shop.");
    await tabTo(page, "Tracking number");
    await page.keyboard.type("none: collected");
    await tabTo(page, "Save draft");
    await page.keyboard.press("Enter");
    await page.getByText("The draft is saved.").waitFor();
    assertMatches(await disputeOf(owner, id), {
      draft: { statement: "The coat was handed over in the shop.", fields: { trackingNumber: "none: collected" } },
    });

    // Who listens from the beginning misses none: the browser is told to ask here before the key is pressed.
    page.on("filechooser", () => {});
    await tabTo(page, "Add files");
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.keyboard.press("Enter")]);
    assert.equal(chooser.isMultiple(), true);
    await chooser.setFiles([
      pdf("large.pdf", LARGE_BYTES),
      { name: "visits.csv", mimeType: "text/csv", buffer: Buffer.from("day;what\n20;collected\n") },
      pdf("too-large.pdf", Math.floor(10.1 * MB)),
      { name: "page.pdf", mimeType: "application/pdf", buffer: PAGE },
      { name: "macros.xlsm", mimeType: "application/vnd.ms-excel.sheet.macroEnabled.12", buffer: Buffer.from("PK\u0003\u0004") },
    ]);
    const refused = drawer(page).locator(".file-problem");
    await drawer(page).getByText("2 of 20 files").waitFor();
    await refused.nth(2).waitFor();
    const words = await refused.allTextContents();
    assert.equal(words.length, 3);
    for (const said of [
      "The file has 10.1 MB. The maximum is 10 MB.",
      "The content does not match the file name",
      "This file type is not accepted.",
    ]) {
      assert.ok(
        words.some((text) => text.includes(said)),
        `${said} is none of ${words.join(" | ")}`,
      );
    }
    assertMatches(await disputeOf(owner, id), { files: [{ name: "large.pdf", bytes: LARGE_BYTES }, { name: "visits.csv" }] });

    // What is there can be looked at, and be taken away again.
    await tabTo(page, "Download large.pdf");
    const [file] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    assert.equal((await stat(await file.path())).size, LARGE_BYTES);
    await tabTo(page, "Remove page.pdf from the list");
    await page.keyboard.press("Enter");
    await drawer(page).getByText("page.pdf", { exact: true }).waitFor({ state: "detached" });

    await tabTo(page, "Preview and submit");
    await page.keyboard.press("Enter");
    await dialog(page).getByText("You can send it only once, and cannot change or withdraw it.").waitFor();
    await dialog(page).getByText("The coat was handed over in the shop.").waitFor();
    await dialog(page).getByText("2 files", { exact: true }).waitFor();
    assertMatches(await disputeOf(owner, id), { status: "OPEN" });
    await tabTo(page, "Submit response");
    await page.keyboard.press("Enter");
    await drawer(page).locator(".badge", { hasText: "Under review" }).waitFor();
    await eventually(async () =>
      assertMatches(await disputeOf(owner, id), { status: "UNDER_REVIEW", responses: [{ state: "taken", by: owner.email }] }),
    );
    await drawer(page).getByText("Received by the network").waitFor({ timeout: NEXT_REFRESH_MS });
    await page.keyboard.press("Escape");
    await drawer(page).waitFor({ state: "detached" });
    await column(page, "Under review").locator(".case").waitFor();

    const verdict = await relay.administrator().post(`/admin/disputes/${id}/verdict`, { result: "WON" });
    assert.equal(verdict.status, 200, verdict.text);
    await column(page, "Ended").locator(".badge", { hasText: "Won" }).waitFor({ timeout: NEXT_REFRESH_MS });
    await tabTo(page, /^€49\.90.*Won/);
    await page.keyboard.press("Enter");
    await drawer(page).getByText("You won: you keep the money.").waitFor();
    // The hold is released.
    await tabTo(page, "Open transaction");
    await page.keyboard.press("Enter");
    await drawer(page).getByText("The full amount goes back to the card that paid.").waitFor();
  });

  test("acceptance 10: past its deadline a dispute expires, also when the node was down meanwhile, and whoever answers then is told that the time is over", {
    timeout: 240_000,
  }, async (t) => {
    // A browser goes on at the address of before.
    const RELAY_PORT = String(await freePort());
    const relay = new Relay({ shards: 1, environment: { ...NO_CLICKHOUSE, RELAY_PORT, RELAY_TRUSTED_PROXIES: "127.0.0.0/8" } });
    await relay.start();
    t.after(() => relay.stop());
    const { shop, owner } = await shopWithOwner(relay, "Libreria del Porto");
    const respondBy = new Date(relay.nowMs() + 2 * DAY_MS).toISOString();
    const [looked, watched, prepared] = [
      await disputed(relay, shop, { respondBy }),
      await disputed(relay, shop, { respondBy }),
      await disputed(relay, shop, { respondBy: new Date(relay.nowMs() + 2 * DAY_MS + HOUR_MS).toISOString(), category: "FRAUD" }),
    ];
    // What its browser cannot load while the node is away is no fault of the page.
    const { page } = await world.visitors.visit(relay.node.url, { faults: [] });
    await signIn(page, owner, `/portal/disputes/${looked}`);
    await drawer(page).getByText("Answer before the deadline").waitFor();
    await relay.restart(async () => {
      relay.advance(2 * DAY_MS + 1_000);
    });
    // A session does not last for days.
    await signIn(page, owner, `/portal/disputes/${looked}`);
    await drawer(page).getByText("Nobody answered in time.").waitFor();
    assert.equal(await drawer(page).getByRole("button", { name: "Preview and submit" }).count(), 0);
    // Nobody asked about this one: the node comes upon it by itself.
    await eventually(async () =>
      assertMatches((await relay.administrator().get(`/admin/disputes/${watched}`)).body, { data: { status: "EXPIRED" } }),
    );
    const late = await relay
      .client({ authorization: `Bearer ${shop.secretKey}` })
      .post(`/api/merchant/disputes/${looked}/respond`, { action: "CHALLENGE", statement: "Too late" });
    assertMatches(late, { status: 409, body: { status: "error", code: "deadline_passed" } });

    // In the middle of an answer. The browser's own clock stands two days behind, so that the page still offers it.
    await page.goto(`/portal/disputes/${prepared}`);
    await drawer(page).getByLabel("Statement").fill("The card was there.");
    await drawer(page).getByRole("button", { name: "Preview and submit" }).click();
    await dialog(page).getByText("The card was there.").waitFor();
    // The page does not learn of it before the button is pressed.
    let goOn = (): void => {};
    const released = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route(`**/api/merchant/disputes/${prepared}`, async (route) => {
      await released;
      await route.continue();
    });
    for (let minutes = 0; minutes < 60; minutes += 20) {
      relay.advance(20 * 60_000);
      // Whoever works at something has a session.
      assert.equal(await page.evaluate("fetch('/api/merchant/session').then(({ status }) => status)"), 200);
    }
    await dialog(page).getByRole("button", { name: "Submit response" }).click();
    // An hour has passed since the second factor was shown.
    await stepUp(page, owner);
    await page.getByText("The deadline has passed. Nothing was sent.").first().waitFor();
    // Not taken away: what is held is let through by that, and cannot be continued any more.
    goOn();
    await drawer(page).getByText("Nobody answered in time.").waitFor({ timeout: NEXT_REFRESH_MS });
    assertMatches(await relay.administrator().get(`/admin/disputes/${prepared}`), { body: { data: { status: "EXPIRED", responses: [] } } });
  });
}
