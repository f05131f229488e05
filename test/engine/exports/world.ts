import { createExports } from "../../../engine/exports/create-exports.ts";
import type { ExportOrder, ExportRecord } from "../../../engine/exports/export.ts";
import type { ExportFiles } from "../../../engine/exports/export-files.ts";
import { createExportRunner } from "../../../engine/exports/export-runner.ts";
import type { ExportPiece, ExportSource } from "../../../engine/exports/export-source.ts";
import { createExportStore } from "../../../engine/exports/export-store.ts";
import type { Exports } from "../../../engine/exports/exports.ts";
import type { DeadlineRunner } from "../../../engine/kernel/deadline-runner.ts";
import type { MerchantParty } from "../../../engine/kernel/merchant-scope.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import { createRendezvousHomes } from "../../../engine/routing/rendezvous.ts";
import { digest } from "../intents/world.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock, settle } from "../world.ts";

export const OWNER: MerchantParty = { merchantId: "SHOP-001", partnerId: 7, livemode: false };
export const BY_KEY = { type: "key" } as const;

export const ORDER: ExportOrder = {
  ...{ list: "transactions", filters: {}, format: "CSV", columns: ["uuid"], lang: "it", personalData: false },
};

/** Timers that a test's clock moves. */
class ClockTimers implements Pick<Timers, "set" | "every"> {
  readonly #clock: ManualClock;
  readonly #pending = new Set<{ atMs: number; everyMs: number | null; work: () => void }>();

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  set(ms: number, work: () => void): Timer {
    return this.#add(ms, null, work);
  }

  every(ms: number, work: () => void): Timer {
    return this.#add(ms, ms, work);
  }

  #add(ms: number, everyMs: number | null, work: () => void): Timer {
    const timer = { atMs: this.#clock.nowMs() + ms, everyMs, work };
    this.#pending.add(timer);
    return { clear: () => void this.#pending.delete(timer) };
  }

  run(): void {
    for (const timer of [...this.#pending]) {
      if (timer.atMs > this.#clock.nowMs() || !this.#pending.has(timer)) continue;
      if (timer.everyMs === null) this.#pending.delete(timer);
      else timer.atMs = this.#clock.nowMs() + timer.everyMs;
      timer.work();
    }
  }
}

/** A folder in memory, which all nodes of a world share. */
export class FakeFolder {
  readonly staged = new Map<string, Uint8Array[]>();
  readonly kept = new Map<string, Uint8Array[]>();
  /** Bytes that others take. */
  othersBytes = 0;
  #names = 0;

  /** As one node sees it; nothing of what a dead one does happens. */
  seenBy(isDead: () => boolean): ExportFiles {
    const dead = () => new Promise<never>(() => undefined);
    return {
      create: async () => {
        this.#names += 1;
        const name = `export-${this.#names}`;
        const pieces: Uint8Array[] = [];
        this.staged.set(name, pieces);
        return {
          write: async (piece) => (isDead() ? dead() : void pieces.push(piece)),
          keep: async () => {
            if (isDead()) return dead();
            this.staged.delete(name);
            this.kept.set(name, pieces);
            return name;
          },
          discard: async () => (isDead() ? dead() : void this.staged.delete(name)),
        };
      },
      open: async (name) => {
        const pieces = this.kept.get(name);
        if (pieces === undefined) return null;
        return (async function* () {
          yield* pieces;
        })();
      },
      remove: async (name) => (isDead() ? dead() : void this.kept.delete(name)),
      bytes: async () =>
        this.othersBytes + [...this.staged.values(), ...this.kept.values()].flat().reduce((sum, { byteLength }) => sum + byteLength, 0),
      sweep: async (known) => {
        for (const name of this.kept.keys()) if (!known.has(name)) this.kept.delete(name);
        return 0;
      },
    };
  }

  textOf(name: string): string {
    return Buffer.concat(this.kept.get(name) ?? []).toString();
  }
}

export interface ExportNode {
  exports: Exports;
  runner: DeadlineRunner;
  /** Nothing of what it does happens any more. */
  kill(): void;
}

/** Nodes over one store and one folder. A source gives what `pieces` says. */
export class ExportWorld {
  readonly kv = new MemoryKv();
  readonly clock = new ManualClock();
  readonly folder = new FakeFolder();
  readonly became: string[] = [];
  readonly failures: string[] = [];
  readonly homes = createRendezvousHomes(["node-0"]);
  readonly nodes: ExportNode[] = [];
  readonly timers: ClockTimers[] = [];
  bytesMax = 10 * 1_073_741_824;
  /** What an attempt at an export writes; the second argument is aborted where it is to end. */
  pieces: (record: ExportRecord, signal: AbortSignal) => AsyncIterable<ExportPiece> = () => twoRows();
  #leases = 0;
  #operations = 0;

  open(self = "node-0"): ExportNode {
    let isDead = false;
    const { kv, clock } = this;
    const store = createExportStore(kv);
    const files = this.folder.seenBy(() => isDead);
    const timers = new ClockTimers(clock);
    this.timers.push(timers);
    const source: ExportSource = {
      pieces: (record, signal) => this.pieces(record, signal),
      turn: async () => () => undefined,
    };
    const exports = createExports({ store, files, clock, digest, became: (state) => void this.became.push(state) });
    const runner = createExportRunner({
      ...{ store, files, source, bytesMax: this.bytesMax, homes: this.homes, self, clock, timers },
      newLease: () => {
        this.#leases += 1;
        return `lease-${this.#leases}`;
      },
      became: (state) => void this.became.push(state),
      failed: (what, error) => void this.failures.push(`${what} ${String(error)}`),
    });
    const node: ExportNode = {
      exports,
      runner,
      kill: () => {
        isDead = true;
        this.timers.splice(this.timers.indexOf(timers), 1);
        this.nodes.splice(this.nodes.indexOf(node), 1);
      },
    };
    this.nodes.push(node);
    return node;
  }

  get exports(): Exports {
    const [node] = this.nodes;
    if (node === undefined) throw new Error("there is no node");
    return node.exports;
  }

  /** What is made of it when it is asked for. */
  async create(order: Partial<ExportOrder> = {}, owner = OWNER): Promise<ExportRecord> {
    this.#operations += 1;
    const made = await this.exports.create(owner, { ...ORDER, ...order }, BY_KEY, { id: `operation-${this.#operations}` });
    if (made.type !== "created") throw new Error(made.type);
    return made.record;
  }

  async find(id: string): Promise<ExportRecord | null> {
    return this.exports.find(OWNER, "all", id);
  }

  /** Lets the time pass second by second, with what is due in it. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      this.clock.advance(1_000);
      for (const timers of this.timers) timers.run();
      for (const { runner } of this.nodes) runner.tick();
      await settle();
      for (const { runner } of this.nodes) runner.tick();
      await settle();
    }
  }
}

export async function* twoRows(): AsyncGenerator<ExportPiece> {
  yield { bytes: Buffer.from("head\n"), rows: 0 };
  yield { bytes: Buffer.from("one\ntwo\n"), rows: 2 };
}
