/** A version: a date, since 2024 with the name of a train. */
export const API_VERSION = /^\d{4}-\d{2}-\d{2}(?:\.[a-z]{1,32})?$/;

/** The version of the platform's API that a merchant's requests and events have where they name none. */
export interface ApiVersions {
  /** Sets the merchant's default; null takes it away. No request of the API itself changes it. */
  choose(merchantId: string, version: string | null): Promise<void>;
  /** Null while the merchant has chosen none. */
  versionOf(merchantId: string): Promise<string | null>;
}
