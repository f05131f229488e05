import assert from "node:assert/strict";
import { before } from "node:test";
import fc from "fast-check";
import { anyJson, anyJsonText } from "../../support/http/any-json.ts";
import { member } from "../../support/http/matches.ts";
import type { Relay } from "../../support/node/relay.ts";
import { eventually } from "../../support/within.ts";
import { testOnNodes } from "../layouts.ts";

const SEED = Number(process.env["SEED"] ?? Date.now() % 1_000_000);
const POSTINGS = 400;
const TERMINALS = 10;

/** Members that end in a column of their own, and where the transaction has them; the longest that is kept. */
const TEXTS: { name: string; column: string; place: readonly string[]; charsMax: number }[] = [
  { name: "message", column: "message", place: ["message"], charsMax: 512 },
  { name: "authCode", column: "auth_code", place: ["auth", "authCode"], charsMax: 128 },
  { name: "stan", column: "stan", place: ["auth", "stan"], charsMax: 128 },
  { name: "merchantId", column: "merchant_id", place: ["merchantId"], charsMax: 128 },
  { name: "deviceModel", column: "provider_model", place: ["provider", "model"], charsMax: 128 },
];

type Columns = { [column: string]: string | number | boolean };

interface Posting {
  members: readonly [name: string, json: string][];
  service: "PAYCC" | "PAYBP" | "RECEIPT" | "SCAN";
  outcome: string;
  /** Beside the transaction, a second and different result is posted. */
  twice: boolean;
}

const anyPosting: fc.Arbitrary<Posting> = fc.record({
  members: fc.array(
    fc.tuple(
      fc.constantFrom(
        ...TEXTS.map(({ name }) => name),
        "voucher",
        "receipt",
        "amount",
        "currency",
        "scannedValue",
        "card",
        "auth",
        "provider",
        "x",
      ),
      fc.oneof(anyJson, anyJsonText, fc.constantFrom(`"${"x".repeat(2_000)}"`, `"${"😀".repeat(300)}"`, "[".repeat(900) + "]".repeat(900))),
    ),
    { maxLength: 7 },
  ),
  service: fc.constantFrom("PAYCC", "PAYBP", "RECEIPT", "SCAN"),
  outcome: fc.constantFrom('"result":"OK"', '"status":"KO"', '"approved":true', '"result":"APPROVED"'),
  twice: fc.boolean(),
});

/** As much as fits into a body: numbers that grow fivefold when they are written, quotes that are escaped each time, depth, text. */
const LARGE: Posting[] = [
  `[${Array.from({ length: 12_500 }, () => "1e20").join(",")}]`,
  `"${'\\"'.repeat(32_000)}"`,
  `"${"\\u0000".repeat(10_000)}"`,
  `${"[".repeat(32_000)}${"]".repeat(32_000)}`,
  `"${"é€😀".repeat(7_000)}"`,
].flatMap((json) =>
  ["message", "receipt", "scannedValue", "x"].map((name): Posting => {
    const service = name === "receipt" ? "RECEIPT" : "SCAN";
    return { members: [[name, json]], service, outcome: '"result":"OK"', twice: true };
  }),
);

/** What UTF-8 makes of a text: an independent word for what is to be stored of it. */
const inUtf8 = (text: string): string => Buffer.from(text, "utf8").toString("utf8");

/** At most so many units, and no half of a character at the end. */
function cut(text: string, charsMax: number): string {
  return text.length <= charsMax
    ? text
    : inUtf8(text.slice(0, charsMax)).replace(/\ufffd$/, (end) => (text[charsMax - 1] === "\ufffd" ? end : ""));
}

/** What is to be kept of a free-form member: all of it, but for what JSON can write and no number hold, and for what lies too deep. */
function kept(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return inUtf8(value);
  if (typeof value === "number") return Number.isFinite(value) ? (Object.is(value, -0) ? 0 : value) : null;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= 32) return "****";
  if (Array.isArray(value)) return value.map((item) => kept(item, depth + 1));
  const members = Object.entries(value).filter(([name]) => name !== "__proto__");
  return Object.fromEntries(members.map(([name, inner]) => [inUtf8(name), kept(inner, depth + 1)]));
}

/** A free-form member as an object. */
function asObject(value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "object") return { text: value };
  return Array.isArray(value) ? { items: value } : value;
}

/** A member of an object, whatever its depth is. */
function own(value: unknown, name: string): unknown {
  const members = new Map<string, unknown>(Object.entries(Object(value)));
  return members.get(name);
}

/** A posting in a message: as it was sent, but for its length. */
function shown(text: string): string {
  return text.length <= 4_096 ? text : `${text.slice(0, 4_096)}... (${text.length} characters)`;
}

/** Two different amounts or currencies of one result are refused; other members may stand there twice. */
function onceOfMoney(members: Posting["members"]): Posting["members"] {
  return members.filter(
    ([name], place) => !["amount", "currency"].includes(name) || members.findIndex(([other]) => other === name) === place,
  );
}

