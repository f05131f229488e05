import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createStallGuard } from "../../../http/zvt/stall-guard.ts";
import { settled } from "./manual-time.ts";
import { ACK, PAY, ZvtWorld } from "./zvt-world.ts";

describe("a process that slept", () => {
  it("is noticed whichever comes first after it, the tick or the bytes, and for a moment only", () => {
    for (const ticksFirst of [true, false]) {
      let nowMs = 1_000;
      const guard = createStallGuard(() => nowMs);
      for (let ticks = 0; ticks < 20; ticks += 1) {
        nowMs += 500;
        guard.tick();
        assert.equal(guard.hasJustSlept(), false);
      }
      nowMs += 6_000;
      if (ticksFirst) guard.tick();
      assert.equal(guard.hasJustSlept(), true, String(ticksFirst));
      guard.tick();
      nowMs += 1_900;
      guard.tick();
      assert.equal(guard.hasJustSlept(), true);
      nowMs += 200;
      assert.equal(guard.hasJustSlept(), false);
    }
  });

  it("begins nothing for a 06-01 that may have waited in its socket, and a register that is there sends it again", async () => {
    const world = new ZvtWorld();
    world.hasJustSlept = true;
    const stale = world.connect();
    await stale.send(PAY);
    assert.equal(stale.closedBecause, "slept");
    assert.deepEqual(world.payments.asked, []);
    world.hasJustSlept = false;
    const again = world.connect();
    assert.deepEqual(await again.send(PAY), [ACK]);
    await settled();
    assert.deepEqual(world.payments.executed, ["u1"]);
  });

  it("still hears what belongs to a payment that runs", async () => {
    const world = new ZvtWorld();
    const register = world.connect();
    await register.send(PAY);
    world.hasJustSlept = true;
    assert.deepEqual(await register.send("06 B0 00"), [ACK]);
    assert.equal(register.closedBecause, null);
  });
});
