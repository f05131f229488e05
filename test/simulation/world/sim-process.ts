import type { Scheduler } from "./scheduler.ts";

/** One life of a node's process: what it had in hand is gone with it. */
export class SimProcess {
  readonly name: string;
  state: "running" | "stopped" | "dead" = "running";
  /** What came due while it was stopped, in order. */
  readonly backlog: (() => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get alive(): boolean {
    return this.state !== "dead";
  }

  /** It does nothing from now on, as after SIGSTOP; what it is told waits. */
  stop(): void {
    if (this.state === "running") this.state = "stopped";
  }

  wake(scheduler: Scheduler): void {
    if (this.state !== "stopped") return;
    this.state = "running";
    // One after the other, each with the promises that it makes ready.
    const next = (): void => {
      const work = this.backlog.shift();
      if (work === undefined) return;
      if (this.backlog.length > 0) scheduler.after(0, this, next);
      work();
    };
    if (this.backlog.length > 0) scheduler.after(0, this, next);
  }

  kill(): void {
    this.state = "dead";
    this.backlog.length = 0;
  }
}
