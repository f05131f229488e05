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

/** Compiles addresses and networks (CIDR) to a check of a client's address. Throws RelayError `invalid_request` naming one that is neither. */
export interface AddressLists {
  /** An empty list lets everyone in. */
  compile(entries: readonly string[]): (ipAddress: string) => boolean;
}

/** Makes keys that nobody can guess, and what is kept of them. */
export interface ApiKeys {
  /** `prefix` and 256 random bits as base64url. */
  generate(prefix: string): string;
  /** SHA-256, hex: keys are long and random, so that a fast digest is as good as a slow one. */
  digest(key: string): string;
}
