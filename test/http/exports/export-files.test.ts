import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { MerchantUserGrant } from "../../../engine/access/merchant-user-grant.ts";
import type { ListedUser } from "../../../engine/accounts/users.ts";
import type { ExportOrder, ExportRecord } from "../../../engine/exports/export.ts";
import { ExportRefused } from "../../../engine/exports/export-source.ts";
import { XLSX_ROWS_MAX } from "../../../engine/exports/words.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import type { PortalLinkQuery } from "../../../engine/portal-links/portal-links.ts";
import { createExportSource, type ExportSourceOptions } from "../../../http/exports/export-source.ts";
import { columnsOf, usualColumns } from "../../../http/surfaces/merchant/exports/columns.ts";
import { createLocalTime } from "../../../http/surfaces/parts/time.ts";
import { portalLink } from "../../engine/portal-links/machine-world.ts";
import { NOW_MS, transaction } from "../surfaces/merchant/world.ts";
import { clockOf, type ReadCell, readXlsx, unzip } from "./world.ts";

const FORMULAS = ["=cmd|' /C calc'!A0", "+1", "-1", "@SUM(1)", "＝1", " =1"];
const PLAIN = ["plain", 'a;b,"c"\nd', "Größe € <&>", ""];
const MESSAGES = [...FORMULAS, ...PLAIN];

/** Two of them within the hour that Rome's clocks show twice. */
const TIMES = ["2026-07-01T10:00:00.123Z", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-12-31T23:59:59Z"].map((text) =>
  Date.parse(text),
);
const CLOCKS = ["2026-07-01 12:00:00", "2026-10-25 02:30:00", "2026-10-25 02:30:00", "2027-01-01 00:59:59"];

function rows(count: number): MerchantTransaction[] {
  return Array.from({ length: count }, (_, index) =>
    transaction({
      uuid: `u-${index}`,
      amountCents: index % 3 === 0 ? -1_234 - index : 1_050 + index,
      currency: ["EUR", "JPY", "KWD"][index % 3] ?? "EUR",
      createdAtMs: TIMES[index % TIMES.length] ?? 0,
      message: MESSAGES[index % MESSAGES.length] ?? "",
    }),
  );
}

function record(order: Partial<ExportOrder> & Pick<ExportOrder, "list" | "format">, createdBy: ExportRecord["createdBy"]): ExportRecord {
  return {
    ...{ schema: 1, id: "exp_1", merchantId: "SHOP-001", partnerId: 7, livemode: false, createdBy, createdAtMs: 1, updatedAtMs: 1 },
    order: { filters: {}, columns: usualColumns(order.list), lang: "it", personalData: false, ...order },
    ...{ state: "RUNNING", attempts: 1, leaseOf: "x", leaseUntilMs: 1, startedAtMs: 1, endedAtMs: null, failure: null, file: null },
    ...{ rows: null, bytes: null, expiresAtMs: null, nextAtMs: 1 },
  };
}

