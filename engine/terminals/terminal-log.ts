/** A log that a terminal posted (specification, `POST /api/v1/{terminalId}/logs`): free-form, PANs masked before it is stored. */
export interface TerminalLog {
  /** Sorts by time. */
  id: string;
  receivedAtMs: number;
  /** From the optional X- headers of the posting. */
  device: { [name: string]: string };
  /** What was posted, as JSON text. */
  body: string;
}
