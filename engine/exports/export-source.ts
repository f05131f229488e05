import type { ExportFailure, ExportRecord } from "./export.ts";

/** A part of a file, and how many rows it finishes. */
export interface ExportPiece {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/**
 * Makes the contents of an export, as whoever asked for it sees the list now. Throws ExportRefused for what cannot be made, and RelayError `unavailable` for what cannot be
 * read now. Ends, with what it holds, when its reader ends or the signal is aborted.
 */
export interface ExportSource {
  pieces(record: ExportRecord, signal: AbortSignal): AsyncIterable<ExportPiece>;
  /** Resolves when there is a turn for one of this format on this node; what it resolves with gives the turn back. */
  turn(record: ExportRecord, signal: AbortSignal): Promise<() => void>;
}

/** It cannot be made, now or later. */
export class ExportRefused extends Error {
  readonly failure: ExportFailure;

  constructor(failure: ExportFailure) {
    super(`the export is refused: ${failure}`);
    this.name = "ExportRefused";
    this.failure = failure;
  }
}
