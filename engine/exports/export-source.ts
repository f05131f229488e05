import type { ExportFailure, ExportRecord } from "./export.ts";

/** A part of a file, and the number of rows that it finishes. */
export interface ExportPiece {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

/**
 * Produces the contents of an export, as the requester sees the list now. Throws ExportRefused if
 * they cannot be produced, and RelayError `unavailable` if they cannot be read now. Releases its
 * resources when its reader ends or the signal is aborted.
 */
export interface ExportSource {
  pieces(record: ExportRecord, signal: AbortSignal): AsyncIterable<ExportPiece>;
  /**
   * Resolves when this node has a turn for an export of this format. The caller ends the turn with
   * the function that it gets.
   */
  turn(record: ExportRecord, signal: AbortSignal): Promise<() => void>;
}

/** The export cannot be created, now or later. */
export class ExportRefused extends Error {
  readonly failure: ExportFailure;

  constructor(failure: ExportFailure) {
    super(`the export is refused: ${failure}`);
    this.name = "ExportRefused";
    this.failure = failure;
  }
}
