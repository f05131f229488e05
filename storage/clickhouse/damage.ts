import { type ClickHouseClient, ClickHouseError } from "@clickhouse/client";

/** ClickHouse's codes for files that it cannot open, read or write: they are gone, of a wrong size, or the disk is full. Other failures are those of a statement. */
const FILE_CODES = new Set([
  "74",
  "75",
  "76",
  "77",
  "87",
  "88",
  "107",
  "226",
  "227",
  "228",
  "230",
  "231",
  "243",
  "294",
  "586",
  "641",
  "740",
]);

/** Codes for contents that are cut off or wrong. Without the name of a part they may be about what was sent. */
const CONTENT_CODES = new Set(["3", "32", "33", "40", "91", "246", "271", "432"]);

/** A part that is not there any more: it was dropped. */
const NO_SUCH_PART = new Set(["60", "232"]);

const PART = /part (?:\S*\/)?([A-Za-z0-9_]+)\/? in table `?relay`?\.`?(\w+)`?/;

/** A part that cannot be read is looked at again after this time, for as long. */
const LOOK_AGAIN_MS = 10_000;
const LOOK_SECONDS_MAX = 30;

/** A failure that names no part is over when nothing has failed so for this time. */
const FORGET_AFTER_MS = 300_000;

/** Parts that are remembered; more than that are one and the same misfortune. */
const DAMAGES_MAX = 20;

/** What ClickHouse cannot read or write. */
export interface Damage {
  /** Null where the error names none. */
  readonly table: string | null;
  readonly part: string | null;
  /** ClickHouse's code; null for a part that it has set aside when it started. */
  readonly code: string | null;
}

export interface DamageWatch {
  /** Takes an error of a statement of the relay's; those that are not about storage are ignored. */
  note(error: unknown): void;
  /** Looks for parts that ClickHouse has set aside because they are broken: their rows are missing without any error. */
  lookForPartsSetAside(client: ClickHouseClient): Promise<void>;
  /** Whether ClickHouse can read everything, as far as is known. Parts that could not be read are looked at again meanwhile. */
  canRead(): boolean;
  /** How many parts cannot be read or were set aside. */
  count(): number;
}

interface Known extends Damage {
  atMs: number;
  told: boolean;
}

export interface DamageWatchOptions {
  /** Runs on when the wall clock is set. */
  clock: { monotonicMs(): number };
  /** Looks at parts again. */
  client(): ClickHouseClient | null;
  /** Tells operators; a damage that could not be told is told again when it is met again. */
  tell(damage: Damage): Promise<void>;
}

export function createDamageWatch({ clock, client, tell }: DamageWatchOptions): DamageWatch {
  const known = new Map<string, Known>();
  let looking = false;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  function found(damage: Damage): void {
    const key = `${damage.table} ${damage.part}`;
    const before = known.get(key);
    if (before === undefined && known.size >= DAMAGES_MAX) return;
    const one = { ...damage, atMs: clock.monotonicMs(), told: before?.told ?? false };
    known.set(key, one);
    if (one.told) return;
    one.told = true;
    tell(damage).catch(() => {
      one.told = false;
    });
  }

  async function look(asked: ClickHouseClient): Promise<void> {
    const atMs = clock.monotonicMs();
    for (const [key, { table, part, code, atMs: failedAtMs }] of known) {
      if (code === null) continue;
      const isOver = table === null || part === null ? atMs - failedAtMs > FORGET_AFTER_MS : await isWell(asked, table, part);
      if (isOver) known.delete(key);
    }
  }

  return {
    note: (error) => {
      if (!(error instanceof ClickHouseError)) return;
      const [, part = null, table = null] = PART.exec(error.message) ?? [];
      if (FILE_CODES.has(error.code) || (part !== null && CONTENT_CODES.has(error.code))) found({ table, part, code: error.code });
    },
    lookForPartsSetAside: async (asked) => {
      const result = await asked.query({
        query: `SELECT table, name FROM system.detached_parts WHERE database = 'relay' AND startsWith(reason, 'broken') ORDER BY table, name LIMIT ${DAMAGES_MAX}`,
        format: "JSONEachRow",
      });
      for (const { table, name } of await result.json<{ table: string; name: string }>()) found({ table, part: name, code: null });
    },
    canRead: () => {
      const asked = client();
      if (asked !== null && !looking && known.size > 0 && clock.monotonicMs() - lookedAtMs >= LOOK_AGAIN_MS) {
        looking = true;
        lookedAtMs = clock.monotonicMs();
        void look(asked).finally(() => {
          looking = false;
        });
      }
      return ![...known.values()].some(({ code }) => code !== null);
    },
    count: () => known.size,
  };
}

/** Whether a part can be read again, or is not there any more. */
async function isWell(client: ClickHouseClient, table: string, part: string): Promise<boolean> {
  try {
    const result = await client.query({
      query: `CHECK TABLE relay.${table} PART '${part}'`,
      format: "JSONEachRow",
      clickhouse_settings: { check_query_single_value_result: 0, max_execution_time: LOOK_SECONDS_MAX },
    });
    const rows = await result.json<{ is_passed: number | boolean }>();
    return rows.length > 0 && rows.every(({ is_passed: isPassed }) => isPassed === 1 || isPassed === true);
  } catch (error) {
    return error instanceof ClickHouseError && NO_SUCH_PART.has(error.code);
  }
}
