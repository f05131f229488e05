import { MessageChannel, type MessagePort } from "node:worker_threads";
import type { Address } from "../../engine/kernel/bus.ts";

/**
 * A channel between each two of `addresses`: for each address, its port to every other. The main thread makes it and hands each worker
 * its own ports (as `workerData` and in `transferList`).
 */
export function createMesh(addresses: readonly Address[]): Map<Address, Map<Address, MessagePort>> {
  const mesh = new Map(addresses.map((address) => [address, new Map<Address, MessagePort>()]));
  for (const [one, portsOfOne] of mesh) {
    for (const [other, portsOfOther] of mesh) {
      if (one === other || portsOfOne.has(other)) continue;
      const { port1, port2 } = new MessageChannel();
      portsOfOne.set(other, port1);
      portsOfOther.set(one, port2);
    }
  }
  return mesh;
}
