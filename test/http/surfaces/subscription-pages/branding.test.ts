import assert from "node:assert/strict";
import { test } from "node:test";
import type { Shop } from "../../../../engine/branding/branding.ts";
import { cancelPage, standingPage } from "../../../../http/surfaces/subscription-pages/subscription-document.ts";
import { subscription } from "../../../engine/subscriptions/machine-world.ts";

const LOGO = { id: "a".repeat(32), type: "image/png", width: 24, height: 16, bytes: 472 } as const;
const RECORD = subscription("ACTIVE");

const operationsFor = (shop: Partial<Shop>) => ({
  shops: { of: async (merchantId: string) => ({ name: `Gym of ${merchantId}`, color: null, logo: null, ...shop }) },
  linkPages: { own: () => "https://relay.example" },
  localTime: { zone: "Europe/Rome" },
});

for (const [what, pageOf] of [
  ["page of a subscription", standingPage],
  ["question before a cancellation", cancelPage],
] as const) {
  test(`the ${what} shows the shop's logo, name and colour`, async () => {
    const { text, headers } = await pageOf(operationsFor({ color: "#ffcc00", logo: LOGO }), "en", RECORD);
    assert.match(text, /<img class="shop-logo" src="https:\/\/relay\.example\/logo\/a{32}"/);
    assert.match(text, new RegExp(`<span class="shop-name">Gym of ${RECORD.merchantId}</span>`));
    assert.match(text, /--fill:#ffcc00;--on-fill:#000000/);
    assert.match(headers["Content-Security-Policy"], /img-src https:\/\/relay\.example\/logo\/a{32};/);
  });

  test(`the ${what} of a shop without branding has none`, async () => {
    const { text, headers } = await pageOf(operationsFor({}), "en", RECORD);
    assert.doesNotMatch(text, /<img|class="shop"|--fill:#/);
    assert.doesNotMatch(headers["Content-Security-Policy"], /img-src/);
  });
}
