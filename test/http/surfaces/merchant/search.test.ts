import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { portalLink } from "../../../engine/portal-links/machine-world.ts";
import { assertMatches } from "../../../support/http/matches.ts";
import { NOW_MS, open, terminal, transaction } from "./world.ts";

const pathOf = (q: string) => `/search?q=${encodeURIComponent(q)}`;

describe("GET /search", () => {
  it("returns the groups and similar objects without personal data", async (t) => {
    const { get, said, searched } = await open(t);
    const group = { state: "searched", hits: [], more: false, sinceMs: null } as const;
    said.found = {
      groups: [
        { ...group, name: "payments", hits: [{ type: "payment", payment: transaction() }], more: true, sinceMs: NOW_MS },
        { ...group, name: "payment_links", hits: [{ type: "payment_link", link: portalLink() }] },
        { ...group, name: "disputes", state: "away" },
      ],
      near: [{ type: "terminal", terminal: terminal("T1", { device: { deviceModel: "A920" } }, "Bar") }],
    };
    const { status, body, text } = await get(pathOf(" 10.50 "), "VIEWER");
    assert.equal(status, 200);
    const money = { amountMinor: 1_050, currency: "EUR" };
    assert.deepEqual(body, {
      status: "ok",
      data: {
        groups: [
          {
            ...{ name: "payments", state: "searched", more: true, since: new Date(NOW_MS).toISOString() },
            items: [{ type: "payment", id: "u-1", ...money, at: "2026-11-25T10:19:42.500Z", state: "OK", detail: "VISA ···· 1111 · T1" }],
          },
          {
            ...{ name: "payment_links", state: "searched", more: false, since: null },
            items: [
              {
                ...{ type: "payment_link", id: portalLink().id, amountMinor: 1_234, currency: "EUR", at: "2023-11-14T22:13:20.000Z" },
                ...{ state: "PENDING", detail: "Two nights" },
              },
            ],
          },
          { name: "disputes", state: "away", items: [], more: false, since: null },
        ],
        near: [{ type: "terminal", id: "T1", amountMinor: null, currency: null, at: null, state: "NEVER_CONNECTED", detail: "A920 · Bar" }],
        withheld: null,
      },
    });
    assert.doesNotMatch(text, /ada@/);
    assertMatches(searched, [{ wanted: { text: "10.50" } }]);
  });

  it("searches the merchant of the session or key, whoever is asked for", async (t) => {
    const { get, searched } = await open(t);
    for (const who of ["key", "other key", "OWNER"] as const) assert.equal((await get(pathOf("abcd"), who)).status, 200);
    assert.deepEqual(
      searched.map(({ merchantId, livemode }) => [merchantId, livemode]),
      [
        ["SHOP-001", false],
        ["SHOP-002", false],
        ["SHOP-001", false],
      ],
    );
    assert.equal((await get(pathOf("abcd"), "nobody")).status, 401);
    assert.equal((await get(pathOf("abcd"), "publishable")).status, 403);
  });

  it("does not search an e-mail address for roles that do not see personal data, and says why", async (t) => {
    const { get, searched } = await open(t);
    for (const role of ["VIEWER", "DEVELOPER"] as const) {
      assertMatches(await get(pathOf("ada@example.org"), role), {
        status: 200,
        body: { data: { groups: [], near: [], withheld: "personal_data" } },
      });
    }
    assert.equal(searched.length, 0);
    for (const who of ["OWNER", "ADMIN", "FINANCE", "key"] as const) {
      assertMatches(await get(pathOf("ada@example.org"), who), { status: 200, body: { data: { withheld: null } } });
    }
    assert.deepEqual(
      searched.map(({ wanted }) => wanted.email),
      Array.from({ length: 4 }, () => "ada@example.org"),
    );
  });

  it("refuses texts that are too short or too long, and other parameters", async (t) => {
    const { get } = await open(t);
    for (const path of ["/search", "/search?q=a", pathOf("x".repeat(255)), "/search?q=abcd&limit=1000"]) {
      assertMatches(await get(path), { status: 400, body: { code: "invalid_request" } });
    }
  });
});
