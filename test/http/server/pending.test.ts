import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Pending, type Waiting } from "../../../http/server/pending.ts";

interface Request extends Waiting {
  readonly name: number;
}

/** Its own timer never comes to pass: tests sweep by hand. */
const NEVER_MS = 3_600_000;

/** Requests that leave when they expire. */
function open(count: number) {
  const pending = new Pending(() => 0, NEVER_MS);
  const expired: number[] = [];
  const requests = Array.from({ length: count }, (_, name): Request => {
    const request: Request = {
      name,
      deadlineAtMs: 0,
      place: -1,
      expire: () => {
        expired.push(name);
        pending.delete(request);
      },
    };
    return request;
  });
  return { pending, requests, expired };
}

test("what is under way is exactly what came and has not left, in whatever order, and what is overdue expires once", () => {
  const doing = fc.oneof(
    fc.record({ add: fc.nat(7), inMs: fc.nat(50) }),
    fc.record({ leave: fc.nat(7) }),
    fc.record({ passMs: fc.nat(30) }),
  );
  fc.assert(
    fc.property(fc.array(doing, { maxLength: 60, size: "max" }), (doings) => {
      const { pending, requests, expired } = open(8);
      let nowMs = 0;
      const model = new Map<number, number>();
      for (const what of doings) {
        if ("add" in what) {
          const request = requests[what.add];
          if (request === undefined || model.has(what.add)) continue;
          request.deadlineAtMs = nowMs + what.inMs;
          pending.add(request);
          model.set(what.add, request.deadlineAtMs);
        } else if ("leave" in what) {
          const request = requests[what.leave];
          if (request !== undefined) pending.delete(request);
          model.delete(what.leave);
        } else {
          nowMs += what.passMs;
          pending.sweep(nowMs);
          const overdue = [...model].filter(([, atMs]) => atMs <= nowMs).map(([name]) => name);
          assert.deepEqual(expired.splice(0).sort(), overdue.sort());
          for (const name of overdue) model.delete(name);
        }
        assert.equal(pending.size, model.size);
      }
      pending.stop();
    }),
  );
});

test("tells when nothing is under way", async () => {
  const { pending, requests } = open(2);
  await pending.empty();
  for (const request of requests) pending.add(request);
  let empty = false;
  const emptied = pending.empty().then(() => {
    empty = true;
  });
  for (const request of requests) {
    await Promise.resolve();
    assert.equal(empty, false);
    pending.delete(request);
  }
  await emptied;
  pending.stop();
});