function world(transactions: readonly MerchantTransaction[] = []) {
  const said = { role: "OWNER" as MerchantUserGrant["role"], state: "ACTIVE" as ListedUser["state"], sheetIsTaken: false };
  const asked: { pages: PortalLinkQuery[]; merchants: string[]; pauses: number } = { pages: [], merchants: [], pauses: 0 };
  const links = Array.from({ length: 5 }, (_, index) =>
    portalLink([], { id: `pl_${index}`, createdBy: { type: "user", userId: "usr_1" } }),
  );
  const never = () => assert.fail("it is not asked");
  const options: ExportSourceOptions = {
    merchantTransactions: {
      stream: async function* (merchantId) {
        asked.merchants.push(merchantId);
        for (let start = 0; start < transactions.length; start += 700) yield transactions.slice(start, start + 700);
      },
    },
    portalLinks: {
      ...{ create: never, find: never, cancel: never, send: never },
      list: async (owner, query) => {
        asked.merchants.push(owner.merchantId);
        asked.pages.push(query);
        const start = query.cursor === null ? 0 : Number(query.cursor);
        return { items: links.slice(start, start + 2), next: start + 2 < links.length ? String(start + 2) : null };
      },
    },
    subscriptions: {
      ...{ create: never, find: never, charges: never, cancel: never, pause: never, resume: never, retry: never },
      list: async () => ({ items: [], next: null }),
    },
    disputeBoard: { list: async () => ({ items: [], next: null }) },
    users: {
      list: async () => [
        {
          ...{ userId: "usr_1", email: "owner@shop.example", role: said.role, state: said.state, accountId: "a", locale: "en" },
          ...{ invitedAtMs: 1, invitation: null, joinedAtMs: 1, hasSecondFactor: true },
        },
      ],
    },
    paymentLinkUrl: () => "https://relay.example/l/x",
    subscriptionUrl: () => "https://relay.example/s/x",
    localTime: createLocalTime("Europe/Rome"),
    clock: { nowMs: () => 1 },
    takeSheet: () => !said.sheetIsTaken,
    giveSheetBack: () => undefined,
    pause: async () => {
      asked.pauses += 1;
      if (asked.pauses === 3) said.sheetIsTaken = false;
    },
  };
  const source = createExportSource(options);
  async function made(
    order: Partial<ExportOrder> & Pick<ExportOrder, "list" | "format">,
    createdBy: ExportRecord["createdBy"] = { type: "key" },
  ): Promise<{ file: Buffer; rows: number }> {
    const pieces: Uint8Array[] = [];
    let count = 0;
    for await (const piece of source.pieces(record(order, createdBy), new AbortController().signal)) {
      pieces.push(piece.bytes);
      count += piece.rows;
    }
    return { file: Buffer.concat(pieces), rows: count };
  }
  return { said, asked, made, source };
}

const sumOf = (numbers: readonly number[]) => Math.round(numbers.reduce((sum, one) => sum + one, 0) * 1_000) / 1_000;

/** The list's amounts in units of their currencies. */
const LISTED = (found: readonly MerchantTransaction[]) =>
  found.map(({ transaction: { amountCents, currency } }) => amountCents / ({ JPY: 1, KWD: 1_000 }[currency] ?? 100));

