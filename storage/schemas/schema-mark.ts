import { available, type Kv, type Operation } from "../../engine/kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../../engine/kernel/retry-on-conflict.ts";
import { PASSING, readBareRecord, recordText, SCHEMAS } from "../../engine/kernel/schemas.ts";
import { FORMER_VERSIONS_FENCE, fenceText } from "../../engine/partners/partner-store.ts";
import { numbersRead, OWN_NUMBERS, type SchemaNumbers, VersionRefused } from "./agreement.ts";

const MARK = "g/schemas";

/** By kind: the oldest and the newest number that may be in the store, and the version that was the first to write the newest. */
interface SchemaMark {
  kinds: { readonly [kind: string]: readonly [oldest: number, newest: number, version: string] };
}

/** Nodes that start at the same time raise the mark at the same time; in each round one of them succeeds. */
const ATTEMPTS_MAX = 64;

/**
 * Checks whether this version can read everything that has been written to the store, before anything else is read. @throws VersionRefused
 * if it cannot
 */
export async function checkSchemaMark(kv: Kv, numbers: SchemaNumbers = OWN_NUMBERS): Promise<void> {
  const entry = await available(() => kv.get(MARK));
  if (entry === null) return;
  const { kinds } = markIn(entry.value);
  for (const [kind, [oldest, newest, version]] of Object.entries(kinds)) {
    const [, oldestRead, newestRead] = numbers[kind] ?? [0, 0, 0];
    if (newest > newestRead) {
      throw new VersionRefused(
        `the store contains ${kind} in schema ${newest}, which Terminal Relay ${version} wrote, and this version ${numbersRead(oldestRead, newestRead)}: ` +
          `start ${version} or a newer one, or restore a backup from before that version`,
      );
    }
    if (oldest < oldestRead) {
      throw new VersionRefused(
        `the store may still contain ${kind} in schema ${oldest}, and this version ${numbersRead(oldestRead, newestRead)}: ` +
          "start a version that reads both; the upgrade guide names it",
      );
    }
  }
}

function markIn(text: string): SchemaMark {
  try {
    return readBareRecord<SchemaMark>("schemaMark", "the mark of the store's schemas", text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new VersionRefused(`${reason}: start the version that wrote it, or a newer one, or restore a backup from before that version`);
  }
}

/** Kinds that a start writes before it raises the mark. */
const WRITTEN_BEFORE: readonly string[] = [...SCHEMAS.secretProof.keys, ...SCHEMAS.storeIdentity.keys];

/** Whether the store contains nothing else. Any other store without a mark is of 0.1.0 or earlier. */
async function isFresh(kv: Kv): Promise<boolean> {
  const found = await kv.scan({ from: " ", to: "\u{7f}", limit: WRITTEN_BEFORE.length + 1 });
  return found.every(({ key }) => WRITTEN_BEFORE.includes(key));
}

/**
 * Records that this version writes to the store from now on; it must write nothing in its forms before. Versions that cannot read them
 * refuse to start.
 */
export async function raiseSchemaMark(kv: Kv, version: string, numbers: SchemaNumbers = OWN_NUMBERS): Promise<void> {
  await available(() =>
    retryOnConflict(ATTEMPTS_MAX, async () => {
      const entry = await kv.get(MARK);
      const before = entry === null ? null : markIn(entry.value).kinds;
      const isNew = before === null && (await isFresh(kv));
      const kinds: { [kind: string]: readonly [number, number, string] } = { ...before };
      for (const [kind, [writes]] of Object.entries(numbers)) {
        if (writes === 0 || PASSING.includes(kind)) continue;
        const [oldest, newest] = before?.[kind] ?? [before === null && !isNew ? 1 : writes, 0];
        if (writes > newest) kinds[kind] = [Math.min(oldest, writes), writes, version];
        else if (writes < oldest) kinds[kind] = [writes, newest, before?.[kind]?.[2] ?? version];
      }
      const value = recordText("schemaMark", { kinds });
      if (value === entry?.value) return;
      const operations: Operation[] = [
        { type: "put", key: MARK, value },
        { type: "put", key: FORMER_VERSIONS_FENCE, value: fenceText(version) },
      ];
      const { type } = await kv.commit({ checks: [{ key: MARK, version: entry?.version ?? 0 }], operations });
      return type === "committed" ? undefined : CONFLICT;
    }),
  );
}
