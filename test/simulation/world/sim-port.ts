import type { Address } from "../../../engine/kernel/bus.ts";
import type { BatchPort } from "../../../storage/bus/peer.ts";
import type { Batch } from "../../../storage/bus/thread-protocol.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimProcess } from "./sim-process.ts";

/** One end of a port between two threads of a node: in order, never lost, and not at once. */
class SimPort implements BatchPort {
  readonly #deliver: (ms: number, work: () => void) => void;
  readonly #delayMs: () => number;
  #other: SimPort | null = null;
  #listener: ((batch: Batch) => void) | null = null;
  readonly #queue: Batch[] = [];

  constructor(deliver: (ms: number, work: () => void) => void, delayMs: () => number) {
    this.#deliver = deliver;
    this.#delayMs = delayMs;
  }

  connect(other: SimPort): void {
    this.#other = other;
  }

  postMessage(batch: Batch): void {
    this.#other?.take(batch);
  }

  take(batch: Batch): void {
    this.#queue.push(batch);
    this.#deliver(this.#delayMs(), () => {
      const next = this.#queue.shift();
      if (next !== undefined) this.#listener?.(next);
    });
  }

  on(event: "message" | "close", listener: (batch: Batch) => void): this {
    if (event === "message") this.#listener = listener;
    return this;
  }

  close(): void {}
}

/** A port between each two of these threads (storage/bus/mesh.ts). */
export function simulatedMesh(
  addresses: readonly Address[],
  { scheduler, owner, delayMs }: { scheduler: Scheduler; owner: SimProcess; delayMs(): number },
): ReadonlyMap<Address, ReadonlyMap<Address, BatchPort>> {
  const mesh = new Map(addresses.map((address) => [address, new Map<Address, BatchPort>()]));
  const deliver = (ms: number, work: () => void): void => void scheduler.after(ms, owner, work);
  for (const one of addresses) {
    for (const other of addresses) {
      if (one >= other) continue;
      const [near, far] = [new SimPort(deliver, delayMs), new SimPort(deliver, delayMs)];
      near.connect(far);
      far.connect(near);
      mesh.get(one)?.set(other, near);
      mesh.get(other)?.set(one, far);
    }
  }
  return mesh;
}
