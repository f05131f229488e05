/** The folder of files of exports, which all nodes share. What fails rejects with RelayError `unavailable`; where the disk is full, with ExportRefused `no_room`. */
export interface ExportFiles {
  create(): Promise<ExportFile>;
  /** The file in pieces; null where there is none of this name. */
  open(name: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Does nothing where there is none. */
  remove(name: string): Promise<void>;
  /** Of all files that are there, also of those that are being written. */
  bytes(): Promise<number>;
  /** Removes what no export has and nobody has written to for a while; resolves with how many those were. */
  sweep(known: ReadonlySet<string>): Promise<number>;
}

/** A file that is being written. Nobody sees it before it is kept. */
export interface ExportFile {
  write(piece: Uint8Array): Promise<void>;
  /** On the disk from then on, under a name that nobody can guess, which it resolves with. */
  keep(): Promise<string>;
  discard(): Promise<void>;
}
