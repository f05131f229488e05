import assert from "node:assert/strict";
import { test } from "node:test";
import { exportedFile, rowsOfCsv, speak } from "./exports.ts";
import { card, pay } from "./payments.ts";
import { shopWithOwner } from "./people.ts";
import type { PortalWorld } from "./portal-world.ts";

const LANGUAGES = [
  {
    language: "en",
    delimiter: ",",
    reason: "Not enough money or credit on the card",
    next: "Ask for another card or another way to pay.",
    raw: "Code 116 · INSUFFICIENT FUNDS",
    unknown: "Code X42 · Strange things happened",
    columns: ["Action code", "Decline reason", "What to do"],
  },
  {
    language: "it",
    delimiter: ";",
    reason: "Disponibilità della carta insufficiente",
    next: "Chiedi un’altra carta o un altro modo di pagare.",
    raw: "Codice 116 · INSUFFICIENT FUNDS",
    unknown: "Codice X42 · Strange things happened",
    columns: ["Codice di risposta", "Motivo del rifiuto", "Che cosa fare"],
  },
] as const;

/** The reasons of declined payments. */
export function reasons(world: PortalWorld): void {
  test("a declined payment is explained in both languages beside the code as it came, in its drawer and in the export", async () => {
    const { relay } = world;
    const { shop, owner } = await shopWithOwner(relay, "Libreria Antica", 1);
    const [terminalId = ""] = shop.terminalIds;
    const declined = await pay(relay, card(terminalId, 2_051));
    const strange = await pay(relay, card(terminalId, 1_005), { actionCode: "X42", message: "Strange things happened" });
    const { page } = await world.visitAs(owner, "/portal/transactions");
    for (const { language, delimiter, reason, next, raw, unknown, columns } of LANGUAGES) {
      await speak(page, language, world.origin);
      await page.goto(`/portal/transactions/${declined}`);
      const drawer = page.locator("dialog");
      for (const text of [reason, next, raw]) await drawer.getByText(text, { exact: true }).waitFor();
      // An unknown code shows as it came, and nothing is made up beside it.
      await page.goto(`/portal/transactions/${strange}`);
      await drawer.getByText(unknown, { exact: true }).waitFor();
      assert.equal(await drawer.locator(".decline p").count(), 1);

      await page.goto("/portal/transactions");
      const { contents } = await exportedFile(page, { format: "CSV", language });
      const [headings = [], ...lines] = rowsOfCsv(contents, delimiter);
      const cells = (uuid: string) => {
        const line = lines.find((one) => one[headings.indexOf("UUID")] === uuid) ?? assert.fail(`no row of ${uuid}`);
        return columns.map((name) => line[headings.indexOf(name)]);
      };
      assert.deepEqual(cells(declined), ["116", reason, next]);
      assert.deepEqual(cells(strange), ["X42", "", ""]);
    }
    await speak(page, "en", world.origin);
  });
}
