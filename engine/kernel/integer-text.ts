const THOUSAND = 1_000;
const MILLION = 1_000_000;

/** The texts from 000 to 999. */
const GROUPS: readonly string[] = Array.from({ length: THOUSAND }, (_, group) => String(group).padStart(3, "0"));

/**
 * Returns a function that converts times and versions to the same texts as `String`. V8 caches the
 * text of each number in the old generation. Thousands of different numbers a second, each
 * converted once, would be garbage there until the next full collection. Consecutive numbers share
 * their first digits, which are converted once.
 */
export function createIntegerText(): (integer: number) => string {
  let lastMillions = 0;
  let lastText = "0";
  return (integer) => {
    if (!(integer >= MILLION && integer <= Number.MAX_SAFE_INTEGER)) return String(integer);
    const millions = Math.floor(integer / MILLION);
    if (millions !== lastMillions) {
      lastMillions = millions;
      lastText = String(millions);
    }
    const rest = integer - millions * MILLION;
    const thousands = Math.floor(rest / THOUSAND);
    const ones = rest - thousands * THOUSAND;
    const [high, low] = [GROUPS[thousands], GROUPS[ones]];
    // The table has no fractions.
    return high === undefined || low === undefined ? String(integer) : lastText + high + low;
  };
}
