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
