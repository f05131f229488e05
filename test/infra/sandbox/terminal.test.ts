import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { startFakeRelay } from "./fake-relay.ts";
import { command, startTerminal, startWorld } from "./world.ts";

describe("a simulated terminal on a WebSocket", () => {
  it("subscribes its own topic with login, family and ack mode", async (test) => {
    const { relay } = await startWorld(test, { family: "field-47", redeliver: true, username: "T1", password: "secret" });
    const [connect] = await relay.framesOf("CONNECT", 1);
    const [subscribe] = await relay.framesOf("SUBSCRIBE", 1);
    assert.deepEqual(
      ["login", "passcode", "terminal-family", "heart-beat"].map((name) => connect?.headers.get(name)),
      ["T1", "secret", "field-47", "10000,10000"],
    );
    assert.deepEqual(
      ["destination", "ack", "redeliver"].map((name) => subscribe?.headers.get(name)),
      ["/topic/terminal/T1", "client-individual", "same-uuid"],
    );
  });

  it("acknowledges a command and posts its result", async (test) => {
    const { relay } = await startWorld(test, { ack: "client-individual" });
    const pay = command({});
    relay.push(pay);
    const [posted] = await relay.results(1);
    assert.equal(posted?.terminalId, "T1");
    assert.equal(posted?.authorization, `Basic ${btoa("terminal:terminal")}`);
    assert.deepEqual([posted?.body["uuid"], posted?.body["result"], posted?.body["amount"]], [pay.uuid, "OK", 1000]);
    const [ack] = await relay.framesOf("ACK", 1);
    assert.equal(ack?.headers.get("id"), "m1");
  });

  it("comes back when the connection is lost", async (test) => {
    const { relay, event } = await startWorld(test);
    relay.cut();
    await relay.framesOf("SUBSCRIBE", 2);
    assert.ok((await event("offline")).retryMs > 0);
    relay.push(command({}));
    await relay.results(1);
  });

  it("takes an update notice and what is no command without a result", async (test) => {
    const { relay, event } = await startWorld(test);
    relay.push({ uuid: "update", service: "FORCE_UPDATE", amount: 0, terminalId: "T1", versionCode: 7 });
    relay.push({ hello: true });
    relay.push(command({}));
    assert.equal((await event("update_offered")).versionCode, 7);
    assert.equal((await event("ignored")).reason, "not a command");
    await relay.results(1);
    assert.equal(relay.posted.length, 1);
  });

  it("stops while a payment is at work", async (test) => {
    const { relay, terminal, event } = await startWorld(test, { latencyMs: 60_000, speed: 1 });
    relay.push(command({}));
    await event("received");
    await terminal.stop();
    assert.equal(relay.posted.length, 0);
  });
});

describe("a simulated terminal that polls", () => {
  it("gets its commands and posts their results, in order", async (test) => {
    const { relay } = await startWorld(test, { link: "poll", family: "privative-tags" });
    const [first, second] = [command({}), command({ service: "PRINT", amount: 0, text: "x" })];
    relay.waiting.push(first, second);
    const posted = await relay.results(2);
    assert.deepEqual(
      posted.map(({ body }) => body["uuid"]),
      [first.uuid, second.uuid],
    );
    assert.equal(relay.polls[0]?.["x-terminal-family"], "privative-tags");
    assert.equal(relay.polls[0]?.authorization, `Basic ${btoa("terminal:terminal")}`);
  });

  it("waits for a relay that is not there yet", async (test) => {
    const relay = await startFakeRelay();
    await relay.stop();
    const failures: number[] = [];
    const starting = startTerminal(test, relay, {
      link: "poll",
      onEvent: (event) => {
        if (event.type === "offline") failures.push(event.retryMs);
        if (failures.length === 3) enough();
      },
    });
    let enough = () => {};
    await new Promise<void>((resolve) => {
      enough = resolve;
    });
    assert.deepEqual(failures.slice(0, 3), [250, 500, 1_000]);
    starting.catch(() => undefined);
  });
});

