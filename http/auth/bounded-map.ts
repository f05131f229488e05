import { createRoundRobin } from "../../engine/kernel/round-robin.ts";

/** A map that drops its oldest entry for a new one when it is full. */
export class BoundedMap<K, V> {
  readonly #entries = new Map<K, V>();
  readonly #roundRobin = createRoundRobin(() => this.#entries.keys());
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    if (this.#entries.size >= this.#max && !this.#entries.has(key)) {
      const oldest = this.#roundRobin.next();
      if (oldest !== undefined) this.#entries.delete(oldest);
    }
    this.#entries.set(key, value);
  }

  delete(key: K): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
