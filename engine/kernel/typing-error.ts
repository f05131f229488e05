/**
 * Returns true if the texts differ by exactly one typing error: a character that was changed, added
 * or left out, or two neighbours that were swapped.
 */
export function isOneErrorApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (long.length - short.length > 1 || one === other) return false;
  let head = 0;
  while (head < short.length && short[head] === long[head]) head += 1;
  if (long.length > short.length) return short.slice(head) === long.slice(head + 1);
  if (short.slice(head + 1) === long.slice(head + 1)) return true;
  const isSwapped = short[head] === long[head + 1] && short[head + 1] === long[head];
  return isSwapped && short.slice(head + 2) === long.slice(head + 2);
}

/**
 * Returns the parts of a text of which one typing error leaves at least one unchanged, because it
 * changes no two places further apart than neighbours.
 */
export function unchangedParts(text: string): { readonly head: string; readonly tail: string } {
  const third = Math.floor(text.length / 3);
  return { head: text.slice(0, third), tail: text.slice(text.length - third) };
}
