import type { Commit, CountRange, ScanRange } from "../../engine/kernel/kv.ts";

/** Longest key, in bytes (keys are ASCII): the store's own limit, so that both engines keep the same. */
export const KEY_LENGTH_MAX = 512;

/** Longest value as UTF-8. The largest thing kept is a terminal's result, well below it. */
export const VALUE_BYTES_MAX = 1_048_576;

/** Entries of one scan, and keys of one `getMany`: a page, not a table. */
export const SCAN_LIMIT_MAX = 10_000;

/** What one `count` counts: a second's work of the embedded store, in the background. */
export const COUNT_LIMIT_MAX = 1_000_000;

/** Checks and operations of one commit: one Redis script and one turn of the event loop have to carry it. */
export const COMMIT_ENTRIES_MAX = 10_000;

/** UTF-16 units of all keys and values of one commit. */
export const COMMIT_LENGTH_MAX = 16_777_216;

/** Checks of a commit that the keys of its operations are compared with. */
const COMPARED_CHECKS_MAX = 4;

/**
 * A regular expression, because a loop over the characters of V8's different kinds of strings is slower
 * (infra/docs/decisions/0025-figures-behind-the-code.md).
 */
const PRINTABLE = /^[ -~]*$/;

/**
 * Throws RangeError for a key that is empty, too long or not printable ASCII. The error does not contain the key, which may be personal
 * data.
 */
export function assertKey(key: string): void {
  const length = key.length;
  if (length === 0 || length > KEY_LENGTH_MAX) throw new RangeError(`a key has 1 to ${KEY_LENGTH_MAX} bytes, not ${length}`);
  if (!PRINTABLE.test(key)) throw new RangeError("a key is printable ASCII");
}

/** Throws RangeError where a key is bad or there are more than SCAN_LIMIT_MAX. */
export function assertKeys(keys: readonly string[]): void {
  if (keys.length > SCAN_LIMIT_MAX) throw new RangeError(`getMany takes at most ${SCAN_LIMIT_MAX} keys, not ${keys.length}`);
  for (const key of keys) assertKey(key);
}

/** Throws RangeError for a limit out of range or a bound that is not ASCII. Bounds may be empty and one longer than a key. */
export function assertRange(range: ScanRange): void {
  assertBounded(range, SCAN_LIMIT_MAX);
}

/** The same for a `count`. */
export function assertCountRange(range: CountRange): void {
  assertBounded(range, COUNT_LIMIT_MAX);
}

/** Throws RangeError where a key, a value, a version, an expiry or the size of the commit is out of bounds. */
export function assertCommit(commit: Commit): void {
  const entries = commit.checks.length + commit.operations.length;
  if (entries > COMMIT_ENTRIES_MAX)
    throw new RangeError(`a commit has at most ${COMMIT_ENTRIES_MAX} checks and operations, not ${entries}`);
  for (const check of commit.checks) {
    assertKey(check.key);
    if (!Number.isSafeInteger(check.version) || check.version < 0) throw new RangeError("a version is a safe integer of 0 or more");
  }
  let length = 0;
  for (const operation of commit.operations) {
    // Most keys that are written were checked and validated just above.
    if (!isChecked(operation.key, commit.checks)) assertKey(operation.key);
    length += operation.key.length;
    if (operation.type === "put") length += assertPut(operation.value, operation.expiresAtMs);
  }
  if (length > COMMIT_LENGTH_MAX) throw new RangeError(`a commit has at most ${COMMIT_LENGTH_MAX} characters, not ${length}`);
}

function isChecked(key: string, checks: Commit["checks"]): boolean {
  if (checks.length > COMPARED_CHECKS_MAX) return false;
  for (const check of checks) if (check.key === key) return true;
  return false;
}

function assertPut(value: string, expiresAtMs: number | undefined): number {
  // A UTF-16 unit takes at most three bytes, so nearly every value is passed without being measured.
  if (value.length * 3 > VALUE_BYTES_MAX && Buffer.byteLength(value) > VALUE_BYTES_MAX) {
    throw new RangeError(`a value has at most ${VALUE_BYTES_MAX} bytes, not ${Buffer.byteLength(value)}`);
  }
  if (expiresAtMs !== undefined && (!Number.isSafeInteger(expiresAtMs) || expiresAtMs < 1)) {
    throw new RangeError("an expiry is a whole number of milliseconds since the epoch");
  }
  return value.length;
}

function assertBounded({ from, to, limit }: CountRange, limitMax: number): void {
  if (!Number.isInteger(limit) || limit < 1 || limit > limitMax)
    throw new RangeError(`the limit of a range is 1 to ${limitMax}, not ${limit}`);
  assertBound(from);
  assertBound(to);
}

function assertBound(bound: string): void {
  if (bound.length > KEY_LENGTH_MAX + 1) throw new RangeError(`a bound of a range has at most ${KEY_LENGTH_MAX + 1} bytes`);
  for (let index = 0; index < bound.length; index++) {
    if (bound.charCodeAt(index) > 0x7f) throw new RangeError("a bound of a range is ASCII");
  }
}