describe("files of exports", () => {
  for (const [lang, heading, amount, dateFormat] of [
    ["it", "Data e ora (Europe/Rome)", "Importo", "dd/mm/yyyy hh:mm:ss"],
    ["en", "Date and time (Europe/Rome)", "Amount", "yyyy-mm-dd hh:mm:ss"],
  ] as const) {
    it(`an XLSX in ${lang} has the rows of the list: as many, the same sum, and nothing that is a formula`, {
      timeout: 60_000,
    }, async () => {
      const listed = rows(1_203);
      const { made } = world(listed);
      const { file, rows: count } = await made({ list: "transactions", format: "XLSX", lang });
      assert.equal(count, listed.length);
      const [headings = [], ...all] = readXlsx(file).rows;
      // Below them are the totals, of three currencies.
      const lines = all.slice(0, listed.length);
      assert.equal(all.length, listed.length + 3);
      assert.deepEqual([headings[0]?.value, headings[5]?.value], [heading, amount]);
      assert.equal(lines.length, listed.length);
      const column = (at: number): (ReadCell | null)[] => lines.map((line) => line[at] ?? null);
      assert.deepEqual(
        column(1).map((cell) => cell?.value),
        listed.map(({ transaction: { uuid } }) => uuid),
      );
      const amounts = column(5);
      assert.ok(amounts.every((cell) => cell?.type === "number"));
      assert.equal(sumOf(amounts.map((cell) => Number(cell?.value))), sumOf(LISTED(listed)));
      assert.deepEqual(
        amounts.slice(0, 3).map((cell) => cell?.format),
        ["#,##0.00", "#,##0", "#,##0.000"],
      );
      assert.deepEqual(
        column(0)
          .slice(0, 4)
          .map((cell) => [cell?.type, clockOf(cell?.value ?? ""), cell?.format]),
        CLOCKS.map((clock) => ["number", clock, dateFormat]),
      );
      const messages = column(10).slice(0, MESSAGES.length);
      assert.deepEqual(
        messages.map((cell) => cell?.value ?? ""),
        MESSAGES,
      );
      assert.ok(
        lines.flat().every((cell) => cell?.type !== "formula"),
        "there is a formula",
      );
      assert.ok(messages.slice(0, FORMULAS.length).every((cell) => cell?.type === "text"));
    });
  }

  it("an XLSX ends with the totals of approved payments in each currency, gross and net, and names what was given back", async () => {
    const link = { method: "PAYBYLINK", createdAtMs: NOW_MS } as const;
    const listed = [
      transaction({ ...link, uuid: "whole", amountCents: 2_000 }, { refundedMinor: 2_000 }),
      transaction({ ...link, uuid: "part", amountCents: 3_000 }, { refundedMinor: 1_250 }),
      transaction({ uuid: "kept", amountCents: 1_050 }),
      transaction({ uuid: "declined", amountCents: 9_999, status: "KO" }),
      transaction({ uuid: "check", amountCents: 77 }, { isPayment: false }),
      transaction({ uuid: "yen", amountCents: 500, currency: "JPY" }),
      transaction({ uuid: "odd", amountCents: 1, currency: "=SUM(A1)" }),
    ];
    const { made } = world(listed);
    const columns = ["uuid", "status", "amount", "currency", "refundedAmount", "netAmount"];
    const { file, rows: count } = await made({ list: "transactions", format: "XLSX", lang: "en", columns });
    assert.equal(count, listed.length, "totals are no rows of the list");
    const values = readXlsx(file).rows.map((row) => row.map((cell) => cell?.value ?? ""));
    assert.deepEqual(values, [
      ["UUID", "Status", "Amount", "Currency", "Refunded", "Net"],
      ["whole", "REFUNDED", "20", "EUR", "20", "0"],
      ["part", "PARTLY_REFUNDED", "30", "EUR", "12.5", "17.5"],
      ["kept", "OK", "10.5", "EUR", "0", "10.5"],
      ["declined", "KO", "99.99", "EUR", "0", "0"],
      ["check", "OK", "0.77", "EUR", "0", "0"],
      ["yen", "OK", "500", "JPY", "0", "500"],
      ["odd", "OK", "0.01", "=SUM(A1)", "0", "0.01"],
      ["Total of approved payments EUR", "", "60.5", "EUR", "32.5", "28"],
      ["Total of approved payments JPY", "", "500", "JPY", "0", "500"],
    ]);
    // Nothing to add up: no totals. And a CSV is one row of headings and rows of data.
    const plain = await made({ list: "transactions", format: "XLSX", lang: "en", columns: ["uuid", "status"] });
    assert.equal(readXlsx(plain.file).rows.length, listed.length + 1);
    const csv = await made({ list: "transactions", format: "CSV", lang: "en", columns });
    const lines = csv.file.toString("utf8").slice(1).trimEnd().split("\r\n");
    assert.deepEqual(lines.slice(0, 3), [
      "UUID,Status,Amount,Currency,Refunded,Net",
      "whole,REFUNDED,20.00,EUR,20.00,0.00",
      "part,PARTLY_REFUNDED,30.00,EUR,12.50,17.50",
    ]);
    assert.equal(lines.length, listed.length + 1);
  });

  it("a CSV has an apostrophe before what a spreadsheet would take for a formula, and numbers as the language writes them", async () => {
    const listed = rows(1_203);
    for (const [lang, delimiter, first] of [
      ["it", ";", "-12,34"],
      ["en", ",", "-12.34"],
    ] as const) {
      const { made } = world(listed);
      const { file, rows: count } = await made({ list: "transactions", format: "CSV", lang, columns: ["uuid", "amount", "message"] });
      assert.equal(count, listed.length);
      const text = file.toString("utf8");
      assert.ok(text.startsWith("\ufeffUUID"));
      assert.ok(text.includes(`${delimiter}${first}${delimiter}`));
      assert.equal(text.match(/(?:^|\r\n)u-\d+/g)?.length, listed.length);
      for (const formula of FORMULAS) assert.ok(text.includes(`'${formula}`), formula);
      assert.ok(!/[;,]"?[=+@]/.test(text.replaceAll(/[;,]"?'[^\r]*/g, "")), "something begins as a formula");
    }
  });

  it("codes that a spreadsheet would change stay texts in a CSV, and texts that look like codes of characters stay as they are in an XLSX", async () => {
    const codes = ["0042", "00", "1234567890123456", "12E5"];
    const others = ["0", "42", "4.2", "0042a", "123456789012345"];
    const escapes = ["_x0041_", "a_x000D__x000a_", "_x41_"];
    const listed = [...codes, ...others, ...escapes].map((message, index) => transaction({ uuid: `u-${index}`, message }));
    const columns = ["amount", "message"];
    const csv = (await world(listed).made({ list: "transactions", format: "CSV", lang: "en", columns })).file.toString("utf8");
    const cells = csv.trimEnd().split("\r\n").slice(1);
    assert.deepEqual(
      cells.map((line) => line.slice(line.lastIndexOf(",") + 1)),
      [...codes.map((code) => `'${code}`), ...others, ...escapes],
    );
    const { file } = await world(listed).made({ list: "transactions", format: "XLSX", lang: "en", columns });
    const strings = unzip(file).get("xl/sharedStrings.xml")?.toString("utf8") ?? "";
    for (const text of ["_x005F_x0041_", "a_x005F_x000D__x005F_x000a_", "_x41_", ">0042<"])
      assert.ok(strings.includes(text), `${text} in ${strings}`);
  });

  it("a CSV of all columns is that of the list's own download", async () => {
    const { made } = world(rows(20));
    const { file } = await made({ list: "transactions", format: "CSV", lang: "it" });
    const [head = ""] = file.toString("utf8").slice(1).split("\r\n");
    assert.equal(
      head,
      "Data e ora (Europe/Rome);UUID;Terminale;Metodo;Esito;Importo;Valuta;Circuito;Ultime 4 cifre;Codice di autorizzazione;Messaggio;Rimborsato;Netto;Codice di risposta;Motivo del rifiuto;Che cosa fare",
    );
  });

  it("explains declined payments in the language of the file, beside the code as it came", async () => {
    const listed = [
      transaction({ uuid: "u-1", status: "KO", auth: { actionCode: "43" } }),
      transaction({ uuid: "u-2", status: "KO", method: "SATISPAY", auth: {}, satispay: { status: "CANCELED" } }),
      transaction({ uuid: "u-3", status: "KO", auth: { actionCode: "X9" } }),
      transaction({ uuid: "u-4", status: "OK", auth: { actionCode: "51" } }),
    ];
    const columns = ["uuid", "actionCode", "declineReason", "declineAdvice"];
    for (const [lang, delimiter, stolen, advice, satispay] of [
      ["en", ",", "The card is reported as stolen", "Do not keep the card", "Cancelled in Satispay, or not confirmed there in time"],
      ["it", ";", "La carta risulta rubata", "Non trattenere la carta", "Annullato in Satispay, o non confermato lì in tempo"],
    ] as const) {
      const { file } = await world(listed).made({ list: "transactions", format: "CSV", lang, columns });
      const lines = file.toString("utf8").split("\r\n");
      const cell = (text: string) => (text.includes(delimiter) ? `"${text}"` : text);
      assert.ok(lines[1]?.startsWith(["u-1", "43", cell(stolen), ""].join(delimiter)), lines[1]);
      assert.ok(lines[1]?.includes(advice), lines[1]);
      assert.ok(lines[2]?.startsWith(["u-2", "", cell(satispay), ""].join(delimiter)), lines[2]);
      assert.deepEqual(lines.slice(3, 5), [`u-3${delimiter}X9${delimiter.repeat(2)}`, `u-4${delimiter}51${delimiter.repeat(2)}`]);
    }
  });

  it("every column of every list has a value of its own", async () => {
    for (const list of ["transactions", "payment-links", "disputes", "subscriptions"] as const) {
      const columns = [...columnsOf(list).keys()];
      const { made } = world(rows(3));
      const { file } = await made({ list, format: "CSV", lang: "en", columns });
      assert.equal(file.toString("utf8").split("\r\n")[0]?.split(",").length, columns.length, list);
    }
  });

  it("a list is read page by page, as whoever asked for it sees it", async () => {
    const { made, asked } = world();
    const order = {
      list: "payment-links",
      format: "CSV",
      columns: ["id", "customerEmail", "createdBy"],
      filters: { state: "PENDING" },
    } as const;
    const { file, rows: count } = await made(order, { type: "user", userId: "usr_1" });
    assert.equal(count, 5);
    assert.deepEqual(
      asked.pages.map(({ cursor, state, limit }) => [cursor, state, limit]),
      [null, "2", "4"].map((cursor) => [cursor, "PENDING", 200]),
    );
    assert.deepEqual([...new Set(asked.merchants)], ["SHOP-001"]);
    assert.match(file.toString("utf8"), /pl_0;ada@example\.org;owner@shop\.example/);
  });

  it("who may not export any more gets nothing", async () => {
    const { made, said } = world(rows(3));
    const refused = (error: unknown) => error instanceof ExportRefused && error.failure === "not_permitted";
    const order = { list: "transactions", format: "CSV" } as const;
    for (const [role, state] of [
      ["VIEWER", "ACTIVE"],
      ["DEVELOPER", "ACTIVE"],
      ["OWNER", "DISABLED"],
    ] as const) {
      Object.assign(said, { role, state });
      await assert.rejects(made(order, { type: "user", userId: "usr_1" }), refused, `${role} ${state}`);
    }
    Object.assign(said, { role: "FINANCE", state: "ACTIVE" });
    assert.equal((await made(order, { type: "user", userId: "usr_1" })).rows, 3);
    await assert.rejects(made(order, { type: "user", userId: "usr_gone" }), refused);
  });

  it("an XLSX has room for so many rows, and no more", { timeout: 180_000 }, async () => {
    const many = Array.from({ length: XLSX_ROWS_MAX + 1 }, (_, index) => transaction({ uuid: `u-${index}` }));
    const { made } = world(many);
    await assert.rejects(
      made({ list: "transactions", format: "XLSX", columns: ["uuid"] }),
      (error) => error instanceof ExportRefused && error.failure === "too_many_rows",
    );
    const { file, rows: count } = await world(many.slice(1)).made({ list: "transactions", format: "XLSX", columns: ["uuid"] });
    assert.equal(count, XLSX_ROWS_MAX);
    assert.equal(readXlsx(file).rows.length, XLSX_ROWS_MAX + 1);
  });

  it("an XLSX waits until no other one is made on the node; a CSV does not", async () => {
    const { source, said, asked } = world();
    said.sheetIsTaken = true;
    const { signal } = new AbortController();
    (await source.turn(record({ list: "transactions", format: "CSV" }, { type: "key" }), signal))();
    assert.equal(asked.pauses, 0);
    (await source.turn(record({ list: "transactions", format: "XLSX" }, { type: "key" }), signal))();
    assert.equal(asked.pauses, 3);
  });

  it("a thread that fails says why, and one that is told to end does", { timeout: 60_000 }, async () => {
    const { source } = world(rows(2_000));
    const ending = new AbortController();
    const pieces = source.pieces(record({ list: "transactions", format: "XLSX" }, { type: "key" }), ending.signal);
    ending.abort();
    await assert.rejects(async () => {
      for await (const _ of pieces) assert.fail("it has a piece");
    }, /abort/i);
  });
});
