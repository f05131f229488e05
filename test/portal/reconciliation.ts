import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { listOf, member, textMember } from "../support/http/matches.ts";
import type { Relay } from "../support/node/relay.ts";
import { PORTAL_API } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import type { Looked } from "./pages.ts";
import { card, pay } from "./payments.ts";
import { shopWithOwner } from "./people.ts";
import { type PortalWorld, type Shop, signIn } from "./portal-world.ts";

const PATH = "/portal/reconciliation";
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A day closes within seconds; the rest is for a machine that does other things too. */
const CLOSED_WITHIN_MS = 90_000;

const drawer = (page: Page) => page.locator("dialog.drawer");

/** The day and the hour on the installation's clocks. */
function localTime(relay: Relay): { day: string; hour: number } {
  const parts = new Intl.DateTimeFormat("en-CA", {
    ...{ timeZone: "Europe/Rome", year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", hourCycle: "h23" },
  }).format(relay.nowMs());
  const [day = "", hour = ""] = parts.split(", ");
  return { day, hour: Number(hour) };
}

/** Moves the clock on to the next full hour of this number. */
function toHour(relay: Relay, hour: number): void {
  do relay.advance(HOUR_MS - (relay.nowMs() % HOUR_MS));
  while (localTime(relay).hour !== hour);
}

/** The day as the interface tells it, once `isThere`; rows that are missing make the relay look again a minute later. */
async function dayOf(relay: Relay, shop: Shop, day: string, isThere: (data: unknown) => void): Promise<unknown> {
  const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
  return eventually(
    async () => {
      const answer = await server.get(`${PORTAL_API}/reconciliation/${day}`);
      if (answer.status !== 200) relay.advance(MINUTE_MS);
      assert.equal(answer.status, 200, answer.text);
      const data = member(answer.body, "data");
      isThere(data);
      return data;
    },
    CLOSED_WITHIN_MS,
    1_000,
  );
}

/** Days as they were closed. */
export function reconciliation(world: PortalWorld): void {
  test("reconciliation: a day is open until its hour has come, then stands with what it came to and as a file, and lists what changes afterwards", {
    timeout: 300_000,
  }, async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Libreria Antica", 1);
    const [terminalId = ""] = shop.terminalIds;
    toHour(relay, 10);
    const { day } = localTime(relay);
    const uuid = await pay(relay, card(terminalId, 4_210));
    await pay(relay, card(terminalId, 1_050));
    const { page } = await world.visitAs(owner, `${PATH}/${day}`);
    await drawer(page).getByText("This day is not closed yet").waitFor();
    await page.goto(PATH);
    await page.getByText("No closed days yet").waitFor();
    await page.getByText("A day closes two days later at 03:00").waitFor();

    for (const hour of [3, 3]) toHour(relay, hour);
    relay.advance(MINUTE_MS);
    await dayOf(relay, shop, day, (data) => assert.equal(member(data, "day"), day));
    await page.context().clearCookies();
    await signIn(page, owner, PATH);
    await page.getByText("1 closed day", { exact: true }).waitFor();
    assert.equal(await page.locator('main td[data-label="Net"]').textContent(), "€52.60");
    await page.locator("main .row-button").click();
    await drawer(page).getByRole("table", { name: "By terminal" }).getByText(terminalId).waitFor();
    assert.deepEqual(await drawer(page).getByRole("table", { name: "By method" }).locator("tbody td").allTextContents(), [
      "Card",
      "2",
      "0",
      "€52.60",
      "–",
      "€52.60",
    ]);
    await drawer(page).getByText("No corrections so far.").waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), drawer(page).getByRole("link", { name: "Download CSV" }).click()]);
    assert.equal(download.suggestedFilename(), `reconciliation_${shop.merchantId}_${day}.csv`);
    const file = await readFile(await download.path(), "utf8");
    assert.match(file, new RegExp(`Payments,${terminalId},CARD,OK,EUR,2,52\\.60`));
    // Each figure leads to what it was counted from.
    await drawer(page)
      .getByRole("link", { name: /^Approved/ })
      .click();
    await page.getByText("2 transactions in total").waitFor();

    // The terminal says something else of a payment of that day.
    const contrary = await relay.fleet().receipt(terminalId, { uuid, result: "KO", service: "PAYCC", amount: 4_210 });
    assert.ok(contrary.status < 500, contrary.text);
    toHour(relay, 3);
    relay.advance(MINUTE_MS);
    await dayOf(relay, shop, day, (data) => {
      if (member(data, "corrections", "count") === 0) relay.advance(MINUTE_MS);
      assert.notEqual(member(data, "corrections", "count"), 0);
    });
    await page.context().clearCookies();
    await signIn(page, owner, `${PATH}/${day}`);
    const corrections = drawer(page).getByRole("table", { name: "Corrections" });
    await corrections.getByRole("link", { name: uuid }).waitFor();
    assert.deepEqual(await corrections.locator('td[data-label="Before"], td[data-label="After"]').allTextContents(), [
      "Not named",
      "Named",
    ]);
    // What it was when it was closed stays.
    assert.deepEqual(await drawer(page).getByRole("table", { name: "By method" }).locator("tbody td").allTextContents(), [
      "Card",
      "2",
      "0",
      "€52.60",
      "–",
      "€52.60",
    ]);
  });
}

/** The newest of a furnished shop's days that is closed. */
export async function closedDayOf(relay: Relay, shop: Shop): Promise<string> {
  const server = relay.client({ authorization: `Bearer ${shop.secretKey}` });
  return eventually(
    async () => {
      const { body, text } = await server.get(`${PORTAL_API}/reconciliation?activeOnly=true`);
      const [newest] = listOf(member(body, "data", "items"));
      if (newest === undefined) relay.advance(MINUTE_MS);
      assert.ok(newest !== undefined, text);
      return textMember(newest, "day");
    },
    CLOSED_WITHIN_MS,
    1_000,
  );
}

export function reconciliationPages(day: string): Looked[] {
  return [
    { name: "reconciliation", path: PATH, until: (page) => page.getByText(/closed days? in total/).waitFor() },
    {
      name: "filtered reconciliation",
      path: `${PATH}?to=2020-01-01`,
      until: (page) => page.getByText("No results for these filters").waitFor(),
    },
    { name: "a closed day", path: `${PATH}/${day}`, until: (page) => drawer(page).getByText("Closed on").waitFor() },
    { name: "no closed day", path: `${PATH}/none`, until: (page) => page.getByText("No data for this day").waitFor() },
  ];
}

export function italianReconciliationPages(day: string): Looked[] {
  return [
    { name: "riconciliazione", path: PATH, until: (page) => page.getByText(/giornat[ae] chius[ae] in tutto/).waitFor() },
    { name: "una giornata chiusa", path: `${PATH}/${day}`, until: (page) => drawer(page).getByText("Chiusa il").waitFor() },
  ];
}
