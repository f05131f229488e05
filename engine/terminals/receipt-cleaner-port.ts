/** Removes old bodies from the hot store (`/admin/receipts/clean`). Rejects with RelayError `unavailable` when the store cannot answer. */
export interface ReceiptCleaner {
  /**
   * Removes what terminals posted and what was sent to them, of commands that ended before this time: the request, and the result as it came.
   * What stays is what nobody may lose: the uuid (which is still refused), the command's life, its normalized result, rows that the feed
   * has not delivered, and everything that has not ended. Works for at most `budgetMs`; `complete` is false when more is left, and the next call goes on there.
   */
  clean(beforeMs: number, budgetMs: number): Promise<{ deleted: number; complete: boolean }>;
}
