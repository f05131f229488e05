import { type FeedRow, type LifeRow, lifeRowOf, type TransactionRow } from "../../../engine/payments/feed-row.ts";
import type { FedCommand } from "../../../engine/terminals/fed-command.ts";
import type { FeedSink } from "../../../storage/feed/feed-sink.ts";
import type { Random } from "../random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimProcess } from "./sim-process.ts";

/** What ClickHouse shows with FINAL: of each key the row with the highest version. */
export class SimFeed {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly lives = new Map<string, LifeRow & { arrivedAtMs: number }>();
  readonly transactions = new Map<string, TransactionRow>();
  /** Terminals and uuids under which a result stood at some time, with the time at which it first did. */
  readonly heldSince = new Map<string, number>();
  /** By terminal and uuid, whose all of its rows said it is; empty for nobody's. */
  readonly shops = new Map<string, Set<string>>();

  constructor(scheduler: Scheduler, random: Random) {
    this.#scheduler = scheduler;
    this.#random = random;
  }

  /** Inserts for a process: what is under way when it dies arrives or does not. */
  sink(owner: SimProcess): FeedSink {
    return {
      begin: () => {
        const rows: FeedRow[] = [];
        return {
          add: (row) => void rows.push(row),
          send: () =>
            new Promise((resolve) => {
              this.#scheduler.after(this.#random.between(2, 30), owner, () => {
                for (const row of rows) this.#take(row);
                this.#scheduler.after(2, owner, resolve);
              });
            }),
        };
      },
    };
  }

  /** By terminal, what has come of commits after this version of the store (storage/transactions/fed-commands.ts). */
  since(storeVersion: number): Map<string, FedCommand[]> {
    const commands = new Map<string, FedCommand>();
    const known = (row: { storeVersion?: number } | undefined) => (row?.storeVersion ?? 0) > storeVersion;
    for (const key of new Set([...this.lives.keys(), ...this.transactions.keys()])) {
      const [life, result] = [this.lives.get(key), this.transactions.get(key)];
      const [terminalId = "", uuid = ""] = key.split(" ");
      // A life is looked up for a result, whenever it came.
      if (known(result)) commands.set(key, { terminalId, uuid, life: life ?? null, result: result ?? null });
      else if (known(life)) commands.set(key, { terminalId, uuid, life: life ?? null, result: null });
    }
    const byTerminal = new Map<string, FedCommand[]>();
    for (const command of commands.values()) byTerminal.set(command.terminalId, [...(byTerminal.get(command.terminalId) ?? []), command]);
    return byTerminal;
  }

  /** What it has of commands: "terminal uuid". */
  commands(): string[] {
    return [...this.lives.keys(), ...this.transactions.keys()];
  }

  #take(row: FeedRow): void {
    const life = row.type === "life" ? row : lifeRowOf(row);
    if (life !== null) {
      const key = `${life.terminalId} ${life.uuid}`;
      keepLatest(this.lives, key, { ...life, arrivedAtMs: this.#scheduler.nowMs });
      this.#noteShop(key, life);
    }
    if (row.type !== "transaction") return;
    const key = `${row.transaction.terminalId} ${row.transaction.uuid}`;
    keepLatest(this.transactions, key, row);
    this.#noteShop(key, row);
    if (!this.heldSince.has(key)) this.heldSince.set(key, this.#scheduler.nowMs);
  }

  #noteShop(key: string, { shop = "" }: LifeRow | TransactionRow): void {
    this.shops.set(key, (this.shops.get(key) ?? new Set()).add(shop));
  }
}

function keepLatest<Row extends { version: number }>(rows: Map<string, Row>, key: string, row: Row): void {
  const before = rows.get(key);
  if (before === undefined || before.version <= row.version) rows.set(key, row);
}
