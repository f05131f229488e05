import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { compile, readChart } from "../../../engine/kernel/statechart.ts";
import { type Entry, isSent } from "../../../engine/terminals/command-entries.ts";
import { type CommandEvent, commandMachine, stateOfEntry } from "../../../engine/terminals/command-machine.ts";
import { nextDeadlineMs } from "../../../engine/terminals/rules.ts";
import { xstateStep } from "../../support/xstate-step.ts";
import { context, held, NOW_MS, queued, sent } from "./step-terminal-world.ts";

const step = compile(commandMachine, ["deliver", "finished", "cancelQueued"]);

/** One thing that happens. `holder`: by the session that has the command, or by another one. */
interface Happening {
  does: CommandEvent["type"];
  session: string | null;
  holder: boolean;
  waitMs: number;
  flag: boolean;
}

const MOVES = ["command.taken", "command.redelivered", "command.undelivered", "command.refused", "session.lost"] as const;
const NOTES = ["command.acknowledged", "deadline.passed", "cancel.requested", "history.lost"] as const;
const ENDS = ["result.recorded", "cancel.confirmed"] as const;
const happening: fc.Arbitrary<Happening> = fc.record({
  does: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...MOVES) },
    { weight: 6, arbitrary: fc.constantFrom(...NOTES) },
    { weight: 1, arbitrary: fc.constantFrom(...ENDS) },
  ),
  session: fc.constantFrom("redelivering", "redelivering", "acknowledging", "plain", null),
  holder: fc.boolean(),
  waitMs: fc.constantFrom(0, 0, 0, 0, 0, 1, 500, 1_000, 30_000, 300_000, -700),
  flag: fc.boolean(),
});

function eventOf({ does, session, holder, flag }: Happening, entry: Entry, atMs: number): CommandEvent {
  const by = holder && isSent(entry) ? entry.session : session;
  const id = by ?? "nobody";
  const declared = { id, acknowledges: id !== "plain", redeliver: id === "redelivering" };
  switch (does) {
    case "command.taken":
      return { type: does, atMs, channel: by === null ? "poll" : "websocket", session: by === null ? null : declared };
    case "command.redelivered":
      return { type: does, atMs, session: flag ? { id: "redelivering", acknowledges: true, redeliver: true } : declared };
    case "command.undelivered":
      return { type: does, atMs, uuid: entry.uuid, session: by, sentAtMs: flag && isSent(entry) ? entry.sentAtMs : null };
    case "command.acknowledged":
    case "command.refused":
      return { type: does, atMs, uuid: entry.uuid, session: id };
    case "session.lost":
      return { type: does, atMs, session: id };
    case "result.recorded":
      return { type: does, atMs, uuid: entry.uuid, status: "OK", unsolicited: false, cancels: null };
    case "cancel.requested":
      return { type: does, atMs, uuid: entry.uuid, cancel: queued("c", { kind: "cancel", cancels: entry.uuid }), hasRoom: flag };
    default:
      return { type: does, atMs };
  }
}

function deadlineOf(entry: Entry): number | null {
  return nextDeadlineMs(isSent(entry) ? context({ sent: [entry] }) : context({ queue: [entry] }));
}

describe("whatever happens to a command", () => {
  const declared = { session: "redelivering", redeliverable: true, awaitingAck: true };
  const first = fc.constantFrom<Entry>(
    queued("a"),
    queued("a", { attempts: 1 }),
    queued("a", { attempts: 2, expiresAtMs: NOW_MS + 400_000 }),
    sent("a", declared),
    sent("a", { session: null, channel: "poll" }),
    held("a"),
    held("a", { attempts: 2, ...declared }),
    sent("a", { ...declared, cancelRequested: true }),
    sent("a", { session: null, cancelRequested: true }),
  );
  const histories = fc.array(happening, { minLength: 1, maxLength: 60, size: "max" });

  it("its compiled machine steps as XState's own transition does, its entry alone tells its state, and every arrow of the chart is reached", () => {
    const reached = new Set<string>();
    fc.assert(
      fc.property(first, histories, (entry, happenings) => {
        let now = { state: stateOfEntry(entry), context: { entry } };
        let atMs = NOW_MS;
        for (const what of happenings) {
          atMs += what.waitMs;
          const event = eventOf(what, now.context.entry, atMs);
          const { state, context: after, effects } = step(now.state, now.context, event);
          assert.deepEqual({ state, context: after, effects }, xstateStep(commandMachine, now.state, now.context, event));
          reached.add(`${now.state} to ${state}`);
          if (state === "done" || state === "cancelled" || state === "expired" || state === "unknown") return;
          assert.equal(stateOfEntry(after.entry), state);
          if (event.type === "deadline.passed") assert.ok((deadlineOf(after.entry) ?? 0) > atMs, "its deadline would pass again and again");
          now = { state, context: after };
        }
      }),
      { numRuns: 4_000 },
    );
    for (const { name, transitions } of readChart(commandMachine).states)
      for (const { target } of transitions) {
        const change = `${name} to ${target ?? name}`;
        assert.ok(reached.has(change), `no history comes from ${change}`);
      }
  });
});
