import { hasUuidForm } from "../../engine/kernel/identifiers.ts";

/** Numbers that follow from a seed: the same seed gives the same ones, on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
    // Seeds that follow each other would begin alike.
    for (let turn = 0; turn < 4; turn += 1) this.next();
  }

  /** 0 or more, less than 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the items; throws where there are none. */
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error("there is nothing to pick from");
    return item;
  }

  /** One of the names, each as often as its weight says. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const names = namesOf(weights);
    const total = names.reduce((sum, name) => sum + weights[name], 0);
    let left = this.next() * total;
    for (const name of names) {
      left -= weights[name];
      if (left < 0) return name;
    }
    return this.pick(names);
  }

  /** A generator of its own, for something whose numbers others must not move. */
  fork(): Random {
    return new Random(Math.floor(this.next() * 4_294_967_296));
  }

  /** A uuid of version 4 in its text form. */
  uuid(): string {
    let hex = "";
    while (hex.length < 32) {
      hex += Math.floor(this.next() * 4_294_967_296)
        .toString(16)
        .padStart(8, "0");
    }
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}

/** A uuid as others write it: in small letters where it is in capitals, else in capitals. What has not its form stays as it is. */
export function inOtherLetters(uuid: string): string {
  if (!hasUuidForm(uuid)) return uuid;
  const capitals = uuid.toUpperCase();
  return capitals === uuid ? uuid.toLowerCase() : capitals;
}

/** The names of a record, typed as they are. */
export function namesOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  const names: Name[] = [];
  for (const name in record) names.push(name);
  return names;
}
