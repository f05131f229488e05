import assert from "node:assert/strict";
import { test } from "node:test";
import { createPeerLines } from "../../../../infra/node/observability/peer-lines.ts";

function world() {
  let nowMs = 0;
  const written: string[] = [];
  const ofPeers = createPeerLines(
    () => nowMs,
    (lines) => written.push(`left out ${lines}`),
  );
  return {
    written,
    cause: (name: string, detail = "") => ofPeers(name, ({ suppressed = 0 }) => written.push(`${name}${detail} ${suppressed}`)),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test("writes what a peer repeats once, and then how often it was repeated", () => {
  const { cause, written, pass } = world();
  for (let count = 0; count < 1_000; count += 1) cause("refused 10.0.0.1");
  cause("refused 10.0.0.2");
  assert.deepEqual(written, ["refused 10.0.0.1 0", "refused 10.0.0.2 0"]);
  pass(60_000);
  cause("refused 10.0.0.1");
  assert.deepEqual(written.slice(2), ["refused 10.0.0.1 999"]);
});

test("writes the count of a peer that stopped, with its latest facts, when another peer causes a line", () => {
  const { cause, written, pass } = world();
  for (const detail of [" a", " b", " c"]) cause("refused 10.0.0.1", detail);
  pass(60_000);
  cause("refused 10.0.0.2");
  assert.deepEqual(written, ["refused 10.0.0.1 a 0", "refused 10.0.0.1 c 2", "refused 10.0.0.2 0"]);
});

test("bounds the lines of all peers together, and says how many were left out", () => {
  const { cause, written, pass } = world();
  for (let peer = 0; peer < 10_000; peer += 1) cause(`refused ${peer}`);
  assert.equal(written.length, 600);
  pass(60_000);
  cause("refused once more");
  assert.deepEqual(written.slice(600), ["left out 9400", "refused once more 0"]);
});
