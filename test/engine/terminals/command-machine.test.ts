import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readChart } from "../../../engine/kernel/statechart.ts";
import { commandMachine } from "../../../engine/terminals/command-machine.ts";

/** Transitions of the machine that lead to a state, or do an action, as "state, event". */
function transitions(matches: (transition: { target: string | null; actions: readonly { name: string }[] }) => boolean): string[] {
  return readChart(commandMachine).states.flatMap(({ name, transitions: own }) =>
    own.filter(matches).map(({ event }) => `${name}, ${event}`),
  );
}

const doing = (action: string) => transitions(({ actions }) => actions.some(({ name }) => name === action));
const leadingTo = (state: string) => transitions(({ target }) => target === state);

describe("by its machine a command", () => {
  it("is delivered only where nobody has it, and what is held only to who asks for what is held", () => {
    assert.deepEqual(doing("deliver"), ["queued, command.taken", "returned, command.taken", "held, command.redelivered"]);
  });

  it("goes back to where anyone may get it only from its first hands, which say that they have not executed it, or never got it", () => {
    assert.deepEqual(leadingTo("queued"), ["sent, command.undelivered"]);
    assert.deepEqual(
      leadingTo("returned").filter((from) => !from.endsWith("history.lost")),
      ["sent, command.undelivered", "sent, command.refused"],
    );
  });

  it("is not sent any more once it is withdrawn, and leaves that state only by its end", () => {
    const withdrawn = readChart(commandMachine).states.find(({ name }) => name === "withdrawn");
    const targets = new Set(withdrawn?.transitions.map(({ target }) => target));
    assert.deepEqual([...targets], ["done", "cancelled", null, "unknown"]);
  });

  it("expires only if it never left, and is cancelled only then or on the terminal's word", () => {
    assert.deepEqual(leadingTo("expired"), ["queued, deadline.passed"]);
    assert.deepEqual(
      leadingTo("cancelled").filter((from) => !from.endsWith("cancel.confirmed")),
      ["queued, cancel.requested"],
    );
  });

  it("is told of as ended exactly where it ends", () => {
    const ends = readChart(commandMachine).states.filter(({ isFinal }) => isFinal);
    const leadingToAnEnd = transitions(({ target }) => ends.some(({ name }) => name === target));
    assert.deepEqual(doing("finished"), leadingToAnEnd);
    assert.deepEqual(
      ends.map(({ name }) => name),
      ["done", "cancelled", "expired", "unknown"],
    );
  });
});
