/** The version of the platform's API that a merchant's requests and events have where they name none. */
export interface ApiVersions {
  /** Pins it at the merchant's first request that names one; later calls change nothing. Resolves with the pinned one. */
  pin(merchantId: string, version: string): Promise<string>;
  /** Null while nothing is pinned. */
  versionOf(merchantId: string): Promise<string | null>;
}
