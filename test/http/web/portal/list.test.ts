import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ListDeclaration, listHref, objectHref, queryOf } from "../../../../http/web/portal/list/declaration.ts";

const LIST = {
  page: "parcels",
  path: "/parcels",
  filters: {
    state: { type: "word", words: ["OPEN", "DONE"] },
    q: { type: "text", minLength: 3, maxLength: 6 },
    depotId: { type: "text", pattern: "^dp_[a-z]{4}$" },
    any: { type: "text" },
    dueDays: { type: "integer", minimum: 1, maximum: 400 },
    sealed: { type: "flag", default: true },
    broken: { type: "flag", default: false },
    from: { type: "day" },
    to: { type: "day" },
    customerEmail: { type: "email" },
  },
  sort: { order: "due", when: { state: "OPEN" } },
} as const satisfies ListDeclaration;

const everything = () => true;
const nothing = () => false;
const asked = (values: Record<string, string>, may = everything) => queryOf(LIST, values, may);

describe("queryOf", () => {
  const cases: readonly (readonly [name: keyof typeof LIST.filters, accepted: readonly string[], skipped: readonly string[]])[] = [
    ["state", ["DONE"], ["done", "", "toString"]],
    ["q", ["abc", "abcdef"], ["ab", "abcdefg"]],
    ["depotId", ["dp_abcd"], ["dp_abc", "xdp_abcd"]],
    ["dueDays", ["1", "400"], ["0", "401", "1.5", "-1", "07", "1e2", "x"]],
    ["from", ["2026-02-28"], ["2026-02-32", "28.02.2026", "x"]],
    ["to", ["2026-12-31"], ["2026-13-01"]],
    ["any", ["x".repeat(500)], []],
    ["sealed", ["false"], ["true", "0"]],
    ["broken", ["true"], ["false", "1"]],
    ["customerEmail", ["a@b.it"], ["a", "a b@c.it"]],
  ];
  for (const [name, accepted, skipped] of cases) {
    it(`accepts values of the filter ${name}, and skips those that it can never have`, () => {
      for (const value of accepted) assert.deepEqual(asked({ [name]: value }), { [name]: value });
      for (const value of skipped) assert.deepEqual(asked({ [name]: value }), {}, value);
    });
  }

  it("skips names that the list does not declare", () => {
    assert.deepEqual(asked({ tab: "rules", constructor: "x", q: "abc" }), { q: "abc" });
  });

  it("skips an e-mail address if the person may not see personal data, and keeps the other filters", () => {
    assert.deepEqual(asked({ customerEmail: "a@b.it", state: "DONE" }, nothing), { state: "DONE" });
  });

  it("adds the order that the declaration has for these filters", () => {
    assert.deepEqual(asked({ state: "OPEN", from: "2026-01-01" }), { state: "OPEN", from: "2026-01-01", order: "due" });
    assert.deepEqual(asked({ state: "DONE" }), { state: "DONE" });
  });

  it("asks for no order if the address has a filter value that is skipped", () => {
    assert.deepEqual(asked({ state: "open" }), {});
  });
});

describe("the address of a list or an object", () => {
  it("gives the address without a question mark if there are no filters", () => {
    assert.equal(listHref("parcels"), "/portal/parcels");
    assert.equal(objectHref("parcels", "p_1"), "/portal/parcels/p_1");
  });

  it("encodes what an id or a value may have", () => {
    assert.equal(objectHref("parcels", "a/b?c", { q: "x&y=ü" }), "/portal/parcels/a%2Fb%3Fc?q=x%26y%3D%C3%BC");
  });

  it("takes the query of an address as well as values", () => {
    assert.equal(listHref("parcels", "state=OPEN&q=a+b"), listHref("parcels", { state: "OPEN", q: "a b" }));
  });

  it("leads back to the same filters", () => {
    const values = { state: "OPEN", q: "a&b +", depotId: "dp_abcd", dueDays: "7", customerEmail: "a+b@c.it", sealed: "false" };
    const address = new URL(objectHref("parcels", "p_1", values), "https://relay.test");
    const read = Object.fromEntries(address.searchParams);
    assert.deepEqual(read, values);
    assert.deepEqual(asked(read), { ...values, order: "due" });
  });
});
