/** Makes and hashes partners' credentials; the engine has no randomness and no cryptography of its own. */
export interface PartnerSecrets {
  newPassword(): string;
  /** `pk_live_` and 32 random characters. */
  newApiKey(): string;
  /** Salted and slow. */
  hashPassword(password: string): Promise<string>;
  /** SHA-256 in hex, for what is long and random. */
  digest(key: string): string;
}
