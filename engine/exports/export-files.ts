/**
 * The folder of export files, which all nodes share. Failures reject with RelayError `unavailable`.
 * A full disk rejects with ExportRefused `no_room`.
 */
export interface ExportFiles {
  create(): Promise<ExportFile>;
  /** Returns the file in pieces, or null if there is no file of this name. */
  open(name: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Does nothing if there is no file. */
  remove(name: string): Promise<void>;
  /** The bytes of all files, including those in progress. */
  bytes(): Promise<number>;
  /**
   * Removes files that belong to no export and were not written to for a while. Resolves with their
   * number.
   */
  sweep(known: ReadonlySet<string>): Promise<number>;
}

/** A file in progress. It is hidden until `keep`. */
export interface ExportFile {
  write(piece: Uint8Array): Promise<void>;
  /** Saves the file on disk under a random name, and resolves with this name. */
  keep(): Promise<string>;
  discard(): Promise<void>;
}
