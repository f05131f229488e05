/** Posts callbacks to addresses that clients gave. */
export interface CallbackTarget {
  /** One attempt. Does not reject for what the address does; the reason holds nothing secret. */
  post(url: string, body: string): Promise<{ type: "delivered" } | { type: "failed"; reason: string }>;
}
