import { after, before, describe, it } from "node:test";
import { NO_BROWSER, openPage } from "../support/browser.ts";
import { buyerWith } from "./support/browser-buyer.ts";
import { runLife } from "./support/program.ts";
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

  it("has it in a release that is years old", async () => {
    await runLife(nodeProgram("stripe-15"), { baseUrl: world.baseUrl, keys: await world.keys(), receiver });
  });
});
