import type { Behaviour, DeviceSpec } from "../plan.ts";
import { inOtherLetters, type Random } from "../random.ts";
import type { Delivery } from "../witness.ts";
import type { World } from "../world/world.ts";
import type { PostedResult, ResultPoster } from "./result-poster.ts";

/** Attempts of one command that a device refuses; then it takes it. */
const REFUSED_MAX = 2;

/** What a message says, as far as a device looks at it. */
export interface Message {
  uuid: string;
  service: string;
  terminalId: string;
  amount: number;
  cancels?: string;
  attempt?: number;
}

/** The connection that a message came over. */
export interface Line {
  /** True where the message wants an ACK or a NACK. */
  acknowledges: boolean;
  /** Sends ACK or NACK of the message; false where the connection is another one by now. */
  settle(command: "ACK" | "NACK"): boolean;
  hangUpSoon(): void;
}

export interface ExecutionParts {
  world: World;
  spec: DeviceSpec;
  random: Random;
  poster: ResultPoster;
  behaviourOf(uuid: string): Behaviour;
}

/** What a device does about commands, as the behaviour of each says; it remembers what it has begun. */
export class Execution {
  readonly #parts: ExecutionParts;
  /** What it has begun, with its result where there is one. */
  readonly #done = new Map<string, PostedResult | null>();
  readonly #renounced = new Set<string>();

  constructor(parts: ExecutionParts) {
    this.#parts = parts;
  }

  take(delivery: Delivery, message: Message, line: Line): void {
    const { world, poster, behaviourOf } = this.#parts;
    const { uuid } = message;
    const behaviour = behaviourOf(uuid);
    if (message.service === "CANCEL") {
      if (line.acknowledges) this.#settle("ACK", delivery, line, 0);
      this.#answerCancel(delivery.terminalId, uuid, message.cancels ?? "", behaviourOf(message.cancels ?? ""));
      return;
    }
    if (behaviour.closesAfter === "message") line.hangUpSoon();
    if (line.acknowledges && behaviour.ack === "nack" && this.#mayRefuse(delivery)) {
      this.#settle("NACK", delivery, line, world.randomOf(uuid).between(0, 1_500));
      return;
    }
    if (line.acknowledges && behaviour.ack !== "never") {
      const ackMs = behaviour.ack === "late" ? world.randomOf(uuid).between(500, 6_000) : world.randomOf(uuid).between(0, 20);
      this.#settle("ACK", delivery, line, ackMs);
      if (behaviour.closesAfter === "ack") this.#after(ackMs, line.hangUpSoon);
    }
    if (this.#renounced.has(uuid)) return;
    const before = this.#done.get(uuid);
    if (before !== undefined) {
      // A device that remembers uuids posts the same result again.
      if (before !== null && delivery.flagged) poster.post(before, behaviour.via);
      return;
    }
    this.#done.set(uuid, null);
    this.#answer(delivery, message, behaviour, line);
  }

  #answer({ terminalId }: Delivery, { uuid, amount }: Message, behaviour: Behaviour, line: Line): void {
    const { world, poster } = this.#parts;
    if (behaviour.result === "never") return;
    const status = behaviour.result === "declines" ? "KO" : "OK";
    const posted = behaviour.result === "other letters" ? inOtherLetters(uuid) : uuid;
    const result: PostedResult = { terminalId, commandUuid: uuid, uuid: posted, status, amount, code: uuid.slice(0, 6) };
    const other: PostedResult = { ...result, status: "KO", code: "other" };
    this.#after(behaviour.afterMs, () => {
      if (this.#renounced.has(uuid)) return;
      this.#done.set(uuid, result);
      poster.post(result, behaviour.via);
      if (behaviour.closesAfter === "result") line.hangUpSoon();
      const again = world.randomOf(uuid).between(20, 3_000);
      if (behaviour.result === "twice") this.#after(again, () => poster.post(result, behaviour.via));
      if (behaviour.result === "differently") this.#after(again, () => poster.post(other, behaviour.via));
    });
  }

  /** OK only for what it has not begun, which it then never executes. */
  #answerCancel(terminalId: string, uuid: string, target: string, behaviour: Behaviour): void {
    const { world, spec, random, poster } = this.#parts;
    if (behaviour.cancelAnswer === "never" || this.#done.has(uuid)) return;
    const isFree = !this.#done.has(target) && behaviour.cancelAnswer === "honest";
    if (isFree) {
      this.#renounced.add(target);
      world.witness.renounced.add(target);
    }
    const status = isFree ? "OK" : "KO";
    const result: PostedResult = { terminalId, commandUuid: uuid, uuid, status, amount: null, code: uuid.slice(0, 6) };
    this.#done.set(uuid, result);
    world.trace.note(spec.name, `will answer ${status} to the CANCEL of ${target}`);
    this.#after(random.between(5, 1_500), () => poster.post(result, behaviour.via));
  }

  #settle(command: "ACK" | "NACK", delivery: Delivery, line: Line, ms: number): void {
    const { world, spec } = this.#parts;
    this.#after(ms, () => {
      if (!line.settle(command)) return;
      if (command === "ACK") delivery.ackedAtMs = world.scheduler.nowMs;
      else delivery.nackedAtMs = world.scheduler.nowMs;
      world.count(command);
      world.trace.note(spec.name, `${command} ${delivery.uuid}`);
    });
  }

  /** What it has begun it does not refuse, nor what has come back often. With `ack: client` a NACK gives back all before it, too: a device that has begun one of them does not send it. */
  #mayRefuse({ uuid, session, terminalId, attempt }: Delivery): boolean {
    const { world, spec } = this.#parts;
    if (this.#done.has(uuid) || attempt > REFUSED_MAX) return false;
    if (spec.topics.find((topic) => topic.terminalId === terminalId)?.ack !== "client") return true;
    const earlier = world.witness.deliveries.filter((delivery) => delivery.session === session);
    return earlier.every(({ ackedAtMs, nackedAtMs }, index) => index === earlier.length - 1 || ackedAtMs !== null || nackedAtMs !== null);
  }

  #after(ms: number, work: () => void): void {
    this.#parts.world.scheduler.after(ms, null, work);
  }
}
