import assert from "node:assert/strict";
import { request } from "node:http";
import { test } from "node:test";
import type { MerchantTransaction } from "../../../../engine/payments/merchant-transactions.ts";
import { assertMatches, listOf, member } from "../../../support/http/matches.ts";
import { eventually } from "../../../support/within.ts";
import { NOW_MS, open, transaction } from "./world.ts";

/** A reader of CSV of its own, which knows quotes and nothing else. */
function readCsv(text: string, delimiter: string): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? "";
    if (isQuoted && sign === '"' && text[at + 1] === '"') {
      cell += '"';
      at += 1;
    } else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (sign === delimiter || text.startsWith("\r\n", at))) {
      rows.at(-1)?.push(cell);
      cell = "";
      if (sign === delimiter) continue;
      rows.push([]);
      at += 1;
    } else cell += sign;
  }
  assert.deepEqual([rows.pop(), cell, isQuoted], [[], "", false], "the file does not end with a whole line");
  return rows;
}

/** Its column; behind it is what was given back, and what is left. */
const MESSAGE = 10;

const PLAIN = ["plain", 'a;b,"c"\nd', "Größe €", " a=b"];
const FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "\tx", "\rx", "＝1", " =1", "\u00a0=1", "\u200b\u0000=1", "\ufeff@A", "﹢1"];
const MESSAGES = [...FORMULAS, ...PLAIN];

function rows(count: number): MerchantTransaction[] {
  return Array.from({ length: count }, (_, index) =>
    transaction({
      uuid: `u-${index}`,
      amountCents: index * 7,
      createdAtMs: NOW_MS - index * 1_000,
      message: MESSAGES[index % MESSAGES.length] ?? "",
    }),
  );
}

for (const [lang, delimiter, point, first, amount] of [
  ["it", ";", ",", "Data e ora (Europe/Rome)", "Importo"],
  ["en", ",", ".", "Date and time (Europe/Rome)", "Amount"],
] as const) {
  test(`the file in ${lang} has the rows of the list: as many, and the same sum`, async (t) => {
    const { get, said, places } = await open(t);
    said.rows.set("SHOP-001", rows(2_600));
    const answer = await get(`/transactions.csv?lang=${lang}&from=2026-11-01&to=2026-11-30`);
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("content-type"), "text/csv; charset=utf-8");
    assert.equal(answer.headers.get("content-disposition"), 'attachment; filename="transactions_SHOP-001_2026-11-01_2026-11-30.csv"');
    assert.equal(answer.headers.get("cache-control"), "no-store");
    const [headings = [], ...lines] = readCsv(answer.text, delimiter);
    assert.equal(headings[0], first);
    assert.equal(lines.length, 2_600);
    assert.ok(lines.every((line) => line.length === headings.length));
    const at = headings.indexOf(amount);
    const sum = lines.reduce((total, line) => total + Number((line[at] ?? "").replace(point, "")), 0);
    assert.equal(
      sum,
      rows(2_600).reduce((total, row) => total + row.transaction.amountCents, 0),
    );
    assert.deepEqual(lines[3]?.slice(0, 9), ["2026-11-25 11:20:39", "u-3", "T1", "CARD", "OK", `0${point}21`, "EUR", "VISA", "1111"]);
    const listed = listOf(member((await get("/transactions?limit=200")).body, "data", "items")).map((item) => member(item, "uuid"));
    assert.deepEqual(
      lines.slice(0, 200).map((line) => line[1]),
      listed,
    );
    assert.deepEqual([...places.values()], [0]);
  });
}

test("the file begins with a byte order mark, and Italian is the language where none is named", async (t) => {
  const { url, headersOf, said } = await open(t);
  said.rows.set("SHOP-001", rows(1));
  const response = await fetch(`${url}/api/merchant/transactions.csv`, { headers: headersOf("FINANCE") });
  assert.equal(response.headers.get("content-disposition"), 'attachment; filename="transactions_SHOP-001_until_2026-11-25.csv"');
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  assert.match(bytes.toString(), /^\ufeffData e ora/);
});

