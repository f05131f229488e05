import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { type ReadSheet, readXlsx } from "../http/exports/world.ts";
import { assertMatches, listOf, member, textMember } from "../support/http/matches.ts";
import type { Relay } from "../support/node/relay.ts";
import type { PortalPerson } from "../support/people/portal-person.ts";
import { eventually } from "../support/within.ts";
import type { Looked } from "./pages.ts";
import { card, pay, transactionsOf } from "./payments.ts";
import { colleague, shopWithOwner } from "./people.ts";
import type { PortalWorld, Shop } from "./portal-world.ts";

/** A file is a matter of a second or two; the rest is for a machine that does other things too. */
const READY_WITHIN_MS = 30_000;

interface ExportedFile {
  name: string;
  contents: Buffer;
}

const dialog = (page: Page) => page.locator("dialog.dialog");

/** Exports what the list shows, in either language of the page, and downloads the file. */
export async function exportedFile(
  page: Page,
  { format, language }: { format: "CSV" | "XLSX"; language: "en" | "it" },
): Promise<ExportedFile> {
  await page
    .locator("main")
    .getByRole("button", { name: /^(Export|Esporta)$/ })
    .click();
  await dialog(page)
    .getByRole("radio", { name: format === "CSV" ? "CSV" : "Excel (XLSX)", exact: false })
    .check();
  await dialog(page)
    .getByLabel(/^(Language of the file|Lingua del file)$/)
    .selectOption(language);
  await dialog(page)
    .getByRole("button", { name: /^(Start export|Avvia esportazione)$/ })
    .click();
  const button = dialog(page).getByRole("button", { name: /^(Download|Scarica) / });
  await button.waitFor({ timeout: READY_WITHIN_MS });
  const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const downloaded = { name: file.suggestedFilename(), contents: await readFile(await file.path()) };
  await page.keyboard.press("Escape");
  await dialog(page).waitFor({ state: "detached" });
  return downloaded;
}

/** The rows of a CSV file: quoted cells, doubled quotes, line breaks inside quotes. */
export function rowsOfCsv(contents: Buffer, delimiter: string): string[][] {
  const csv = contents.toString("utf8");
  assert.equal(csv[0], "\ufeff");
  const rows: string[][] = [[""]];
  let quoted = false;
  for (let at = 1; at < csv.length; at += 1) {
    const sign = csv[at] ?? "";
    const row = rows.at(-1) ?? [];
    if (quoted && sign === '"' && csv[at + 1] === '"') {
      row[row.length - 1] += '"';
      at += 1;
    } else if (sign === '"') quoted = !quoted;
    else if (!quoted && sign === delimiter) row.push("");
    else if (!quoted && sign === "\n") rows.push([""]);
    else if (quoted || sign !== "\r") row[row.length - 1] += sign;
  }
  return rows.filter((row) => row.length > 1);
}

/** The same of a workbook, whose numbers are numbers in every language. */
function rowsOfSheet({ rows }: ReadSheet): string[][] {
  return rows.map((row) => row.map((cell) => cell?.value ?? ""));
}

export async function speak(page: Page, locale: "it" | "en", origin: string): Promise<void> {
  const answer = await page.request.patch("/api/merchant/me", { data: { locale }, headers: { "x-relay-portal": "1", origin } });
  assert.equal(answer.status(), 200);
}

async function exportsOf(person: PortalPerson): Promise<unknown[]> {
  const answer = await person.send("GET", "/exports");
  assert.equal(answer.status, 200, answer.text);
  return listOf(member(answer.body, "data", "items"));
}

