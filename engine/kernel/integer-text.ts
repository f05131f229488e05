const THOUSAND = 1_000;
const MILLION = 1_000_000;

/** Three digits each. */
const GROUPS: readonly string[] = Array.from({ length: THOUSAND }, (_, group) => String(group).padStart(3, "0"));

/**
 * Makes a writer of times and versions, whose texts are those of `String`. V8 remembers the text of each number that it writes, in the old generation:
 * thousands of different ones a second, written once each, are garbage there until the next full collection. Numbers that come one after the other
 * share their first digits, which are written once.
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
    // A fraction is in no group.
    return high === undefined || low === undefined ? String(integer) : lastText + high + low;
  };
}
