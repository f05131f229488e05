import assert from "node:assert/strict";
import type { Course, History } from "./history.ts";
import type { Answer, RelayCaller } from "./relay-caller.ts";

const LOOKUPS_AT_ONCE = 32;

/** Asks where commands stand, and for the results that were acknowledged; the history judges the answers. */
export async function lookUp(caller: RelayCaller, history: History, courses: readonly Course[]): Promise<void> {
  const left = [...courses];
  const work = async (): Promise<void> => {
    for (let course = left.pop(); course !== undefined; course = left.pop()) {
      const { uuid, postedMs } = course;
      const sentMs = performance.now();
      const life = answered(caller.life(uuid));
      const result = postedMs === null ? null : answered(caller.result(uuid));
      history.lifeSeen(course, await life, sentMs);
      if (result !== null) history.resultSeen(course, await result);
    }
  };
  await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, work));
}

export async function answered(answer: Promise<Answer | null>): Promise<Answer> {
  const got = await answer;
  assert.ok(got !== null, "a node that is ready did not answer");
  return got;
}

export function assertNothingViolated(history: History): void {
  assert.deepEqual(history.violations.slice(0, 5), [], `${history.violations.length} contradictions`);
}