/** What a list becomes as a file. */
export function exports(world: PortalWorld): void {
  test("acceptance 16: the file of the filtered rows has the rows of the list and their sum, as CSV and as XLSX, in both languages, and a formula stays a text", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Mercato Coperto", 2);
    const [one = "", two = ""] = shop.terminalIds;
    const formula = '=cmd|"/C calc"!A1';
    for (let index = 0; index < 24; index += 1) {
      const [terminalId, amountCents] = [index % 2 === 0 ? one : two, index % 6 === 5 ? 1_005 : 1_000 + index * 110];
      await pay(relay, card(terminalId, amountCents), index === 4 ? { message: formula } : {});
    }
    const query = `terminalId=${one}&status=OK`;
    const listed = await transactionsOf(owner, query);
    assert.equal(listed.length, 12);
    const sumMinor = listed.reduce((sum: number, item) => sum + Number(member(item, "amountMinor")), 0);
    const { page } = await world.visitAs(owner, `/portal/transactions?${query}`);
    for (const [language, delimiter, point, amountHeading, messageHeading, end] of [
      ["en", ",", ".", "Amount", "Message", "12 transactions in total"],
      ["it", ";", ",", "Importo", "Messaggio", "12 transazioni in tutto"],
    ] as const) {
      await speak(page, language, world.origin);
      await page.reload();
      await page.getByText(end).waitFor();
      assert.equal(await page.locator("main .row-button").count(), 12);
      const csv = await exportedFile(page, { format: "CSV", language });
      const xlsx = await exportedFile(page, { format: "XLSX", language });
      assert.match(csv.name, new RegExp(`^transactions_${shop.merchantId}_.*\\.csv$`));
      assert.match(xlsx.name, new RegExp(`^transactions_${shop.merchantId}_.*\\.xlsx$`));
      const sheet = readXlsx(xlsx.contents);
      // A workbook has a row of the total below those of the list.
      for (const [rows, written, totals] of [
        [rowsOfCsv(csv.contents, delimiter), (amount: string) => Number(amount.replace(point, ".")), []],
        [rowsOfSheet(sheet), Number, [sumMinor]],
      ] as const) {
        const [headings = [], ...lines] = rows;
        const column = (name: string) => lines.map((line) => line[headings.indexOf(name)] ?? "");
        assert.deepEqual(column("UUID"), [...listed.map((item) => textMember(item, "uuid")), ...totals.map(() => "")]);
        const sums = column(amountHeading).map((amount) => Math.round(written(amount) * 100));
        assert.equal(
          sums.slice(0, listed.length).reduce((sum, amount) => sum + amount, 0),
          sumMinor,
        );
        assert.deepEqual(sums.slice(listed.length), totals);
      }
      // A spreadsheet takes it for a text: in a CSV by a sign before it, in a workbook by the kind of its cell.
      assert.deepEqual(
        rowsOfCsv(csv.contents, delimiter)
          .flat()
          .filter((cell) => cell.includes("cmd")),
        [`'${formula}`],
      );
      const cells = sheet.rows.flat().filter((cell) => cell?.value.includes("cmd") === true);
      assert.deepEqual(
        cells.map((cell) => [cell?.type, cell?.value]),
        [["text", formula]],
      );
      assert.ok(sheet.rows[0]?.some((cell) => cell?.value === messageHeading));
    }
    await speak(page, "en", world.origin);
    // All four are there still, with what became of them.
    await page.goto("/portal/exports");
    await page.getByText("4 exports in total").waitFor();
    assert.deepEqual(await page.locator("main .badge").allTextContents(), ["Ready", "Ready", "Ready", "Ready"]);
  });

  test("an export about people asks for the second factor, belongs to who asked for it, and is gone after a day", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Teatro Piccolo", 1);
    const made = await owner.send("POST", "/payment-links", {
      amountMinor: 2_500,
      description: "A seat",
      customerEmail: "zoe@example.com",
    });
    assert.equal(made.status, 201, made.text);
    const finance = await colleague(relay, owner, "bruno", "FINANCE");
    const other = await colleague(relay, owner, "carla", "FINANCE");
    const { page } = await world.visitAs(finance, "/portal/payment-links");
    // The factor of the sign-in is too old by then.
    relay.advance(11 * 60_000);
    await page.locator("main").getByRole("button", { name: "Export", exact: true }).click();
    await dialog(page).getByText("1 row", { exact: true }).waitFor();
    await dialog(page).getByRole("checkbox", { name: "Customer's e-mail" }).check();
    await dialog(page).getByRole("button", { name: "Start export" }).click();
    const question = page.locator("dialog", { hasText: "Confirm it is you" }).last();
    await question.getByLabel("Code").fill(finance.code());
    await question.getByRole("button", { name: "Confirm" }).click();
    const button = dialog(page).getByRole("button", { name: /^Download / });
    await button.waitFor({ timeout: READY_WITHIN_MS });
    const [file] = await Promise.all([page.waitForEvent("download"), button.click()]);
    assert.match(await readFile(await file.path(), "utf8"), /zoe@example\.com/);

    const [item] = await exportsOf(finance);
    const id = textMember(item, "id");
    // Another who may export does not see it; who administers the users does.
    assert.deepEqual(await exportsOf(other), []);
    assertMatches(await other.send("GET", `/exports/${id}/file`), { status: 404 });
    assert.equal((await exportsOf(owner)).length, 1);
    relay.advance(25 * 3_600_000);
    await eventually(async () => {
      const answer = await relay.client({ authorization: `Bearer ${shop.secretKey}` }).get(`/api/merchant/exports/${id}`);
      assert.equal(answer.status, 404);
    });
  });
}

const seen = (text: string) => (page: Page) => page.getByText(text).filter({ visible: true }).first().waitFor();

export function exportPages(language: "en" | "it"): Looked[] {
  return language === "en"
    ? [{ name: "exports", path: "/portal/exports", until: seen("exports in total") }]
    : [{ name: "esportazioni", path: "/portal/exports", until: seen("esportazioni in tutto") }];
}

/** Files of two lists, for whoever looks at their page next: they are kept for a day, and the days of this world are short. */
export async function exportToday(relay: Relay, { secretKey }: Shop): Promise<void> {
  const api = relay.client({ authorization: `Bearer ${secretKey}` });
  for (const order of [
    { list: "transactions", format: "XLSX", filters: { status: "OK" } },
    { list: "subscriptions", format: "CSV" },
  ]) {
    const answer = await api.post("/api/merchant/exports", order);
    assert.equal(answer.status, 201, answer.text);
  }
}
