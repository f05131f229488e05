import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextDeadlineMs, nextToSend, stateOf, toRecord } from "../../../engine/terminals/rules.ts";
import { stepTerminal } from "../../../engine/terminals/step-terminal.ts";
import { context, latest, NOW_MS, polled, queued, sent } from "./step-terminal-world.ts";

describe("the terminal actor", () => {
  it("is idle, waiting or executing by what is outstanding", () => {
    assert.equal(stateOf(context()), "idle");
    assert.equal(stateOf(context({ sent: [sent("a")] })), "executing");
    assert.equal(stateOf(context({ queue: [queued("b")], sent: [sent("a")] })), "waiting");
  });

  it("wants to be woken at the first of its deadlines", () => {
    assert.equal(nextDeadlineMs(context({ latest: [latest("a", false)] })), null);
    assert.equal(nextDeadlineMs(context({ queue: [queued("a"), queued("b", { expiresAtMs: NOW_MS + 5 })] })), NOW_MS + 5);
    const resting = queued("a", { refusedBy: { session: "s1", untilMs: NOW_MS + 3 } });
    assert.equal(nextDeadlineMs(context({ queue: [resting], sent: [sent("b", { unknownAtMs: NOW_MS + 4 })] })), NOW_MS + 3);
    assert.equal(nextDeadlineMs(context({ sent: [sent("b", { unknownAtMs: NOW_MS + 4 })] })), NOW_MS + 4);
  });

  it("tells what would go out next without a step", () => {
    const waiting = context({
      queue: [queued("a", { expiresAtMs: NOW_MS }), queued("b", { refusedBy: { session: "s1", untilMs: NOW_MS + 1 } })],
    });
    assert.equal(nextToSend(waiting, NOW_MS, null)?.uuid, "b");
    assert.equal(nextToSend(waiting, NOW_MS, "s1"), undefined);
  });

  it("is rebuilt from its record as it was", () => {
    const before = context({ queue: [queued("a")], sent: [sent("b")], latest: [latest("a", false)] });
    const stored = JSON.parse(JSON.stringify(toRecord("T1", before)));
    const { queue, sent: awaited, latest: ofSenders } = stored;
    assert.deepEqual(stepTerminal({ queue, sent: awaited, latest: ofSenders }, polled()), stepTerminal(before, polled()));
  });
});
