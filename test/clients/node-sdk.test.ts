import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { NO_BROWSER, openPage } from "../support/browser/browser.ts";
import { buyerWith } from "./support/browser-buyer.ts";
import { runLife, runObjects } from "./support/program.ts";
import { nodeProgram } from "./support/toolchains.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./support/webhook-receiver.ts";
import { givenFake, givenWorld, startRelayWorld, type World } from "./support/world.ts";

describe("the platform's library for Node", () => {
  let world: World;
  let receiver: WebhookReceiver;

  before(async () => {
    world = givenWorld() ?? (await givenFake()) ?? (await startRelayWorld());
    receiver = await startWebhookReceiver();
  });
  after(async () => {
    await receiver?.stop();
    await world?.stop();
  });

  it("has a payment's whole life, with a buyer in a browser", { skip: NO_BROWSER }, async (test) => {
    const pay = buyerWith(await openPage(test));
    await runLife(nodeProgram("stripe"), { baseUrl: world.baseUrl, keys: await world.keys(), receiver, pay });
  });

  for (const release of ["stripe", "stripe-15"] as const) {
    it(`sends every method of its resources to the relay, and nowhere else (${release})`, async () => {
      const { secretKey } = await world.keys();
      const program = nodeProgram(release);
      const called = await runObjects(program, { baseUrl: world.baseUrl, secretKey, hookUrl: receiver.urlOf(program.name) });
      assert.ok(called.length >= 40, called.join());
    });
  }

  it("has it in a release that is years old", async () => {
    await runLife(nodeProgram("stripe-15"), { baseUrl: world.baseUrl, keys: await world.keys(), receiver });
  });
});
