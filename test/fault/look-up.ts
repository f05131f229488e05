import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Course, History } from "./history.ts";
import type { Answer, RelayCaller } from "./relay-caller.ts";

const LOOKUPS_AT_ONCE = 32;
const ASK_AGAIN_PAUSE_MS = 100;
const ASK_AGAIN_MS = 30_000;

/**
 * Asks where commands stand, and for the results that were acknowledged; the history judges the answers. A node may not hear
 * from its store or from another node in time, as on a busy machine, and answers 503: for `askAgainMs` that is asked again, as clients do.
 */
export async function lookUp(caller: RelayCaller, history: History, courses: readonly Course[], askAgainMs = ASK_AGAIN_MS): Promise<void> {
  const left = [...courses];
  const work = async (): Promise<void> => {
    for (let course = left.pop(); course !== undefined; course = left.pop()) {
      const { uuid, postedMs } = course;
      const sentMs = performance.now();
      const [life, result] = await Promise.all([
        confirmed(() => caller.life(uuid), askAgainMs),
        postedMs === null ? null : confirmed(() => caller.result(uuid), askAgainMs),
      ]);
      history.lifeSeen(course, life, sentMs);
      if (result !== null) history.resultSeen(course, result);
    }
  };
  await Promise.all(Array.from({ length: LOOKUPS_AT_ONCE }, work));
}

async function confirmed(ask: () => Promise<Answer | null>, askAgainMs: number): Promise<Answer> {
  for (const startedMs = performance.now(); ; await delay(ASK_AGAIN_PAUSE_MS)) {
    const answer = await answered(ask());
    if (answer.status !== 503 || performance.now() - startedMs >= askAgainMs) return answer;
  }
}

export async function answered(answer: Promise<Answer | null>): Promise<Answer> {
  const got = await answer;
  assert.ok(got !== null, "a node that is ready did not answer");
  return got;
}

export function assertNothingViolated(history: History): void {
  assert.deepEqual(history.violations.slice(0, 5), [], `${history.violations.length} contradictions`);
}
