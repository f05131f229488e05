import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { kafkaMissing } from "../support/node/kafka.ts";
import { redisMissing } from "../support/node/redis.ts";
import { eventually } from "../support/within.ts";
import {
  appPackagePasses,
  clientsCannotChooseTheirAddress,
  everyNodeIsAsked,
  nodeDies,
  nodeIsDrained,
  ownPagesAreKnown,
  requestsInPiecesAreUnderstood,
  signaturesHold,
  startNodesBehind,
  tourPasses,
} from "./behind-proxy.ts";
import { haproxyMissing, startHaproxy } from "./haproxy.ts";
import { ProxiedTerminal } from "./proxied-terminal.ts";

const missing = (await redisMissing()) || (await kafkaMissing()) || (await haproxyMissing());

describe("three nodes behind HAProxy, as infra/compose/haproxy.cfg has it", { skip: missing }, () => {
  it("are one relay", async (test) => {
    const relay = await startNodesBehind(test, startHaproxy);
    const { proxy } = relay;
    const allUp = () => eventually(async () => assert.deepEqual(await proxy.states(), ["UP", "UP", "UP"]));

    await test.test("its check finds every node up", allUp);
    await test.test("every node is asked", () => everyNodeIsAsked(relay));
    const terminal = await ProxiedTerminal.connect(test, relay, "WS1");
    await terminal.isPaidOn();
    const held = await terminal.node();

    await test.test("nodes are told a client's address, whatever the client says of it", () => clientsCannotChooseTheirAddress(relay));
    await test.test("a request is understood that comes in pieces", (own) => requestsInPiecesAreUnderstood(own, relay));
    await test.test("signatures of the gateway protocol hold", () => signaturesHold(relay));
    await test.test("the relay's own pages are known", () => ownPagesAreKnown(relay));
    await test.test("an app package goes up and down", () => appPackagePasses(relay));
    await test.test("the README's tour passes", () => tourPasses(relay));

    await test.test("no request is lost while a node is drained", async (own) => {
      await nodeIsDrained(own, relay, (held + 1) % 3);
      await allUp();
    });

    await test.test("a node dies: look-ups that waited there are answered, and no POST is sent twice", (own) =>
      nodeDies(own, relay, (held + 2) % 3),
    );
    await test.test("the README's tour passes without it", () => tourPasses(relay));

    await test.test("heart-beats keep a terminal online, and it is paid on", async () => {
      await terminal.isKeptByHeartBeats();
      await terminal.isPaidOn();
    });
  });
});
