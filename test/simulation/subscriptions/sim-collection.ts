import { RelayError } from "../../../engine/kernel/errors.ts";
import type { CycleLink, CycleLinkOrder, CycleLinkState, CycleLinks } from "../../../engine/subscriptions/cycle-links.ts";
import type { RecurringChargeAnswer, RecurringChargeOrder, RecurringCharges } from "../../../engine/subscriptions/recurring-charges.ts";
import { FakeCharges, FakeLinks } from "../../engine/subscriptions/world.ts";
import { turns } from "../intents/sim-gateway.ts";
import type { Random } from "../random.ts";

function away(): RelayError {
  return new RelayError("unavailable", "away");
}

/** Cards on file to which calls get late or not at all, and whose answers are lost. */
export class SimCharges implements RecurringCharges {
  readonly inner: FakeCharges;
  readonly #random: Random;
  /** Calls on their way that arrive by and by. */
  readonly #late: RecurringChargeOrder[] = [];
  /** How likely a call is not answered, and how likely a card is declined. */
  trouble = 0;
  declines = 0;

  constructor(random: Random, nowMs: () => number) {
    this.#random = random;
    this.inner = new FakeCharges(nowMs);
  }

  isOffered(): boolean {
    return true;
  }

  async charge(order: RecurringChargeOrder): Promise<RecurringChargeAnswer> {
    await turns(this.#random.between(0, 30));
    if (!this.#random.chance(this.trouble)) return this.#receive(order);
    switch (this.#random.pick(["lost", "undelivered", "late"] as const)) {
      case "lost":
        this.#receive(order);
        break;
      case "late":
        this.#late.push(order);
        break;
      case "undelivered":
        break;
    }
    throw away();
  }

  async verify(order: RecurringChargeOrder): Promise<RecurringChargeAnswer | { type: "absent" }> {
    await turns(this.#random.between(0, 30));
    if (this.#random.chance(this.trouble)) {
      if (this.#random.chance(0.5)) return { type: "unknown" };
      throw away();
    }
    return this.inner.verify(order);
  }

  /** Some of what is on its way arrives. */
  arrive(all = false): void {
    const waiting = this.#late.splice(0);
    for (const order of waiting) {
      if (all || this.#random.chance(0.5)) this.#receive(order);
      else this.#late.push(order);
    }
  }

  #receive(order: RecurringChargeOrder): RecurringChargeAnswer {
    this.inner.card = this.#random.chance(this.declines) ? this.#random.pick(["soft", "soft", "hard"] as const) : "good";
    return this.inner.receive(order);
  }
}

/** Payment links whose calls fail before or after they were done. */
export class SimLinks implements CycleLinks {
  readonly inner = new FakeLinks();
  readonly #random: Random;
  trouble = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  create(order: CycleLinkOrder): Promise<{ type: "created"; link: CycleLink } | { type: "refused"; code: string }> {
    return this.#call(() => this.inner.create(order));
  }

  look(order: unknown, link: CycleLink): Promise<CycleLinkState> {
    return this.#call(() => this.inner.look(order, link));
  }

  close(order: unknown, link: CycleLink): Promise<CycleLinkState> {
    return this.#call(() => {
      this.inner.isBusy = this.#random.chance(0.4);
      return this.inner.close(order, link);
    });
  }

  /** Somebody pays or leaves it, where that is possible; also a link that was closed while somebody was paying. */
  customer(id: string, does: "pay" | "leave", atMs: number): boolean {
    if (this.inner.links.get(id)?.state.type !== "open") return false;
    if (does === "pay") this.inner.pay(id, atMs);
    else this.inner.expire(id);
    return true;
  }

  async #call<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    await turns(this.#random.between(0, 30));
    if (!this.#random.chance(this.trouble)) return work();
    if (this.#random.chance(0.5)) await work();
    throw away();
  }
}
