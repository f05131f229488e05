import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { onStopSignals } from "../../../../infra/node/boot/stop-signals.ts";

/** Signals at times of a clock, and what became of them. */
const CASES: [title: string, signals: [atMs: number, signal: NodeJS.Signals][], became: string[]][] = [
  ["the first stops", [[0, "SIGTERM"]], ["stop SIGTERM"]],
  [
    "a second SIGTERM ends it at once",
    [
      [0, "SIGTERM"],
      [1, "SIGTERM"],
    ],
    ["stop SIGTERM", "again"],
  ],
  [
    "Ctrl-C that npm hands on is one press",
    [
      [0, "SIGINT"],
      [20, "SIGINT"],
    ],
    ["stop SIGINT"],
  ],
  [
    "a later press ends it at once",
    [
      [0, "SIGINT"],
      [20, "SIGINT"],
      [501, "SIGINT"],
    ],
    ["stop SIGINT", "again"],
  ],
  [
    "SIGTERM after Ctrl-C is another signal",
    [
      [0, "SIGINT"],
      [20, "SIGTERM"],
    ],
    ["stop SIGINT", "again"],
  ],
  [
    "Ctrl-C after SIGTERM is another signal",
    [
      [0, "SIGTERM"],
      [20, "SIGINT"],
    ],
    ["stop SIGTERM", "again"],
  ],
  [
    "a terminal that ends stops it, however often it says so",
    [
      [0, "SIGHUP"],
      [20, "SIGHUP"],
    ],
    ["stop SIGHUP"],
  ],
  [
    "a terminal that ends while it stops changes nothing",
    [
      [0, "SIGTERM"],
      [20, "SIGHUP"],
    ],
    ["stop SIGTERM"],
  ],
];

for (const [title, signals, became] of CASES) {
  test(`stop signals: ${title}`, () => {
    const source = new EventEmitter();
    const seen: string[] = [];
    let nowMs = 0;
    onStopSignals({ stop: (signal) => seen.push(`stop ${signal}`), again: () => seen.push("again") }, source, () => nowMs);
    for (const [atMs, signal] of signals) {
      nowMs = atMs;
      source.emit(signal, signal);
    }
    assert.deepEqual(seen, became);
  });
}

test("stop signals: SIGHUP is another's where somebody listens for it already", () => {
  const source = new EventEmitter();
  const seen: string[] = [];
  source.on("SIGHUP", () => seen.push("reload"));
  onStopSignals({ stop: () => seen.push("stop"), again: () => seen.push("again") }, source);
  source.emit("SIGHUP", "SIGHUP");
  assert.deepEqual(seen, ["reload"]);
});
