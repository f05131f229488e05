import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { keepHangUps } from "../../../../infra/node/boot/hang-ups.ts";

test("a SIGHUP that comes before anybody can reload is told later, once", () => {
  const source = new EventEmitter();
  let reloads = 0;
  const hangUps = keepHangUps(source);
  for (const signal of ["SIGHUP", "SIGHUP"]) assert.equal(source.emit(signal), true, "it would end the process");
  hangUps.tell(() => {
    reloads += 1;
  });
  assert.equal(reloads, 1);
  source.emit("SIGHUP");
  assert.equal(reloads, 2);
});

test("without a SIGHUP nothing is told", () => {
  const hangUps = keepHangUps(new EventEmitter());
  hangUps.tell(() => assert.fail("told"));
});
