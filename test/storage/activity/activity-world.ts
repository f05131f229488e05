import type { CallEntry, WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";

export function step(change: Partial<WorkflowEntry> = {}): WorkflowEntry {
  return {
    ...{ atMs: Date.now(), merchantId: "SHOP-001", objectType: "link", objectId: "link-1", event: "link.created" },
    ...{ from: null, to: "created", requestId: "request-1", outcome: "done" },
    ...change,
  } as WorkflowEntry;
}

export function call(change: Partial<CallEntry> = {}): CallEntry {
  return {
    ...{ atMs: Date.now(), merchantId: "SHOP-001", objectId: "link-1", target: "gateway", operation: "init", host: "gateway.example" },
    ...{ httpStatus: 200, outcome: "done", detail: null, ms: 12, requestId: null },
    ...change,
  } as CallEntry;
}

/** Time that passes when a test says so. */
export class ManualTimers implements Timers {
  #nowMs = 0;
  #waiting: { atMs: number; everyMs: number | null; work: () => void }[] = [];

  set(ms: number, work: () => void) {
    return this.#add(ms, null, work);
  }

  every(ms: number, work: () => void) {
    return this.#add(ms, ms, work);
  }

  soon(work: () => void): void {
    queueMicrotask(work);
  }

  /** Lets this time pass, and what became due do its work. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const [next] = this.#waiting.filter(({ atMs }) => atMs <= untilMs).sort((one, other) => one.atMs - other.atMs);
      if (next === undefined) break;
      this.#nowMs = next.atMs;
      if (next.everyMs === null) this.#waiting.splice(this.#waiting.indexOf(next), 1);
      else next.atMs += next.everyMs;
      next.work();
      await settle();
    }
    this.#nowMs = untilMs;
    await settle();
  }

  #add(ms: number, everyMs: number | null, work: () => void) {
    const timer = { atMs: this.#nowMs + ms, everyMs, work };
    this.#waiting.push(timer);
    return {
      clear: () => {
        this.#waiting = this.#waiting.filter((other) => other !== timer);
      },
    };
  }
}

/** All promises that can go on have gone on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
}