describe("a result", () => {
  it("is posted again until it is acknowledged", async (test) => {
    const { relay, event, events } = await startWorld(test);
    relay.receiptAnswers.push(503, "drop", 429, 401);
    relay.push(command({}));
    const posted = await relay.results(5);
    await event("posted");
    assert.equal(new Set(posted.map(({ body }) => JSON.stringify(body))).size, 1);
    assert.equal(events.filter(({ type }) => type === "not_posted").length, 4);
  });

  it("that the relay refuses for good does not hold the next one up", async (test) => {
    const { relay, event } = await startWorld(test);
    relay.receiptAnswers.push(400);
    relay.push(command({}));
    relay.push(command({}));
    await relay.results(2);
    assert.equal((await event("refused")).status, 400);
    assert.ok(await event("posted"));
  });

  it("survives a restart until it is acknowledged, and its uuid is not carried out again", async (test) => {
    const relay = await startFakeRelay();
    test.after(() => relay.stop());
    const stateFile = join(await temporaryFolder(test), "state");
    const before = await startTerminal(test, relay, { stateFile });
    relay.receiptAnswers.push(503, 503, 503, 503, 503, 503, 503);
    const pay = command({});
    relay.push(pay);
    await relay.results(1);
    await before.terminal.stop();
    relay.receiptAnswers.length = 0;

    const after = await startTerminal(test, relay, { stateFile });
    await after.event("posted");
    relay.push(pay);
    await after.event("repeated");
    const posted = await relay.results(3);
    assert.equal(new Set(posted.map(({ body }) => JSON.stringify(body))).size, 1);
    assert.equal(after.events.filter(({ type }) => type === "executed").length, 0);
  });

  it("of an interrupted payment is never made up", async (test) => {
    const relay = await startFakeRelay();
    test.after(() => relay.stop());
    const stateFile = join(await temporaryFolder(test), "state");
    const pay = command({});
    const before = await startTerminal(test, relay, { stateFile, latencyMs: 60_000, speed: 1 });
    relay.push(pay);
    await before.event("received");
    await before.terminal.stop();

    const after = await startTerminal(test, relay, { stateFile });
    relay.push(pay);
    await after.event("repeated");
    relay.push(command({ service: "CANCEL", amount: 0, cancels: pay.uuid }));
    const [answer] = await relay.results(1);
    assert.equal(answer?.body["result"], "KO");
  });
});

describe("a uuid", () => {
  it("is carried out once; when it comes again its result is posted again", async (test) => {
    const { relay, events } = await startWorld(test);
    const pay = command({});
    relay.push(pay);
    await relay.results(1);
    relay.push({ ...pay, redelivered: true, attempt: 2 });
    const [first, second] = await relay.results(2);
    assert.deepEqual(first?.body, second?.body);
    assert.equal(events.filter(({ type }) => type === "executed").length, 1);
  });

  it("that comes again while it is at work is not begun again", async (test) => {
    const { relay, event, events } = await startWorld(test, { latencyMs: 60_000, speed: 1 });
    const pay = command({});
    relay.push(pay);
    relay.push(pay);
    await event("repeated");
    assert.equal(events.filter(({ type }) => type === "received").length, 1);
  });
});

describe("a CANCEL", () => {
  const cancel = (target: { uuid: string }) => command({ service: "CANCEL", amount: 0, cancels: target.uuid });

  it("stops a payment at work, which then has no result", async (test) => {
    const { relay, event, events } = await startWorld(test, { slowMs: 60_000, speed: 1 });
    const [slow, next] = [command({ amount: 1009 }), command({})];
    const stop = cancel(slow);
    relay.push(slow);
    relay.push(stop);
    relay.push(next);
    const posted = await relay.results(2);
    assert.deepEqual(
      posted.map(({ body }) => [body["uuid"], body["result"]]),
      [
        [stop.uuid, "OK"],
        [next.uuid, "OK"],
      ],
    );
    assert.equal((await event("cancelled")).uuid, slow.uuid);
    assert.equal(
      events.some((found) => found.type === "executed" && found.uuid === slow.uuid),
      false,
    );
  });

  it("stops a payment that waits for its turn, and leaves the one at work", async (test) => {
    const { relay } = await startWorld(test, { latencyMs: 200, speed: 1 });
    const [atWork, waits] = [command({}), command({})];
    const stop = cancel(waits);
    relay.push(atWork);
    relay.push(waits);
    relay.push(stop);
    const posted = await relay.results(2);
    assert.deepEqual(
      posted.map(({ body }) => body["uuid"]),
      [stop.uuid, atWork.uuid],
    );
    assert.equal(posted[0]?.body["result"], "OK");
  });

  it("comes too late for a payment that ended", async (test) => {
    const { relay } = await startWorld(test);
    const pay = command({});
    relay.push(pay);
    await relay.results(1);
    relay.push(cancel(pay));
    const [, answer] = await relay.results(2);
    assert.equal(answer?.body["result"], "KO");
  });

  it("that overtakes its payment keeps it from being carried out", async (test) => {
    const { relay, event } = await startWorld(test);
    const pay = command({});
    relay.push(cancel(pay));
    relay.push(pay);
    const [answer] = await relay.results(1);
    assert.equal(answer?.body["result"], "OK");
    assert.equal((await event("repeated")).uuid, pay.uuid);
  });
});

async function temporaryFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "terminal-"));
  test.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
