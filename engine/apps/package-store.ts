/**
 * Package files of app versions. In a cluster every node sees the same ones. Rejects with RelayError `unavailable` where the disk cannot
 * take or give them (`conflict` where this installation keeps none).
 */
export interface PackageStore {
  /**
   * Writes what `read` hands on to a file that nobody sees yet, and syncs it. Rejects with what `read` rejects with; then, and after
   * `discard`, nothing is left.
   */
  receive(read: (take: (piece: Uint8Array) => Promise<void>) => Promise<void>): Promise<StagedPackage>;
  /** Null for a name that there is no file of. */
  open(fileName: string): Promise<OpenPackage | null>;
  /** Nothing happens where there is none. */
  remove(fileName: string): Promise<void>;
  /** Removes what broken uploads and deletions left: everything but the files of `known`. Answers with how many. */
  sweep(known: ReadonlySet<string>): Promise<number>;
}

export interface StagedPackage {
  md5: string;
  bytes: number;
  /** Gives it its name; it is there after a power cut too. */
  keep(fileName: string): Promise<void>;
  discard(): Promise<void>;
}

export interface OpenPackage {
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}
