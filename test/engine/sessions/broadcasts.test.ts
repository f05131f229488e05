import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBroadcasts } from "../../../engine/sessions/broadcasts.ts";
import { createLocalSockets } from "../../../engine/sessions/local-sockets.ts";

function world(terminals: number) {
  const localSockets = createLocalSockets();
  const got: string[] = [];
  for (let index = 0; index < terminals; index += 1) {
    const terminalId = `T${index}`;
    localSockets.add(
      { terminalId, sessionId: `s${index}`, own: true, acknowledges: false, redeliver: false, device: {} },
      {
        deliver: (uuid, text) => {
          assert.equal(uuid, null);
          got.push(text);
          return index % 10 !== 9;
        },
      },
    );
  }
  return { localSockets, got, broadcasts: createBroadcasts(localSockets) };
}

describe("a broadcast", () => {
  it("goes to a few sessions at a time, names each terminal, and says how many got it", async () => {
    const { broadcasts, got } = world(1_000);
    const sent = broadcasts.send(null, '{"terminalId":"{terminalId}","url":"?t={terminalId}"}');
    assert.equal(got.length, 100);
    broadcasts.tick();
    assert.equal(got.length, 200);
    for (let tick = 0; tick < 8; tick += 1) broadcasts.tick();
    assert.equal(await sent, 900);
    assert.deepEqual(
      got,
      Array.from({ length: 1_000 }, (_, index) => `{"terminalId":"T${index}","url":"?t=T${index}"}`),
    );
  });

  it("ends within a hundred ticks, however many there are", async () => {
    const { broadcasts, got } = world(25_000);
    const sent = broadcasts.send(null, "x");
    for (let tick = 0; tick < 100; tick += 1) broadcasts.tick();
    assert.equal(await sent, 22_500);
    assert.equal(got.length, 25_000);
  });

  it("to one terminal goes at once, to nobody counts nobody", async () => {
    const { broadcasts, got } = world(3);
    assert.equal(await broadcasts.send("T1", "{terminalId}"), 1);
    assert.deepEqual(got, ["T1"]);
    assert.equal(await broadcasts.send("T7", "x"), 0);
  });

  it("passes by a session that ended meanwhile", async () => {
    const { broadcasts, localSockets, got } = world(150);
    const sent = broadcasts.send(null, "x");
    localSockets.remove("T149", "s149");
    localSockets.remove("T148", "s148");
    broadcasts.tick();
    assert.equal(await sent, 150 - 15 - 1);
    assert.equal(got.length, 148);
  });

  it("is refused while too many are under way", async () => {
    const { broadcasts } = world(500);
    const sent = Array.from({ length: 8 }, () => broadcasts.send(null, "x"));
    await assert.rejects(broadcasts.send(null, "x"), { code: "too_busy" });
    for (let tick = 0; tick < 10; tick += 1) broadcasts.tick();
    await Promise.all(sent);
    assert.equal(await broadcasts.send("T1", "x"), 1);
  });
});
