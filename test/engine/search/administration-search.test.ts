import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { SearchHit } from "../../../engine/operators/search-hit.ts";
import type { MerchantRecord } from "../../../engine/partners/merchant.ts";
import type { FedHit, FedWanted } from "../../../engine/payments/fed-search.ts";
import { createAdministrationSearch, PLACES_MAX } from "../../../engine/search/administration-search.ts";
import { readSearchText } from "../../../engine/search/search-text.ts";

const UUID = "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10";

const HIT: SearchHit = {
  ...{ kind: "command", id: UUID, terminalId: "T1", merchantId: null, state: "OK", amountMinor: 1, currency: "EUR" },
  ...{ createdAtMs: 1, updatedAtMs: 1, timeline: [], attention: [] },
};

function rowOf(uuid: string): FedHit {
  return {
    ...{ type: "result", terminalId: "T1", uuid, what: "CARD", state: "OK", amountMinor: 2_051, currency: "EUR", merchantId: "SHOP-1" },
    ...{ atMs: 5, sentAtMs: null, endedAtMs: null, unsolicited: false },
  };
}

function merchantOf(merchantId: string): MerchantRecord {
  const keys = { publishable: "p", secret: "s" };
  return {
    ...{
      schema: 1,
      merchantId,
      partnerId: 7,
      merchantName: `The shop ${merchantId}`,
      environment: "TEST",
      active: true,
      keys,
      services: {},
    },
    ...{ createdAtMs: 1, updatedAtMs: 1, createdBy: "test" },
  };
}

function open({ hits = [], rows = async () => [] }: { hits?: readonly SearchHit[]; rows?(wanted: FedWanted): Promise<FedHit[]> } = {}) {
  const asked: FedWanted[] = [];
  const seen = ["ALPHA-1", "T1", "TILL-1", "TILL-2", "TILL-3"];
  const merchants = ["SHOP-1", "SHOP-2", "STORE-1"].map(merchantOf);
  const search = createAdministrationSearch({
    byId: async (id) => ({ hits: hits.filter((hit) => hit.id === id), clickhouse: "asked" }),
    fed: async (wanted) => {
      asked.push(wanted);
      return rows(wanted);
    },
    seenTerminals: async (after, limit) =>
      seen
        .filter((id) => id > after)
        .slice(0, limit)
        .map((terminalId) => ({ terminalId })),
    configuredTerminals: () => ["BAR-7", "TILL-1"],
    merchants: { beginning: async (text, limit) => merchants.filter(({ merchantId }) => merchantId.startsWith(text)).slice(0, limit) },
    partners: () => [{ id: 7, username: "acme" }],
    nodes: async () => [{ nodeId: "node-a" }, { nodeId: "node-b" }],
  });
  return { asked, byId: search.byId, search: (text: string) => search(readSearchText(text)) };
}

const ids = (places: readonly { kind: string; id: string }[]) => places.map(({ kind, id }) => `${kind} ${id}`);

describe("the search of administrators", () => {
  it("finds terminals, merchants, partners and nodes", async () => {
    const { search } = open();
    for (const [text, found] of [
      ["TILL", ["terminal TILL-1", "terminal TILL-2", "terminal TILL-3"]],
      ["T1", ["terminal T1"]],
      ["ar-7", ["terminal BAR-7"]],
      ["SHOP", ["merchant SHOP-1", "merchant SHOP-2"]],
      ["ACM", ["partner 7"]],
      ["node-", ["node node-a", "node node-b"]],
      ["nothing", []],
    ] as const) {
      assert.deepEqual(ids((await search(text)).places), found, text);
    }
  });

  it("suggests places with one typing error if nothing is found", async () => {
    const { search } = open();
    for (const [text, near] of [
      ["BRA-7", ["terminal BAR-7"]],
      ["SHOP-11", ["merchant SHOP-1"]],
      ["acmee", ["partner 7"]],
      ["node-c", ["node node-a", "node node-b"]],
      ["SHOP-1", []],
    ] as const) {
      assert.deepEqual(ids((await search(text)).near), near, text);
    }
    assert.ok((await search("TILL-9")).near.length <= PLACES_MAX);
  });

  it("searches recent payments by amount, and adds only those that are not found by id", async () => {
    const { search, asked } = open({ hits: [HIT], rows: async () => [rowOf(UUID), rowOf("another")] });
    const byAmount = await search("20,51");
    assert.deepEqual(
      byAmount.hits.map(({ id, amountMinor, merchantId }) => [id, amountMinor, merchantId]),
      [
        [UUID, 2_051, "SHOP-1"],
        ["another", 2_051, "SHOP-1"],
      ],
    );
    assert.deepEqual(asked[0]?.uuids, []);
    assert.deepEqual(asked[0]?.filter?.wanted?.amounts[0], { minor: 2_051, decimals: 2 });
    const byUuid = await search(UUID);
    assert.deepEqual(byUuid.hits, [HIT]);
    assert.equal(asked.length, 1, "the search by id finds a whole uuid at any age");
  });

  it("returns everything else if ClickHouse does not respond", async () => {
    const { search } = open({ rows: () => Promise.reject(new RelayError("unavailable", "away")) });
    const found = await search("TILL");
    assert.equal(found.clickhouse, "away");
    assert.equal(found.places.length, 3);
  });

  it("searches only by id on request", async () => {
    const { byId, asked } = open({ hits: [HIT] });
    assert.deepEqual(await byId(UUID), { hits: [HIT], clickhouse: "asked", places: [], near: [] });
    assert.deepEqual((await byId("TILL-1")).places, []);
    assert.deepEqual(asked, []);
  });
});