test("what a spreadsheet would take for a formula is a text, and amounts stay numbers", async (t) => {
  const { get, said } = await open(t);
  const strange = transaction({
    ...{ uuid: "u-neg", amountCents: -1_234, currency: "EUR", card: { brand: "=1+1", maskedPan: "x" }, auth: { authCode: "@A" } },
    message: "ok",
  });
  said.rows.set("SHOP-001", [
    ...rows(MESSAGES.length),
    strange,
    transaction({ currency: "JPY", amountCents: 500 }),
    transaction({ currency: "KWD", amountCents: 5 }),
  ]);
  const [, ...lines] = readCsv((await get("/transactions.csv?lang=en")).text, ",");
  assert.deepEqual(
    lines.slice(0, MESSAGES.length).map((line) => line[MESSAGE]),
    [...FORMULAS.map((message) => `'${message}`), ...PLAIN],
  );
  assert.deepEqual(lines[MESSAGES.length]?.slice(5), ["-12.34", "EUR", "'=1+1", "", "'@A", "ok", "0.00", "-12.34", "", "", ""]);
  assert.deepEqual(
    lines.slice(-2).map((line) => line.slice(5, 7)),
    [
      ["500", "JPY"],
      ["0.005", "KWD"],
    ],
  );
});

test("nor is a part of a text a formula for a spreadsheet that takes another sign for the end of a cell", async (t) => {
  const { get, said } = await open(t);
  const parts = ["x;=1", "x,=1", 'x,"=1', "x\t@A", "x;\u200b+1", "x\n-1", "x\r\n=1", "a;b, c=d, 5 - 3"];
  said.rows.set(
    "SHOP-001",
    parts.map((message, index) => transaction({ uuid: `u-${index}`, message })),
  );
  for (const lang of ["it", "en"]) {
    const { text } = await get(`/transactions.csv?lang=${lang}`);
    // As such a spreadsheet reads it: the quotes of the file are in the middle of its cells.
    const cells = text.split(/[,;\t\r\n]/).map((cell) => cell.replace(/^["\s\p{C}]+/u, ""));
    assert.deepEqual(
      cells.filter((cell) => /^[=+\-@]/.test(cell)),
      [],
      lang,
    );
    const [, ...lines] = readCsv(text, lang === "it" ? ";" : ",");
    assert.equal(lines[0]?.[MESSAGE], "x;'=1");
    assert.equal(lines.at(-1)?.[MESSAGE], "a;b, c=d, 5 - 3");
  }
});

test("of one merchant two run at once; a third is refused until one has ended, and others are not held back", async (t) => {
  const { get, said, places } = await open(t);
  said.rows.set("SHOP-001", rows(3));
  places.set("SHOP-001", 1);
  assert.equal((await get("/transactions.csv")).status, 200);
  places.set("SHOP-001", 2);
  const refused = await get("/transactions.csv");
  assertMatches(refused, { status: 429, body: { status: "error", code: "rate_limited" } });
  assert.equal(refused.headers.get("retry-after"), "5");
  assert.equal((await get("/transactions.csv", "other key")).status, 200);
  assert.equal(places.get("SHOP-001"), 2);
  places.set("SHOP-001", 1);
  assert.equal((await get("/transactions.csv")).status, 200);
});

test("whoever leaves in the middle gives the place back, and the rows are read no further", async (t) => {
  const { url, headersOf, said, places, streams } = await open(t);
  said.rows.set(
    "SHOP-001",
    rows(60_000).map((row) => ({ ...row, transaction: { ...row.transaction, message: "x".repeat(500) } })),
  );
  await new Promise<void>((resolve, reject) => {
    const sent = request(`${url}/api/merchant/transactions.csv`, { headers: headersOf("key") }, (response) => {
      response.once("data", () => {
        assert.equal(places.get("SHOP-001"), 1);
        response.destroy();
        resolve();
      });
      response.on("error", () => {});
    });
    sent.on("error", reject);
    sent.end();
  });
  await eventually(() => assert.deepEqual([places.get("SHOP-001"), streams.ended], [0, 1]));
});

test("a file that breaks off is not whole for its reader, and its place is given back", async (t) => {
  const { url, headersOf, said, places, streams } = await open(t);
  said.rows.set("SHOP-001", rows(5_000));
  streams.breaksAfter = 2;
  for (const encoding of ["identity", "gzip"]) {
    const headers = { ...headersOf("key"), "accept-encoding": encoding };
    await assert.rejects(async () => (await fetch(`${url}/api/merchant/transactions.csv`, { headers })).text(), encoding);
  }
  await eventually(() => assert.equal(places.get("SHOP-001"), 0));
});

test("HEAD holds no place", async (t) => {
  const { url, headersOf, said, places } = await open(t);
  said.rows.set("SHOP-001", rows(5));
  const response = await fetch(`${url}/api/merchant/transactions.csv`, { method: "HEAD", headers: headersOf("key") });
  assert.equal(response.status, 200);
  await eventually(() => assert.equal(places.get("SHOP-001"), 0));
});
