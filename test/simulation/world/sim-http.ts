import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Random } from "../random.ts";
import type { SimNode } from "./sim-node.ts";
import type { SimProcess } from "./sim-process.ts";
import type { SimShard } from "./sim-shard.ts";
import type { World } from "./world.ts";

/** A request that is not answered by then is answered 503 (http/endpoint/endpoint.ts). */
const DEADLINE_MS = 10_000;

/** A client that waits for longer has given up. */
const CLIENT_TIMEOUT_MS = 15_000;

/** `failed`: an error with this code. `none`: the connection broke, or nobody listened. */
export type Answer<T> = { type: "answered"; value: T } | { type: "failed"; code: string } | { type: "none" };

/** Requests over HTTP to whichever node listens, with the network in between. */
export class SimHttp {
  readonly #world: World;
  readonly #open = new Map<SimProcess, Set<() => void>>();

  constructor(world: World) {
    this.#world = world;
    world.onDeath((process) => {
      for (const broken of this.#open.get(process) ?? []) broken();
      this.#open.delete(process);
    });
  }

  /** A node that listens, and one of its shards; null where there is none. */
  front(random: Random): { node: SimNode; shard: SimShard; process: SimProcess } | null {
    const { nodes } = this.#world;
    const serving = nodes.filter((node) => node.serving);
    if (serving.length === 0) return null;
    const node = random.pick(serving);
    const front = node.front(random.between(0, 7));
    return front === null ? null : { node, ...front };
  }

  /**
   * Asks a node. `lost` is called with a value that was computed for an asker who was gone by then, `unread` with one that was on its way when he went.
   * The client itself goes after `abortsAfterMs`, where that is given.
   */
  async request<T>(
    what: string,
    work: (shard: SimShard) => Promise<T>,
    { abortsAfterMs, lost, unread }: { abortsAfterMs?: number; lost?(value: T): void; unread?(value: T): void } = {},
  ): Promise<Answer<T>> {
    const { scheduler, witness } = this.#world;
    const random = this.#world.randomOf(what);
    const front = this.front(random);
    if (front === null) {
      await this.#world.sleep(50);
      return { type: "none" };
    }
    const { node, shard, process } = front;
    const answered = witness.asked(`${what} at ${node.name}`);
    return new Promise((resolve) => {
      let ended = false;
      const end = (answer: Answer<T>): void => {
        if (ended) return;
        ended = true;
        this.#open.get(process)?.delete(broken);
        answered();
        resolve(answer);
      };
      const broken = (): void => void scheduler.after(random.between(1, 200), null, () => end({ type: "none" }));
      const open = this.#open.get(process) ?? new Set();
      this.#open.set(process, open.add(broken));
      const respond = (answer: Answer<T>): void => {
        if (ended && answer.type === "answered") lost?.(answer.value);
        else
          scheduler.after(random.between(1, 8), null, () => {
            if (ended && answer.type === "answered") unread?.(answer.value);
            end(answer);
          });
      };
      scheduler.after(abortsAfterMs ?? CLIENT_TIMEOUT_MS, null, () => end({ type: "none" }));
      scheduler.after(random.between(1, 8), process, () => {
        if (ended) return;
        if (!node.trusted) {
          respond({ type: "failed", code: "unavailable" });
          return;
        }
        scheduler.after(DEADLINE_MS, process, () => end({ type: "failed", code: "unavailable" }));
        carriedOut(shard, work).then(
          (value) => respond({ type: "answered", value }),
          (error: unknown) => {
            if (!(error instanceof RelayError)) this.#world.failed(node.name, what, error);
            respond({ type: "failed", code: error instanceof RelayError ? error.code : "internal" });
          },
        );
      });
    });
  }
}

async function carriedOut<T>(shard: SimShard, work: (shard: SimShard) => Promise<T>): Promise<T> {
  return work(shard);
}
