import assert from "node:assert/strict";
import { test } from "node:test";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";

const TERMINALS = Array.from({ length: 10_000 }, (_, index) => `T${index}`);

function homesOf(shards: string[], weightName?: (address: string) => string): Map<string, string> {
  const homes = createRendezvousHomes(shards, weightName);
  return new Map(TERMINALS.map((terminalId) => [terminalId, homes.homeOf(terminalId)]));
}

test("terminals spread evenly over the shards", () => {
  const counts = new Map<string, number>();
  for (const home of homesOf(["a/0", "a/1", "b/0", "c/0"]).values()) counts.set(home, (counts.get(home) ?? 0) + 1);
  for (const count of counts.values()) assert.ok(count > 2_200 && count < 2_800, `${[...counts]}`);
  assert.equal(counts.size, 4);
});

test("when a shard goes, only its terminals move", () => {
  const before = homesOf(["a/0", "b/0", "c/0"]);
  const after = homesOf(["a/0", "c/0"]);
  for (const [terminalId, home] of before) if (home !== "b/0") assert.equal(after.get(terminalId), home);
  assert.ok([...before].some(([terminalId, home]) => home === "b/0" && after.get(terminalId) === "a/0"));
  assert.ok([...before].some(([terminalId, home]) => home === "b/0" && after.get(terminalId) === "c/0"));
});

test("the order in which shards are named does not matter", () => {
  assert.deepEqual(homesOf(["a/0", "b/0", "c/0"]), homesOf(["c/0", "a/0", "b/0"]));
});

test("a node that comes back under another incarnation gets its terminals back", () => {
  const weightName = (address: string) => address.replace(/#\d+/, "");
  const before = homesOf(["a#1/0", "b#1/0"], weightName);
  const after = homesOf(["a#1/0", "b#2/0"], weightName);
  for (const [terminalId, home] of before) assert.equal(after.get(terminalId), home.replace("b#1", "b#2"));
});

test("listeners hear of a change, and of nothing else", () => {
  const homes = createRendezvousHomes(["a"]);
  let changes = 0;
  homes.onChange(() => {
    changes += 1;
  });
  homes.update(["a"]);
  assert.equal(changes, 0);
  homes.update(["a", "b"]);
  assert.equal(changes, 1);
  assert.deepEqual(homes.shards(), ["a", "b"]);
});
