import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Address, Bus } from "../../../engine/ports/bus.ts";
import type { TerminalProtocol } from "../../../engine/runtime/protocol.ts";
import { createTells } from "../../../engine/runtime/tells.ts";
import { ManualClock } from "./world.ts";

function tellsOf(others: readonly Address[]) {
  const told: { to: Address; kind: string; question: unknown }[] = [];
  const bus: Bus<TerminalProtocol> = {
    self: "a#1/shard-0",
    shards: [],
    ask: () => Promise.reject(new Error("nobody is asked here")),
    tell: (to, kind, question) => void told.push({ to, kind, question }),
    serve: () => {},
  };
  const tells = createTells({ bus, clock: new ManualClock(), homeOf: () => "a#1/shard-0", otherNodes: () => others });
  return { tells, told };
}

describe("what other nodes are told of commands that wait", () => {
  it("goes to each of them with the next tick, all of it together and each terminal once", () => {
    const { tells, told } = tellsOf(["b#1/shard-0", "c#1/shard-0"]);
    for (const terminalId of ["T1", "T2", "T1"]) tells.waiting(terminalId);
    assert.deepEqual(told, []);
    tells.tick();
    const question = { terminalIds: ["T1", "T2"] };
    assert.deepEqual(told, [
      { to: "b#1/shard-0", kind: "terminal.waiting", question },
      { to: "c#1/shard-0", kind: "terminal.waiting", question },
    ]);
    tells.tick();
    assert.equal(told.length, 2);
  });

  it("is told to nobody where there is no other node", () => {
    const { tells, told } = tellsOf([]);
    tells.waiting("T1");
    tells.tick();
    assert.deepEqual(told, []);
  });
});
