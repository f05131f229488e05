/** Whether two texts are the same, in a time that does not tell where they differ; their lengths are no secret. */
export function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let differing = 0;
  for (let index = 0; index < one.length; index += 1) differing |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return differing === 0;
}
