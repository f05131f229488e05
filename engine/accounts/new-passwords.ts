/** What a new password has to be, and what is kept of it. */
export interface NewPasswords {
  /** Null for one that may be chosen. Throws RelayError `invalid_request` for one that is too short or too long. */
  refusal(password: string): "too_common" | null;
  /** Salted and slow. */
  hash(password: string): Promise<string>;
}
