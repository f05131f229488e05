export const RESET_LIFETIME_MS = 3_600_000;

/** Resets that one account may have asked for within the lifetime of one: who reads the mail needs one, who waits for it may ask again. */
export const RESETS_PER_HOUR_MAX = 3;

/** The resets of one account: those that were asked for within the last hour. */
export interface PasswordResets {
  schema: 1;
  accountId: string;
  /** The oldest first. `tokenSha256` is null once it can no longer be used. */
  asked: readonly { atMs: number; tokenSha256: string | null }[];
}

/** One more reset; null where the account has had as many as it may. */
export function withReset(before: PasswordResets, tokenSha256: string, atMs: number): PasswordResets | null {
  const asked = before.asked.filter((one) => one.atMs > atMs - RESET_LIFETIME_MS);
  if (asked.length >= RESETS_PER_HOUR_MAX) return null;
  return { ...before, asked: [...asked, { atMs, tokenSha256 }] };
}

/** No reset can be used any more; they still count. */
export function withoutTokens(before: PasswordResets): PasswordResets {
  return { ...before, asked: before.asked.map(({ atMs }) => ({ atMs, tokenSha256: null })) };
}

/** Whether a reset with this token can be used. */
export function isUsable({ asked }: PasswordResets, tokenSha256: string, atMs: number): boolean {
  return asked.some((one) => one.tokenSha256 === tokenSha256 && one.atMs > atMs - RESET_LIFETIME_MS);
}
