import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AlertRecord } from "../../../engine/alerts/alert.ts";
import type { DisputeRecord } from "../../../engine/disputes/dispute.ts";
import { NO_PART } from "../../../engine/kernel/commit-part.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { isInScope, type MerchantParty, type MerchantScope } from "../../../engine/kernel/merchant-scope.ts";
import type { MerchantTransaction, MerchantTransactionQuery } from "../../../engine/payments/merchant-transactions.ts";
import type { PortalLinkRecord } from "../../../engine/portal-links/portal-link.ts";
import {
  createMerchantSearch,
  GROUP_HITS_MAX,
  type MerchantHit,
  type MerchantSearchOptions,
} from "../../../engine/search/merchant-search.ts";
import { readSearchText } from "../../../engine/search/search-text.ts";
import type { MerchantTerminal } from "../../../engine/settings/merchant-terminals.ts";
import type { SubscriptionRecord } from "../../../engine/subscriptions/subscription.ts";
import { createWorkflowSearch, type WorkflowSearch } from "../../../engine/workflow/workflow-search.ts";
import { alert } from "../alerts/machine-world.ts";
import { dispute } from "../disputes/machine-world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { portalLink } from "../portal-links/machine-world.ts";
import { storeOn } from "../portal-links/world.ts";
import { subscription } from "../subscriptions/machine-world.ts";
import { settle } from "../world.ts";

const OWNER: MerchantParty = { merchantId: "M1", partnerId: 1, livemode: false };
const UUID = "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10";

/** Ids with the 24 random characters that real ones have. */
const linkId = (end: string) => `pl_${"4f0k2m9x7q1c8v5b3n6z0a2s".slice(0, 24 - end.length)}${end}`;

function payment(uuid: string): MerchantTransaction {
  const transaction = {
    uuid,
    createdAtMs: 1,
    method: "CARD",
    status: "OK",
    amountCents: 2_051,
    currency: "EUR",
    terminalId: "T1",
  } as const;
  return { transaction, amountDiffers: false, unsolicited: false, isPayment: true, refundedMinor: 0 };
}

function terminal(terminalId: string): MerchantTerminal {
  const view = { terminalId, connectionStatus: "ONLINE", connected: true, sessions: 1, device: {}, queued: 0, sent: 0 } as const;
  return { view, group: null };
}

interface Has {
  links?: readonly PortalLinkRecord[];
  subscriptions?: readonly SubscriptionRecord[];
  disputes?: readonly DisputeRecord[];
  alerts?: readonly AlertRecord[];
  terminals?: readonly string[];
  /** Answers a page of transactions; a thrown error is ClickHouse's. */
  page?(query: MerchantTransactionQuery): Promise<MerchantTransaction[]>;
}

async function open({
  links = [],
  subscriptions = [],
  disputes = [],
  alerts = [],
  terminals = [],
  page: answer = async () => [],
}: Has = {}) {
  const { store } = storeOn(new MemoryKv());
  for (const record of links) await store.commit({ before: null, record, atMs: record.createdAtMs, version: 0, part: NO_PART });
  const own = <R extends MerchantScope>(records: readonly R[], owner: MerchantScope) =>
    records.filter((record) => isInScope(record, owner));
  const page = <R>(items: readonly R[]) => Promise.resolve({ items, next: null });
  const records = <R extends MerchantScope & { readonly id: string }>(all: readonly R[]): WorkflowSearch<R> => ({
    beginning: async (scope, text) => own(all, scope).filter(({ id }) => id.startsWith(text)),
    newest: async (scope, limit) => own(all, scope).slice(0, limit),
  });
  const asked: MerchantTransactionQuery[] = [];
  const timeouts: (() => void)[] = [];
  const options: MerchantSearchOptions = {
    transactions: {
      page: async (merchantId, query) => {
        assert.equal(merchantId, OWNER.merchantId);
        asked.push(query);
        const items = await answer(query);
        return { items: items.slice(0, query.limit), next: null, ...(query.rowsMax === undefined ? {} : { sinceMs: 7 }) };
      },
    },
    portalLinks: {
      list: (owner, { q, customerEmail }) =>
        page(
          own(links, owner).filter(({ id, order }) =>
            q === null ? order.customerEmail === customerEmail : id === q || order.reference === q,
          ),
        ),
    },
    subscriptions: {
      find: async (owner, id) => own(subscriptions, owner).find((record) => record.id === id) ?? null,
      list: (owner, { customerEmail }) => page(own(subscriptions, owner).filter(({ customer }) => customer.email === customerEmail)),
    },
    disputes: { list: (owner, { q }) => page(own(disputes, owner).filter(({ id, uuid }) => id === q || uuid === q)) },
    alerts: {
      find: async (owner, id) => own(alerts, owner).find((record) => record.id === id) ?? null,
      ofPayment: async (owner, uuid) => own(alerts, owner).filter((record) => record.uuid === uuid),
    },
    terminals: { ids: () => terminals, find: async (_, id) => terminal(id) },
    records: {
      portalLinks: createWorkflowSearch(store, "portal-link-of/"),
      ...{ subscriptions: records(subscriptions), disputes: records(disputes), alerts: records(alerts) },
    },
    timers: {
      set: (_ms, work) => {
        timeouts.push(work);
        return { clear: () => void timeouts.splice(timeouts.indexOf(work), 1) };
      },
    },
  };
  const search = createMerchantSearch(options);
  return { asked, timeouts, search: (text: string) => search(OWNER, readSearchText(text)) };
}

