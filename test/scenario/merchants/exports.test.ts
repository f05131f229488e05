import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { SANDBOX_SECRET } from "../../../infra/sandbox/gateway/options.ts";
import { readXlsx } from "../../http/exports/world.ts";
import type { Answer, HttpClient } from "../../support/http/http-client.ts";
import { assertMatches, listOf, member, textMember } from "../../support/http/matches.ts";
import { Relay } from "../../support/node/relay.ts";
import { bearer, newPartnerApi } from "../../support/people/new-partner-api.ts";
import { lastMailTo, PORTAL_API, PortalPerson } from "../../support/people/portal-person.ts";
import { eventually } from "../../support/within.ts";

const STEP_UP_MS = 600_000;
const DAY_MS = 86_400_000;

const relay = new Relay({ shards: 2, environment: { RELAY_GATEWAY_URL: "http://127.0.0.1:1" } });

let merchantId = "";
/** The merchant's program. */
let shop: HttpClient;
let owner: PortalPerson;
let finance: PortalPerson;
let accountant: PortalPerson;
let viewer: PortalPerson;

async function person(role: string, invite: (email: string) => Promise<Answer>): Promise<PortalPerson> {
  const email = `${role.toLowerCase()}.${relay.uuid()}@example.com`;
  const invited = await invite(email);
  assert.ok(invited.status < 300, invited.text);
  const one = new PortalPerson(relay, email);
  assert.equal((await one.accept((await lastMailTo(relay, email)).token)).status, 200);
  await one.enrol();
  return one;
}

async function pay(terminalId: string, amount: number, result: object): Promise<void> {
  const [uuid, fleet] = [relay.uuid(), relay.fleet()];
  assert.equal((await fleet.pay(terminalId, { uuid, amount })).status, 200);
  assert.equal((await fleet.take(terminalId)).status, 200);
  assert.equal((await fleet.receipt(terminalId, { uuid, result: "OK", amount, ...result })).status, 200);
}

before(async () => {
  await relay.start();
  await relay.clickhouse();
  const partner = await newPartnerApi(relay, {}, SANDBOX_SECRET);
  merchantId = `exports-${relay.uuid().slice(0, 8)}`;
  const made = await partner.call("POST", "/merchants", { merchantId, merchantName: "Trattoria" });
  assert.equal(made.status, 201, made.text);
  shop = bearer(relay, textMember(made.body, "keys", "secretKey"));
  const administrator = relay.administrator();
  const limit = { method: "PATCH", body: { compatRequestsPerMinute: 10_000 } } as const;
  assert.equal((await administrator.send(`/admin/api/merchants/${merchantId}`, limit)).status, 200);
  const terminalId = relay.terminalId();
  assert.equal((await administrator.post("/admin/cloud-configs", { terminalId, merchantId })).status, 200);
  for (let made = 0; made < 30; made += 1) {
    const message = made % 5 === 0 ? `=cmd|' /C calc'!A${made}` : `Payment ${made}; "twice"`;
    await pay(terminalId, 1_000 + made * 7, { result: made % 4 === 0 ? "KO" : "OK", message });
    if (made % 10 === 9) relay.advance(1_001);
  }
  owner = await person("OWNER", (email) => partner.call("POST", `/merchants/${merchantId}/portal-users`, { email, locale: "en" }));
  const invite = (role: string) => (email: string) => owner.send("POST", "/users", { email, role });
  finance = await person("FINANCE", invite("FINANCE"));
  accountant = await person("FINANCE", invite("FINANCE"));
  viewer = await person("VIEWER", invite("VIEWER"));
  const order = { amountMinor: 1_050, description: "Dinner", customerEmail: "ada@example.org" };
  assert.equal((await shop.post(`${PORTAL_API}/payment-links`, order)).status, 201);
});
after(() => relay.stop());
/** An address has so many requests in a second. */
beforeEach(() => relay.advance(1_001));

const create = (who: PortalPerson, order: object) => who.send("POST", "/exports", order);

