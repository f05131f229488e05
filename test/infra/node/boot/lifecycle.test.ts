import assert from "node:assert/strict";
import { test } from "node:test";
import { createShardLifecycle } from "../../../../infra/node/boot/lifecycle.ts";
import { machineTimers } from "../../../../infra/node/boot/machine-timers.ts";

test("each moment comes to the parts that it concerns, in their order; the end in reverse", async () => {
  const told: string[] = [];
  const life = createShardLifecycle(machineTimers);
  const first = { load: async () => void told.push("first loads"), close: async () => void told.push("first closes") };
  const second = { listening: (port: number) => void told.push(`second at ${port}`), close: async () => void told.push("second closes") };
  const third = { load: async () => void told.push("third loads"), drain: () => void told.push("third drains") };
  assert.equal(life.add(first), first);
  life.add(second);
  life.add(third);

  await life.load();
  life.listening(80);
  life.drain();
  await life.close();

  assert.deepEqual(told, ["first loads", "third loads", "second at 80", "third drains", "second closes", "first closes"]);
});

test("ticks and seconds come from begin to end", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const every = (ms: number, work: () => void) => {
    const timer = setInterval(work, ms);
    return { clear: () => clearInterval(timer) };
  };
  const told = { ticks: 0, seconds: 0 };
  const life = createShardLifecycle({ ...machineTimers, every });
  life.add({
    tick: () => {
      told.ticks += 1;
    },
  });
  life.add({
    everySecond: () => {
      told.seconds += 1;
    },
  });

  t.mock.timers.tick(1_000);
  assert.deepEqual(told, { ticks: 0, seconds: 0 });
  life.begin();
  t.mock.timers.tick(1_000);
  assert.deepEqual(told, { ticks: 20, seconds: 1 });
  life.end();
  t.mock.timers.tick(1_000);
  assert.deepEqual(told, { ticks: 20, seconds: 1 });
});

test("what a part cannot load fails the start, what it cannot store fails the end", async () => {
  const life = createShardLifecycle(machineTimers);
  life.add({ load: () => Promise.reject(new Error("no table")), close: () => Promise.reject(new Error("no disk")) });
  await assert.rejects(life.load(), /no table/);
  await assert.rejects(life.close(), /no disk/);
});
