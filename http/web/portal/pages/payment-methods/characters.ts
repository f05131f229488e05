/** As the relay counts them, so that an emoji is one. */
export function charactersOf(value: string): number {
  return [...value].length;
}
