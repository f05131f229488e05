import { type ReceivedCommand, readCommand } from "./command.ts";
import { cancelAnswer, executionOf } from "./execution.ts";
import type { Memory } from "./memory.ts";
import type { Settings } from "./options.ts";
import type { Outbox } from "./outbox.ts";
import type { Pace } from "./pace.ts";

/** Maximum number of waiting commands: more than the relay ever queues for one terminal. */
const WAITING_MAX = 64;

/**
 * Executes commands one after the other, as a person at a till does, each uuid once. A CANCEL is answered at once, even while a command is
 * being executed.
 */
export class CommandRunner {
  readonly #settings: Settings;
  readonly #memory: Memory;
  readonly #outbox: Outbox;
  readonly #pace: Pace;
  readonly #signal: AbortSignal;
  readonly #waiting: ReceivedCommand[] = [];
  #atWork: { uuid: string; stop: AbortController } | null = null;
  #working: Promise<void> | null = null;

  constructor(settings: Settings, parts: { memory: Memory; outbox: Outbox; pace: Pace; signal: AbortSignal }) {
    this.#settings = settings;
    this.#memory = parts.memory;
    this.#outbox = parts.outbox;
    this.#pace = parts.pace;
    this.#signal = parts.signal;
    this.#signal.addEventListener("abort", () => this.#atWork?.stop.abort(), { once: true });
    for (const { uuid, body } of this.#memory.unacknowledged()) this.#post(uuid, body, 0);
  }

  /** True while nothing more should be fetched. */
  get full(): boolean {
    return this.#waiting.length >= WAITING_MAX || this.#outbox.full;
  }

  /** Accepts and remembers a command. Returns false if it was not accepted and should be sent again. */
  receive(text: string): boolean {
    const { onEvent } = this.#settings;
    const command = readCommand(text);
    if (command === null) {
      onEvent({ type: "ignored", reason: "not a command" });
      return true;
    }
    const { uuid, service, amountCents, members } = command;
    if (service === "FORCE_UPDATE") {
      const { versionCode } = members;
      onEvent({ type: "update_offered", versionCode: typeof versionCode === "number" ? versionCode : null });
      return true;
    }
    if (service === "CONFIG") {
      onEvent({ type: "configured" });
      return true;
    }
    const known = this.#memory.find(uuid);
    if (known !== undefined) {
      onEvent({ type: "repeated", uuid });
      const [first] = known.state === "done" ? known.posts : [];
      if (first !== undefined && !this.#outbox.full) this.#outbox.post({ uuid, body: first, acknowledged: () => undefined });
      return true;
    }
    if (this.full) return false;
    onEvent({ type: "received", uuid, service, amountCents });
    if (service === "CANCEL") {
      this.#cancel(command);
      return true;
    }
    this.#memory.start(uuid);
    this.#waiting.push(command);
    this.#working ??= this.#work();
    return true;
  }

  /** After the signal has aborted: resolves when no command is being executed. */
  async stopped(): Promise<void> {
    await this.#working;
  }

  /** A command that has not started or not ended is stopped, and then has no result; one that has ended, or may have, is not. */
  #cancel(command: ReceivedCommand): void {
    const target = command.cancels ?? "";
    const stopped = this.#stop(target);
    if (stopped) {
      this.#memory.cancel(target);
      this.#settings.onEvent({ type: "cancelled", uuid: target });
    }
    this.#finish(command.uuid, [cancelAnswer(command, this.#settings, stopped, Date.now())], 0);
  }

  #stop(uuid: string): boolean {
    const waiting = this.#waiting.findIndex((command) => command.uuid === uuid);
    if (waiting !== -1) {
      this.#waiting.splice(waiting, 1);
      return true;
    }
    if (this.#atWork?.uuid === uuid) {
      this.#atWork.stop.abort();
      this.#atWork = null;
      return true;
    }
    const known = this.#memory.find(uuid);
    // A command that was never received is remembered as cancelled, so that it is not executed if it is received later.
    return known === undefined || known.state === "cancelled";
  }

  async #work(): Promise<void> {
    for (let command = this.#waiting.shift(); command !== undefined && !this.#signal.aborted; command = this.#waiting.shift()) {
      await this.#carryOut(command);
    }
    // In the same turn as the last check of the queue, so that a command that arrives now starts a new run.
    this.#working = null;
  }

  async #carryOut(command: ReceivedCommand): Promise<void> {
    const { uuid } = command;
    const execution = executionOf(command, this.#settings);
    const work = { uuid, stop: new AbortController() };
    this.#atWork = work;
    const ended = await this.#pace.sleep(execution.takesMs, work.stop.signal);
    if (!ended || this.#atWork !== work) return;
    this.#atWork = null;
    this.#settings.onEvent({ type: "executed", uuid, outcome: execution.outcome });
    const posts = execution.posts(Date.now());
    if (posts.length > 0) this.#finish(uuid, posts, execution.postAfterMs);
  }

  #finish(uuid: string, posts: readonly string[], afterMs: number): void {
    this.#memory.finish(uuid, posts);
    for (const body of posts) this.#post(uuid, body, afterMs);
  }

  #post(uuid: string, body: string, afterMs: number): void {
    this.#outbox.post({ uuid, body, acknowledged: () => this.#memory.acknowledge(uuid) }, afterMs);
  }
}
