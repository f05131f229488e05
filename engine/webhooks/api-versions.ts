/** Matches a version: a date, which has had the name of a release train since 2024. */
export const API_VERSION = /^\d{4}-\d{2}-\d{2}(?:\.[a-z]{1,32})?$/;

/** The version of the platform's API for a merchant's requests and events that name none. */
export interface ApiVersions {
  /**
   * Sets the merchant's default, or removes it with null. No request of the API itself changes it.
   */
  choose(merchantId: string, version: string | null): Promise<void>;
  /** Resolves with null if the merchant has chosen none. */
  versionOf(merchantId: string): Promise<string | null>;
}
