import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { fakeRelay, MERCHANT, sessionOf, TRANSACTION, TRANSACTIONS } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 90_000 };

const ANNA = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  "GET /transactions/*": () => ({ data: TRANSACTION }),
};

test("a receipt is printed on the roll of a receipt printer, 80 mm wide", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const receipt = {
    ...{ merchantName: MERCHANT.merchantName, terminalId: "SIM00001", createdAt: TRANSACTION.createdAt },
    ...{ lines: [{ label: "amount", value: "1234.50 EUR" }], text: "TOTALE 1234.50", merchantText: "FIRMA" },
  };
  await fakeRelay(page, { ...ANNA, "GET /transactions/*/receipt": () => ({ data: receipt }) });
  await page.goto(`${url}/portal/transactions/${TRANSACTION.uuid}`);
  const sheets = async () => {
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString("latin1");
    return [...pdf.matchAll(/\/MediaBox\s*\[([^\]]*)\]/g)].map(([, box = ""]) => box.trim().split(/\s+/).map(Number));
  };
  // What is not a receipt is printed on usual paper.
  await page.locator("dialog").getByRole("button", { name: "Receipt" }).waitFor();
  assert.ok(((await sheets())[0]?.[2] ?? 0) > 500);
  await page.locator("dialog").getByRole("button", { name: "Receipt" }).click();
  await page.locator(".paper").getByText("FIRMA").waitFor();
  const rolls = await sheets();
  assert.equal(rolls.length, 1);
  const [, , widthPoints = 0] = rolls[0] ?? [];
  assert.ok(Math.abs((widthPoints / 72) * 25.4 - 80) < 0.5, `${widthPoints} pt`);
  await page.emulateMedia({ media: "print" });
  const box = await page.locator(".paper").boundingBox();
  // 72 mm in CSS pixels.
  assert.ok(box !== null && Math.abs(box.width - (72 / 25.4) * 96) < 1 && box.x < 1 && box.y < 1, JSON.stringify(box));
});
