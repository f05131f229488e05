import { randomUUID } from "node:crypto";
import type { Clock } from "../../engine/kernel/clock.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import { readBareRecord, recordText } from "../../engine/kernel/schemas.ts";

/**
 * Work that one node at a time does. The record under each key names the node that has the lease,
 * and its position.
 */
const LEASES = {
  /** Reading the shared outbox. */
  outbox: "feed/turn",
  /** Filling the merchants' table with legacy rows (merchant-backfill.ts). */
  backfill: "shop/turn",
  /** Filling the table of merchants' objects with legacy rows (object-backfill.ts). */
  objects: "objects/turn",
} as const;

const RENEW_EVERY_MS = 2_000;

/**
 * A holder that has not renewed for this long counts as dead. Each waiting node measures it on its
 * own monotonic clock.
 */
const EXPIRED_AFTER_MS = 6_000;

interface LeaseRecord {
  /** Null if the last holder released it. */
  holder: string | null;
  /**
   * The progress of the work, such as the outbox key before which all rows were produced. Null if
   * it is not known.
   */
  cursor: string | null;
}

/**
 * Lets one node at a time do the work. Two nodes can do it for a moment if the holder was
 * suspended. Some rows are then produced twice, but no row is lost, since a row stays in the outbox
 * until it is confirmed.
 */
export class LeaderLease {
  readonly #kv: Kv;
  readonly #clock: Clock;
  readonly #key: string;
  readonly #me = randomUUID();
  #version = 0;
  #seenAtMs = 0;
  #held = false;

  constructor(kv: Kv, clock: Clock, work: keyof typeof LEASES = "outbox") {
    this.#key = LEASES[work];
    this.#kv = kv;
    this.#clock = clock;
  }

  get held(): boolean {
    return this.#held;
  }

  /**
   * Acquires the lease if it is free. Resolves with the cursor of the previous holder, or with null
   * if another node has the lease. Rejects with StorageUnavailable.
   */
  async acquire(): Promise<{ cursor: string | null } | null> {
    const entry = await this.#kv.get(this.#key);
    const nowMs = this.#clock.monotonicMs();
    const version = entry?.version ?? 0;
    const record: LeaseRecord =
      entry === null ? { holder: null, cursor: null } : readBareRecord<LeaseRecord>("feedTurn", this.#key, entry.value);
    if (version !== this.#version) {
      this.#version = version;
      this.#seenAtMs = nowMs;
    }
    const free = record.holder === null || nowMs - this.#seenAtMs >= EXPIRED_AFTER_MS;
    if (!free || !(await this.#put({ holder: this.#me, cursor: record.cursor }))) return null;
    this.#held = true;
    return { cursor: record.cursor };
  }

  /**
   * Renews the lease and stores the cursor from time to time. Resolves with false if the lease was
   * lost. Rejects with StorageUnavailable.
   */
  async renew(cursor: string | null): Promise<boolean> {
    if (this.#clock.monotonicMs() - this.#seenAtMs < RENEW_EVERY_MS) return true;
    this.#held = await this.#put({ holder: this.#me, cursor });
    return this.#held;
  }

  /**
   * Releases the lease, so that another node can take it without waiting. Rejects with
   * StorageUnavailable.
   */
  async release(cursor: string | null): Promise<void> {
    if (!this.#held) return;
    this.#held = false;
    await this.#put({ holder: null, cursor });
  }

  async #put(record: LeaseRecord): Promise<boolean> {
    const result = await this.#kv.commit({
      checks: [{ key: this.#key, version: this.#version }],
      operations: [{ type: "put", key: this.#key, value: recordText("feedTurn", record) }],
    });
    if (result.type === "conflict") return false;
    this.#version = result.version;
    this.#seenAtMs = this.#clock.monotonicMs();
    return true;
  }
}
