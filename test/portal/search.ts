import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertMatches, listOf, member } from "../support/http/matches.ts";
import type { PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import { linkIn } from "./links.ts";
import { visitAsAdministrator } from "./operators.ts";
import { card, pay, transactionsOf } from "./payments.ts";
import { colleague, shopWithOwner } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

const field = (page: Page) => page.getByRole("combobox", { name: "What are you looking for?" });
const option = (page: Page, text: string) => page.getByRole("listbox").getByRole("option").filter({ hasText: text });

/** Opens the search with its shortcut and types. */
async function lookFor(page: Page, text: string): Promise<void> {
  if ((await field(page).count()) === 0) await page.keyboard.press("Control+k");
  await field(page).fill(text);
}

/** How long a busy machine may take until ClickHouse responds in time. */
const FOUND_WITHIN_MS = 60_000;
const ONE_SEARCH_MS = 8_000;

/** Types until the option is there: a group that was not searched in time is left out. */
async function finds(page: Page, text: string, wanted: string): Promise<void> {
  await eventually(async () => {
    await lookFor(page, "");
    await lookFor(page, text);
    await option(page, wanted).first().waitFor({ timeout: ONE_SEARCH_MS });
  }, FOUND_WITHIN_MS);
}

/** Everything that the search of a person finds, by group. */
async function foundBy(person: PortalPerson, q: string): Promise<{ [group: string]: unknown[] }> {
  const answer = await person.send("GET", `/search?q=${encodeURIComponent(q)}`);
  assert.equal(answer.status, 200, answer.text);
  const groups = listOf(member(answer.body, "data", "groups"));
  for (const group of groups) assert.equal(member(group, "state"), "searched", answer.text);
  return Object.fromEntries(
    groups.map((group) => [String(member(group, "name")), listOf(member(group, "items")).map((item) => member(item, "id"))]),
  );
}

/** What people of a shop, and administrators, find with a few characters. */
export function search(world: PortalWorld): void {
  test("a payment is found by its amount, the beginning of its id and its last four digits, and links by their customer's address", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Enoteca Sant'Anna", 1);
    const [terminalId = ""] = shop.terminalIds;
    const uuid = await pay(relay, card(terminalId, 2_060));
    const other = await pay(relay, card(terminalId, 3_070));
    const { id: linkId } = await linkIn(relay, shop, { customerEmail: "Ada.Rossi@example.org", description: "A case of Barolo" });
    let last4 = "";
    await eventually(async () => {
      const listed = (await transactionsOf(owner)).find((item) => member(item, "uuid") === uuid);
      last4 = String(member(listed, "last4"));
      assert.match(last4, /^\d{4}$/);
    }, FOUND_WITHIN_MS);

    const { page } = await world.visitAs(owner, "/portal");
    for (const text of ["20.60", "20,60", "€ 20.60", uuid.slice(0, 8), uuid.toUpperCase(), last4]) {
      await finds(page, text, uuid);
    }
    assert.equal(await page.getByRole("group", { name: "Payments" }).getByText("€20.60").count(), 1);
    await finds(page, "20.60", uuid);
    assert.equal(await option(page, other).count(), 0);
    await page.keyboard.press("Enter");
    await eventually(() => assert.match(page.url(), new RegExp(`/portal/transactions/${uuid}$`)));
    await page.locator("dialog").getByText("€20.60").first().waitFor();
    await page.keyboard.press("Escape");

    await finds(page, "ada.rossi@EXAMPLE.org", linkId);
    assert.equal(await page.getByRole("listbox").getByRole("option").count(), 1);
    await finds(page, terminalId.slice(2), terminalId);
    await eventually(async () => assert.deepEqual((await foundBy(owner, linkId.slice(0, 8)))["payment_links"], [linkId]), FOUND_WITHIN_MS);
  });

  test("people who do not see personal data do not find by an e-mail address, and are told why", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Bottega Verde");
    const { id } = await linkIn(relay, shop, { customerEmail: "grace@example.org" });
    const viewer = await colleague(relay, owner, "vera", "VIEWER");
    const { page } = await world.visitAs(viewer, "/portal");
    await lookFor(page, "grace@example.org");
    await page.getByText("Your role does not see personal data").waitFor();
    assert.equal(await page.getByRole("listbox").getByRole("option").count(), 0);
    await finds(page, id.slice(0, 9), id);
    for (const [person, withheld] of [
      [viewer, "personal_data"],
      [owner, null],
    ] as const) {
      assertMatches((await person.send("GET", "/search?q=grace%40example.org")).body, { data: { withheld } });
    }
  });

  test("a mistyped id leads to the right object, from the search and from a list without it", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Gelateria Fior", 1);
    const [terminalId = ""] = shop.terminalIds;
    const uuid = await pay(relay, card(terminalId, 1_530));
    const { id } = await linkIn(relay, shop);
    const { page } = await world.visitAs(owner, "/portal");
    const mistyped = `${uuid.slice(0, 14)}${uuid.charAt(14) === "0" ? "1" : "0"}${uuid.slice(15)}`;
    for (const [typed, meant] of [
      [mistyped, uuid],
      [`${id.slice(0, 6)}${id.slice(7)}`, id],
    ] as const) {
      await finds(page, typed, meant);
      await page.getByText(`Nothing has the id ${typed}`).waitFor();
    }
    // The id of a link is no id of a transaction.
    await page.goto(`/portal/transactions?q=${id}`);
    const suggestions = page.getByRole("region", { name: "Did you mean one of these?" });
    await suggestions.getByRole("link").filter({ hasText: id }).click();
    await eventually(() => assert.match(page.url(), new RegExp(`/portal/payment-links/${id}$`)));
  });

  test("transactions are sorted by amount over pages, each once", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Panificio Re", 1);
    const [terminalId = ""] = shop.terminalIds;
    for (const amount of [500, 2_500, 500, 1_500, 3_500]) await pay(relay, card(terminalId, amount));
    for (const [sort, amounts] of [
      ["largest", [3_500, 2_500, 1_500, 500, 500]],
      ["smallest", [500, 500, 1_500, 2_500, 3_500]],
      ["oldest", [500, 2_500, 500, 1_500, 3_500]],
    ] as const) {
      const items = await transactionsOf(owner, `sort=${sort}`);
      assert.deepEqual(
        items.map((item) => member(item, "amountMinor")),
        amounts,
        sort,
      );
      assert.equal(new Set(items.map((item) => member(item, "uuid"))).size, amounts.length);
    }
    const { page } = await world.visitAs(owner, "/portal/transactions");
    await page.getByRole("columnheader", { name: "Amount" }).getByRole("button").click();
    await page.locator("main tbody tr").first().getByText("€35.00").first().waitFor();
  });

  test("operators: the search finds recent payments by amount, and terminals, merchants, partners and nodes", async () => {
    const { relay } = world;
    const { shop } = await shopWithOwner(relay, "Cartoleria Blu", 1);
    const [terminalId = ""] = shop.terminalIds;
    const uuid = await pay(relay, card(terminalId, 47_110));
    const { page, person } = await visitAsAdministrator(world, "read-only");
    // The feed delivers the result within a second or two.
    await eventually(async () => {
      const answer = await person.send("GET", "/search?q=471.10");
      assertMatches(answer.body, { data: { items: [{ id: uuid, amountMinor: 47_110, terminalId, merchantId: shop.merchantId }] } });
    }, 30_000);
    await finds(page, "471,10", uuid);
    await finds(page, shop.merchantId.slice(0, 12), "Cartoleria Blu");
    await finds(page, terminalId, terminalId);
    await option(page, terminalId).click();
    await eventually(() => assert.match(page.url(), new RegExp(`/admin/ui/terminals/${terminalId}$`)));
    // A letter too many: the ids of other terminals differ in more than one place.
    await finds(page, `${terminalId}z`, terminalId);
    const nodes = await person.send("GET", "/cluster");
    const nodeId = String(member(listOf(member(nodes.body, "data", "nodes"))[0], "nodeId"));
    await finds(page, nodeId, nodeId);
  });
}
