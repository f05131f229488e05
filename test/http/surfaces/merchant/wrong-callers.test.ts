import assert from "node:assert/strict";
import { test } from "node:test";
import { rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import { readEndpoints } from "../../../../http/surfaces/merchant/read-endpoints.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { open, terminal, transaction, type Who } from "./world.ts";

const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const satisfies readonly Who[];

for (const { name, path, auth, may, query, refusesUnknown } of readEndpoints) {
  const asked = path.slice(MERCHANT_BASE.length).replace("{uuid}", "u-1").replace("{terminalId}", "T1");
  test(`${name}: whoever is nobody, has a wrong or publishable key, or the wrong role is refused, and all others are answered`, async (t) => {
    const { get, said } = await open(t);
    said.rows.set("SHOP-001", [transaction()]);
    said.terminals.set("SHOP-001", [terminal("T1")]);
    assertMatches(await get(asked, "nobody"), { status: 401, body: { status: "error", code: "unauthorized" } });
    assertMatches(await get(asked, "nobody", { authorization: "Bearer sk_merchant_wrong" }), { status: 401 });
    assertMatches(await get(asked, "publishable"), { status: auth === "merchantUser" ? 401 : 403 });
    assert.ok(may !== undefined);
    for (const role of ROLES) {
      const answer = await get(asked, role);
      if (rolesThatMay(may).includes(role)) assert.equal(answer.status, 200, `${role}: ${answer.text}`);
      else assertMatches(answer, { status: 403, body: { status: "error", code: "role" } });
    }
    assert.equal((await get(asked, "key")).status, auth === "merchantUser" ? 401 : 200);
  });

  test(`${name}: a merchant in the query changes nothing, and wrong members are refused`, async (t) => {
    const { get, said } = await open(t);
    said.rows.set("SHOP-001", [transaction()]);
    said.terminals.set("SHOP-001", [terminal("T1")]);
    const own = await get(asked, "OWNER");
    const answer = await get(`${asked}?merchantId=SHOP-002`, "OWNER");
    if (refusesUnknown === undefined) {
      assert.deepEqual([answer.status, answer.text, answer.headers.get("relay-ignored")], [200, own.text, "merchantId"]);
    } else assertMatches(answer, { status: 400, body: { error: "merchantId: is not a query parameter of this endpoint" } });
    for (const member of Object.keys(query?.properties ?? {})) {
      const wrong = WRONG[member];
      assert.ok(wrong !== undefined, `the test knows no wrong value of ${member}`);
      for (const value of wrong) {
        const answer = await get(`${asked}?${member}=${encodeURIComponent(value)}`, "OWNER");
        assertMatches(answer, { status: 400, body: { status: "error", code: "invalid_request", error: new RegExp(member) } });
      }
    }
  });
}

const WRONG: { readonly [member: string]: readonly string[] } = {
  from: ["2026-02-30", "yesterday", "1969-12-31", "2149-01-01"],
  to: ["2026-13-01", "2026-1-1"],
  day: ["2026-02-30", "today", "2027-01-01"],
  status: ["PENDING", "ok"],
  method: ["SCAN", "card"],
  terminalId: ["T".repeat(65)],
  amountMin: ["-1", "1.5", "ten"],
  amountMax: ["-1", "1000000000000"],
  currency: ["eur", "EURO"],
  last4: ["123", "12345", "abcd"],
  authCode: ["", "1".repeat(33)],
  q: ["abc", "x".repeat(65)],
  lang: ["de", "IT"],
  refundState: ["refunded", "ALL"],
  isPayment: ["yes", "1"],
  limit: ["0", "201", "many"],
  cursor: ["x", "%%%", Buffer.from("1/u/T/more").toString("base64url"), Buffer.from("x/u/T").toString("base64url"), "A".repeat(257)],
  objectId: [""],
  requestId: [""],
  outcome: ["maybe"],
  sort: ["name", "-"],
};
