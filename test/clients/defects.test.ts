import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { DEFECTS } from "./support/fake-platform.ts";
import { runLife } from "./support/program.ts";
import { nodeProgram } from "./support/toolchains.ts";
import { startWebhookReceiver } from "./support/webhook-receiver.ts";
import { startFakeWorld } from "./support/world.ts";

/** What the library for Node does not look at: those for Go and Java do, and the test of late attempts. */
const UNSEEN = ["sends events of another release", "signs with the time of the event"];

describe("the steps of the clients", { concurrency: 2 }, () => {
  for (const defect of DEFECTS) {
    const right = defect === "none" || UNSEEN.includes(defect);
    it(right ? `pass where nothing is wrong that the library sees (${defect})` : `fail where the platform ${defect}`, async (test) => {
      const world = await startFakeWorld(defect);
      test.after(() => world.stop());
      const receiver = await startWebhookReceiver();
      test.after(() => receiver.stop());
      const life = runLife(nodeProgram("stripe"), { baseUrl: world.baseUrl, keys: await world.keys(), receiver });
      await (right ? life : assert.rejects(life, /failed after/));
    });
  }
});