function idOf(hit: MerchantHit): string {
  switch (hit.type) {
    case "payment":
      return hit.payment.transaction.uuid;
    case "payment_link":
      return hit.link.id;
    case "subscription":
      return hit.subscription.id;
    case "dispute":
      return hit.dispute.id;
    case "alert":
      return hit.alert.id;
    case "terminal":
      return hit.terminal.view.terminalId;
  }
}

type Searched = Awaited<ReturnType<Awaited<ReturnType<typeof open>>["search"]>>;

const idsOf = ({ groups }: Searched) => groups.flatMap(({ hits }) => hits.map(idOf));
const nearOf = ({ near }: Searched) => near.map(idOf);

describe("the search of a merchant", () => {
  it("finds objects of each kind by amount, and only in currencies with these decimals", async () => {
    const order = { ...portalLink().order, amountMinor: 2_051 };
    const { search, asked } = await open({
      links: [
        portalLink([], { id: linkId("a"), order }),
        portalLink([], { id: linkId("b") }),
        portalLink([], { id: linkId("c"), order: { ...order, currency: "JPY" } }),
      ],
      subscriptions: [subscription("ACTIVE", { plan: { ...subscription("ACTIVE").plan, amountMinor: 2_051 } })],
      disputes: [dispute("OPEN", { amountMinor: 2_051 })],
      alerts: [alert("PENDING", { amountMinor: 2_051 })],
      page: async () => [payment(UUID)],
    });
    const ids = [UUID, linkId("a"), subscription("ACTIVE").id, alert("PENDING").id, dispute("OPEN").id].sort();
    for (const text of ["20.51", "20,51"]) assert.deepEqual(idsOf(await search(text)).sort(), ids, text);
    assert.deepEqual(asked[0]?.filter.wanted?.amounts[0], { minor: 2_051, decimals: 2 });
    assert.ok((asked[0]?.rowsMax ?? 0) > 0, "the rows are bounded");
  });

  it("finds ids and their beginnings in any case of letters, but none of another merchant or environment", async () => {
    const links = [
      portalLink([], { id: linkId("a") }),
      portalLink([], { id: linkId("b"), merchantId: "M2" }),
      portalLink([], { id: linkId("c"), livemode: true }),
    ];
    const { search } = await open({ links });
    for (const text of [linkId("a"), linkId("a").toUpperCase(), ` ${linkId("a")} `, "pl_4f0k", "PL_4F0K2M"]) {
      assert.deepEqual(idsOf(await search(text)), [linkId("a")], text);
    }
    assert.deepEqual(idsOf(await search("pl_4f")), [], "too short to name few records");
    for (const foreign of [linkId("b"), linkId("c")]) assert.deepEqual(idsOf(await search(foreign)), []);
  });

  it("finds links and subscriptions by their customer, and searches nothing else", async () => {
    const { search, asked } = await open({
      links: [portalLink()],
      subscriptions: [subscription("ACTIVE")],
      terminals: ["ada@example.org"],
    });
    assert.deepEqual(idsOf(await search("ada@example.org")), [portalLink().id, subscription("ACTIVE").id]);
    assert.deepEqual(idsOf(await search("bob@example.org")), []);
    assert.deepEqual(asked, []);
  });

  it("finds terminals by a part of their ids, the best match first", async () => {
    const { search } = await open({ terminals: ["BAR-1", "TILL-0001", "TILL-1", "XTILL-2"] });
    const { groups } = await search("till-");
    assert.deepEqual(groups.at(-1)?.hits.map(idOf), ["TILL-1", "TILL-0001", "XTILL-2"]);
  });

  it("searches a whole uuid without a limit of rows", async () => {
    const { search, asked } = await open({ page: async () => [payment(UUID)], disputes: [dispute("OPEN", { uuid: UUID })] });
    assert.deepEqual(idsOf(await search(UUID)), [UUID, dispute("OPEN").id]);
    assert.deepEqual([asked[0]?.filter.q, asked[0]?.rowsMax], [UUID, undefined]);
  });

  it("limits the hits of a group, and reports that there are more", async () => {
    const links = Array.from({ length: GROUP_HITS_MAX + 2 }, (_, n) => portalLink([], { id: linkId(String(n)), createdAtMs: 1_000 + n }));
    const { search } = await open({ links });
    const { groups } = await search("pl_4f0k");
    const found = groups.find(({ name }) => name === "payment_links");
    assert.deepEqual([found?.hits.length, found?.more], [GROUP_HITS_MAX, true]);
    assert.equal(found?.hits[0] === undefined ? "" : idOf(found.hits[0]), linkId(String(GROUP_HITS_MAX + 1)), "the newest first");
  });

  it("suggests ids with one typing error, without their prefix, or with the same beginning", async () => {
    const id = linkId("a");
    const { search } = await open({ links: [portalLink([], { id })], terminals: ["TILL-1"] });
    const swapped = `${id.slice(0, 10)}${id.charAt(11)}${id.charAt(10)}${id.slice(12)}`;
    for (const text of [swapped, `x${id.slice(1)}`, `${id}0`, id.slice(0, -2) + id.slice(-1), id.slice(3), `${id.slice(0, 12)}zzzz`]) {
      const found = await search(text);
      assert.deepEqual([idsOf(found), nearOf(found)], [[], [id]], text);
    }
    assert.deepEqual(nearOf(await search("TILI-1")), ["TILL-1"]);
    assert.deepEqual(nearOf(await search(id)), [], "something has the id");
    assert.deepEqual(nearOf(await search("pl_99999999")), []);
  });

  it("asks for similar payments with bounded rows, first one error and then the beginning", async () => {
    const { search, asked } = await open({ page: async ({ filter }) => (filter.wanted?.text === "0b0fcb6e" ? [payment(UUID)] : []) });
    assert.deepEqual(nearOf(await search(`${UUID.slice(0, -3)}999`)), [UUID]);
    assert.deepEqual(
      asked.map(({ filter: { q, near, wanted } }) => [q, near, wanted?.text].find((text) => text !== undefined)),
      [`${UUID.slice(0, -3)}999`, `${UUID.slice(0, -3)}999`, "0b0fcb6e"],
    );
    assert.ok(asked.slice(1).every(({ rowsMax }) => rowsMax !== undefined));
  });

  it("returns the other groups if ClickHouse does not respond or is slow", async () => {
    const links = [portalLink([], { id: linkId("a") })];
    const away = await open({ links, page: () => Promise.reject(new RelayError("unavailable", "away")) });
    const slow = await open({ links, page: () => new Promise(() => {}) });
    const pending = slow.search("pl_4f0k");
    await settle();
    for (const end of [...slow.timeouts]) end();
    for (const found of [await away.search("pl_4f0k"), await pending]) {
      assert.deepEqual(
        found.groups.filter(({ state }) => state === "away").map(({ name }) => name),
        ["payments"],
      );
      assert.deepEqual(idsOf(found), [linkId("a")]);
    }
    assert.deepEqual([away.timeouts, slow.timeouts], [[], []], "no timer is left");
  });

  it("fails if a search fails for another reason", async () => {
    const { search } = await open({ page: () => Promise.reject(new TypeError("a fault")) });
    await assert.rejects(search("pl_4f0k"), TypeError);
  });
});