/** Whatever JSON is answered 200 at `receipt` is found in ClickHouse, with the same members. */
export function foundInClickHouse(relay: Relay): void {
  before(() => relay.clickhouse());

  testOnNodes(`whatever JSON is answered 200 at receipt is found in ClickHouse with the same members (seed ${SEED})`, async () => {
    const terminals = Array.from({ length: TERMINALS }, () => relay.terminalId());
    const postings = [...LARGE, ...fc.sample(anyPosting, { seed: SEED, numRuns: POSTINGS })];
    const refusedBefore = await relay.metric("relay_feed_refused_rows_total");
    const posted = new Map<string, { text: string; body: unknown; twice: boolean }>();
    for (const [index, { members, service, outcome, twice }] of postings.entries()) {
      const [terminalId, uuid] = [terminals[index % TERMINALS] ?? "", relay.uuid()];
      // Each at an address of its own: how often one may ask is limited.
      const fleet = relay.fleet();
      const more = onceOfMoney(members)
        .map(([name, json]) => `${JSON.stringify(name)}:${json},`)
        .join("");
      const text = `{${more}"service":"${service}",${outcome},"uuid":"${uuid}"}`;
      // Half of them are results of payments, half come unasked.
      if (index % 2 === 0) {
        assert.equal((await fleet.pay(terminalId, { uuid })).status, 200);
        assert.equal((await fleet.take(terminalId)).status, 200);
      }
      const answer = await fleet.post(`/api/v1/${terminalId}/receipt`, text);
      assert.equal(answer.status, 200, `${shown(text)}: ${answer.text}`);
      posted.set(uuid, { text, body: JSON.parse(text), twice });
      if (!twice) continue;
      const second = await fleet.post(
        `/api/v1/${terminalId}/receipt`,
        text
          .replace(outcome, `"result":"KO","second":"\\ud83d"`)
          .replace('"KO","second"', outcome.includes("KO") ? '"OK","second"' : '"KO","second"'),
      );
      assert.equal(second.status, 200, `${shown(text)}: ${second.text}`);
    }

    const inTerminals = `terminal_id IN (${terminals.map((id) => `'${id}'`).join(", ")})`;
    const query = async (sql: string): Promise<Columns[]> => {
      const { url, username, password } = await relay.analyst();
      const target = `${url}/?output_format_json_quote_64bit_integers=0`;
      const headers = { "x-clickhouse-user": username, "x-clickhouse-key": password };
      const response = await fetch(target, { method: "POST", headers, body: `${sql} FORMAT JSONEachRow` });
      const answer = await response.text();
      assert.equal(response.status, 200, answer);
      return answer
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line));
    };
    const conflicts = [...posted.values()].filter(({ twice }) => twice).length;
    await eventually(async () => {
      const [counts] = await query(
        `SELECT (SELECT count() FROM relay.transactions FINAL WHERE ${inTerminals}) AS results, (SELECT count() FROM relay.conflicts FINAL WHERE ${inTerminals}) AS second,
           (SELECT count() FROM relay.command_lives FINAL WHERE ${inTerminals} AND state = 'done') AS lives`,
      );
      assert.deepEqual(counts, { results: postings.length, second: conflicts, lives: postings.length / 2 });
    });
    assert.equal(await relay.metric("relay_feed_refused_rows_total"), refusedBefore);

    const columns = TEXTS.map(({ column }) => column).join(", ");
    for (const row of await query(
      `SELECT uuid, item, status, amount_cents, currency, voucher, receipt, ${columns} FROM relay.transactions FINAL WHERE ${inTerminals}`,
    )) {
      const { text, body } = posted.get(String(row["uuid"])) ?? assert.fail(`${row["uuid"]} was never posted`);
      const stored = member((await relay.fleet().uuid(String(row["uuid"]))).body, "data");
      const item: unknown = JSON.parse(String(row["item"]));
      // The item has the time as a number, the answer as a local text.
      const { createdAtMs, ...told } = Object(item);
      const { createdAt, ...answered } = Object(stored);
      assert.deepEqual(told, answered, shown(text));
      assert.ok(Number.isSafeInteger(createdAtMs) && typeof createdAt === "string");
      assert.equal(row["status"], member(item, "status"));
      assert.equal(row["amount_cents"], member(item, "amountCents"));
      assert.equal(row["currency"], member(item, "currency"));
      for (const { name, column, place, charsMax } of TEXTS) {
        const found = place.reduce((value: unknown, step) => (value === undefined ? undefined : member(value, step)), item);
        assert.equal(row[column], found ?? "", `${column} of ${shown(text)}`);
        // Those that are texts at the top; what else may stand there, and in other places, is told by the tests of results.
        const given = own(body, name);
        if (typeof given === "string" && given !== "") assert.equal(found, cut(inUtf8(given), charsMax), `${name} of ${shown(text)}`);
      }
      for (const name of ["voucher", "receipt"]) {
        const found = member(item, name);
        assert.equal(row[name], found === undefined ? "" : JSON.stringify(found), `${name} of ${shown(text)}`);
        const isOfMethod = member(item, "method") === name.toUpperCase();
        const given = asObject(own(body, name));
        const whole = given === undefined ? undefined : kept(given);
        // A longer one stays in the raw text.
        const expected = whole === undefined || JSON.stringify(whole).length > 32_768 ? undefined : whole;
        if (isOfMethod) assert.deepEqual(found, expected, `${name} of ${shown(text)}`);
      }
    }
    for (const { uuid, raw } of await query(`SELECT uuid, raw FROM relay.conflicts FINAL WHERE ${inTerminals}`)) {
      const { text, body } = posted.get(String(uuid)) ?? assert.fail(`${uuid} was never posted`);
      const parsed: unknown = JSON.parse(String(raw));
      assert.equal(member(parsed, "second"), "\ufffd");
      assert.deepEqual(member(parsed, "x"), kept(own(body, "x"), 1), shown(text));
    }
  });
}
