/** Hands over an upload piece by piece. */
export type ReadUpload = (take: (piece: Uint8Array) => Promise<void>) => Promise<void>;

/** Resolves with the whole upload. Rejects with `tooLarge()` as soon as it has more bytes. */
export async function collectUpload(read: ReadUpload, bytesMax: number, tooLarge: () => Error): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  await read(async (piece) => {
    bytes += piece.length;
    if (bytes > bytesMax) throw tooLarge();
    // The caller may reuse its memory for the next piece.
    pieces.push(new Uint8Array(piece));
  });
  return joined(pieces);
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
