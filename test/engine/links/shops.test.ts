import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Caller } from "../../../engine/access/caller.ts";
import { createCreateLink, type LinkRequest } from "../../../engine/links/create-link.ts";
import type { LinkOrder } from "../../../engine/links/link.ts";
import { linkRow } from "../../../engine/links/link-change.ts";
import type { Links } from "../../../engine/links/links.ts";
import { link } from "./machine-world.ts";
import { openLinkWorld } from "./world.ts";

const TERMINAL: Caller = { type: "fleet" };
const CREDENTIALS = { terminalId: "TML1", merchantId: "GATEWAY-M1", secret: "s" };

const REQUEST: LinkRequest = {
  ...{ amount: "12.34", currency: undefined, terminalId: undefined, description: undefined, merchantReference: undefined },
  ...{ customerEmail: undefined, returnUrl: undefined, instrument: "card", capture: "now", attachment: null },
};

describe("whose a payment link is", () => {
  it("is fixed when it is created, by its terminal's configuration, and stands on its row whatever is configured when it is paid", async () => {
    const world = openLinkWorld();
    const shops = new Map([["T1", "SHOP-A"]]);
    const { links } = world.shard;
    const accounts = {
      ...{ ofPartner: () => CREDENTIALS, ofPayment: () => CREDENTIALS, isMerchantInactive: () => false },
      ofTerminal: () => ({ partnerId: 1, credentials: CREDENTIALS }),
    };
    const create = createCreateLink({ links, accounts, clock: world.clock, shopOf: (terminalId) => shops.get(terminalId) ?? null });
    await create.ofTerminal(TERMINAL, "T1", REQUEST, "of-a-merchant");
    await create.ofTerminal(TERMINAL, "T2", REQUEST, "of-nobody");
    shops.set("T1", "SHOP-B").set("T2", "SHOP-B");
    // Asked again it is the same link.
    await create.ofTerminal(TERMINAL, "T1", REQUEST, "of-a-merchant");
    for (const txId of ["of-a-merchant", "of-nobody"]) world.gateway.pay(txId);
    await world.pass(6 * 60_000);
    const orders = await Promise.all(["of-a-merchant", "of-nobody"].map(async (txId) => world.link(txId)));
    assert.deepEqual(
      orders.map(({ state, order }) => [state, order.shop, order.merchantId]),
      [
        ["success", "SHOP-A", "GATEWAY-M1"],
        ["success", undefined, "GATEWAY-M1"],
      ],
    );
    assert.deepEqual(
      orders.map((record) => linkRow(record)?.shop),
      ["SHOP-A", undefined],
    );
  });

  it("is asked of the terminal that it is for, the partner's own at the gateway where none is named", async () => {
    const orders: LinkOrder[] = [];
    const links: Pick<Links, "create" | "byTxId"> = {
      create: async (order) => {
        orders.push(order);
        return { type: "created", record: link("waiting", { order }) };
      },
      byTxId: async () => null,
    };
    const accounts = {
      ...{ ofPartner: () => CREDENTIALS, ofPayment: () => CREDENTIALS, isMerchantInactive: () => false, ofTerminal: () => null },
    };
    const shopOf = (terminalId: string, partnerId: number | null) =>
      terminalId === "TML1" ? null : `SHOP-OF-${terminalId}-AT-${partnerId}`;
    const create = createCreateLink({ links, accounts, clock: openLinkWorld().clock, shopOf });
    const partner: Caller = { type: "partner", partnerId: 1, username: "shop", terminals: { matches: () => true, names: true } };
    await create.ofPartner(partner, REQUEST, "own");
    await create.ofPartner(partner, { ...REQUEST, terminalId: "T7" }, "named");
    assert.deepEqual(
      orders.map(({ shop }) => shop),
      [undefined, "SHOP-OF-T7-AT-1"],
    );
  });

  it("stands on each version of its row", () => {
    const order = { shop: "SHOP-A" };
    for (const record of [link("failed", { order }), link("success", { order }), link("success", { order, late: true })]) {
      assert.equal(linkRow(record)?.shop, "SHOP-A");
    }
    assert.equal(linkRow(link("success"))?.shop, undefined, "links of before it was kept");
  });
});
