/** What an operator has to look at (`GET /admin/attention`). */
export type AttentionKind =
  | "unknown"
  | "unsolicited"
  | "unreadable"
  | "conflict"
  | "amount_differs"
  | "currency_unknown"
  | "late"
  | "link_late"
  | "link_unverified"
  | "link_operation_unknown"
  | "feed_refused";

export interface AttentionItem {
  kind: AttentionKind;
  terminalId: string;
  /** Null where a posting had no uuid that could be read. */
  uuid: string | null;
  atMs: number;
  /** One sentence, without card data or personal data. */
  detail: string;
  /** What was posted, PANs masked, at most 8,192 characters; null where nothing was. */
  raw: string | null;
}
