/** An image as its bytes describe it. */
export interface ReadImage {
  readonly width: number;
  readonly height: number;
  /**
   * The file without everything that does not affect the picture: comments, text, places and
   * cameras (EXIF, XMP), and data of unknown kinds.
   */
  readonly contents: Uint8Array;
}

export function latin1(contents: Uint8Array, from: number, until: number): string {
  return String.fromCharCode(...contents.subarray(from, until));
}

/** Joins parts of a file. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