/** Asks for an export until it has ended; its id. */
async function ended(who: PortalPerson, order: object, state = "READY"): Promise<string> {
  const made = await create(who, order);
  assertMatches(made, { status: 201, body: { data: { state: "QUEUED", rows: null, expiresAt: null } } });
  const id = textMember(made.body, "data", "id");
  await eventually(async () => {
    relay.advance(1_001);
    assertMatches((await who.send("GET", `/exports/${id}`)).body, { data: { state } });
  });
  return id;
}

/** All rows of the list, as its endpoint answers. */
async function listed(filters: string): Promise<unknown[]> {
  const items: unknown[] = [];
  for (let cursor = ""; ; ) {
    const answer = await shop.get(`${PORTAL_API}/transactions?limit=7&${filters}${cursor}`);
    assert.equal(answer.status, 200, answer.text);
    items.push(...listOf(member(answer.body, "data", "items")));
    const next = member(answer.body, "data", "next");
    if (typeof next !== "string") return items;
    cursor = `&cursor=${encodeURIComponent(next)}`;
  }
}

describe("exports of lists", () => {
  for (const lang of ["it", "en"] as const) {
    test(`have the rows of the list with its filters, as many and with the same sum, in ${lang}`, async () => {
      const items = await listed("status=OK");
      assert.ok(items.length > 7);
      const sum = items.reduce<number>((all, item) => all + Number(member(item, "amountMinor")), 0);
      const uuids = items.map((item) => member(item, "uuid"));
      const order = { list: "transactions", filters: { status: "OK" }, lang, columns: ["createdAt", "uuid", "amount", "message"] };
      for (const format of ["XLSX", "CSV"] as const) {
        const id = await ended(finance, { ...order, format });
        const shown = member((await finance.send("GET", `/exports/${id}`)).body, "data");
        const file = await finance.send("GET", `/exports/${id}/file`);
        assertMatches(shown, { state: "READY", rows: items.length, bytes: file.bytes.byteLength, personalData: false, creator: "user" });
        assert.equal(file.status, 200);
        assert.match(file.headers["content-disposition"] ?? "", new RegExp(`^attachment; filename="${textMember(shown, "fileName")}"`));
        assert.match(String(file.headers["content-security-policy"]), /^sandbox/);
        assert.equal(file.headers["cache-control"], "no-store");
        if (format === "XLSX") {
          const [headings, ...rows] = readXlsx(file.bytes).rows;
          const [lines, totals] = [rows.slice(0, items.length), rows.slice(items.length)];
          assert.deepEqual(
            totals.map((row) => [row[0]?.value, Math.round(Number(row[2]?.value) * 100)]),
            [[lang === "it" ? "Totale pagamenti approvati EUR" : "Total of approved payments EUR", sum]],
          );
          assert.equal(headings?.[0]?.value, `${lang === "it" ? "Data e ora" : "Date and time"} (Europe/Rome)`);
          assert.deepEqual(
            lines.map((line) => line[1]?.value),
            uuids,
          );
          assert.equal(
            lines.reduce((all, line) => all + Math.round(Number(line[2]?.value) * 100), 0),
            sum,
          );
          const formulas = lines.filter((line) => line[3]?.value.startsWith("=cmd"));
          assert.ok(formulas.length > 0 && formulas.every((line) => line[3]?.type === "text"));
        } else {
          const [, ...lines] = file.text.trim().split("\r\n");
          const [delimiter, point] = lang === "it" ? [";", ","] : [",", "."];
          assert.equal(lines.length, items.length);
          assert.deepEqual(
            lines.map((line) => line.split(delimiter)[1]),
            uuids,
          );
          const sumOfFile = lines.reduce((all, line) => all + Math.round(Number(line.split(delimiter)[2]?.replace(point, ".")) * 100), 0);
          assert.equal(sumOfFile, sum);
          assert.ok(lines.some((line) => line.includes(`${delimiter}'=cmd`)));
        }
      }
    });
  }

  test("belong to who asked for them; an owner and an administrator see all, and a viewer none", async () => {
    const id = await ended(finance, { list: "transactions", format: "CSV" });
    for (const path of [`/exports/${id}`, `/exports/${id}/file`]) {
      assert.equal((await finance.send("GET", path)).status, 200);
      assert.equal((await owner.send("GET", path)).status, 200);
      assertMatches(await accountant.send("GET", path), { status: 404, body: { code: "not_found" } });
      assertMatches(await viewer.send("GET", path), { status: 403, body: { code: "role" } });
      assert.equal((await shop.get(PORTAL_API + path)).status, 404, "a key sees what keys have asked for");
    }
    const idsOf = async (who: PortalPerson) =>
      listOf(member((await who.send("GET", "/exports")).body, "data", "items")).map((one) => member(one, "id"));
    assert.ok((await idsOf(owner)).includes(id));
    assert.ok((await idsOf(finance)).includes(id));
    assert.deepEqual(await idsOf(accountant), []);
    assertMatches(await viewer.send("POST", "/exports", { list: "transactions", format: "CSV" }), { status: 403, body: { code: "role" } });
  });

  test("with what is about people need a second factor of the last ten minutes, to be made and to be downloaded", async () => {
    const order = { list: "payment-links", format: "CSV", columns: ["id", "customerEmail", "createdBy"], lang: "en" };
    const stepUp = () => owner.send("POST", "/session/step-up", { code: owner.code() });
    assert.equal((await stepUp()).status, 200);
    const id = await ended(owner, order);
    const file = await owner.send("GET", `/exports/${id}/file`);
    assert.match(file.text, /ada@example\.org,API key/);
    relay.advance(STEP_UP_MS + 1_000);
    for (const answer of [await create(owner, order), await owner.send("GET", `/exports/${id}/file`)]) {
      assertMatches(answer, { status: 403, body: { code: "step_up_required" } });
    }
    // What tells of it holds nothing about anybody; and without those columns nothing more is asked for.
    assert.equal((await owner.send("GET", `/exports/${id}`)).status, 200);
    await ended(owner, { ...order, columns: ["id", "amount"] });
    assert.equal((await stepUp()).status, 200);
    assert.equal((await owner.send("GET", `/exports/${id}/file`)).status, 200);
  });

  test("are refused where the list or its filters or columns are not known", async () => {
    for (const [change, error] of [
      [{ list: "accounts" }, /list/],
      [{ filters: { state: "PAID" } }, /filters\.state: is no filter of transactions/],
      [{ filters: { status: "MAYBE" } }, /status/],
      [{ filters: { from: "2026-13-01" } }, /from/],
      [{ filters: { from: "2026-11-02", to: "2026-11-01" } }, /from: is after to/],
      [{ filters: { amountMin: 1.5 } }, /amountMin/],
      [{ columns: ["uuid", "pan"] }, /columns: transactions has no column pan/],
      [{ columns: [] }, /columns/],
      [{ columns: ["uuid", "uuid"] }, /columns/],
      [{ filter: { status: "OK" } }, /filter/],
      [{ format: "PDF" }, /format/],
    ] as const) {
      const answer = await create(finance, { list: "transactions", format: "CSV", ...change });
      assertMatches(answer, { status: 400, body: { code: "invalid_request", error } }, JSON.stringify(change));
      relay.advance(200);
    }
  });

  test("are made once for a key of a request, and are gone after a day", async () => {
    const headers = { "idempotency-key": relay.uuid() };
    const order = { list: "transactions", format: "CSV" };
    const [one, again] = [
      await shop.post(`${PORTAL_API}/exports`, order, headers),
      await shop.post(`${PORTAL_API}/exports`, order, headers),
    ];
    const id = textMember(one.body, "data", "id");
    assert.equal(textMember(again.body, "data", "id"), id);
    await eventually(async () => {
      relay.advance(1_001);
      assertMatches((await shop.get(`${PORTAL_API}/exports/${id}`)).body, { data: { state: "READY" } });
    });
    relay.advance(DAY_MS);
    for (const path of [`/exports/${id}`, `/exports/${id}/file`]) assert.equal((await shop.get(PORTAL_API + path)).status, 404);
  });
});
