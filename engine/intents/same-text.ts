/** Compares two texts in constant time. Their lengths are not secret. */
export function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let differing = 0;
  for (let index = 0; index < one.length; index += 1) differing |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return differing === 0;
}
