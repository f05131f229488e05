/** Counts characters as the relay does: an emoji is one. */
export function charactersOf(value: string): number {
  return [...value].length;
}
