/** Characters of recovery codes: those that nobody takes for another. */
export const RECOVERY_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789";

/** Random characters of a code, shown in groups of four: 59 bits, which no digest gives away. */
export const RECOVERY_LENGTH = 12;

/** The code as it is shown: `abcd-efgh-jkmn`. */
export function shownRecoveryCode(characters: string): string {
  return characters.match(/.{1,4}/g)?.join("-") ?? "";
}

/** The code as it is digested, however it was typed; null for what is none. */
export function typedRecoveryCode(text: string): string | null {
  const characters = text.toLowerCase().replace(/[\s-]/g, "");
  const isCode = characters.length === RECOVERY_LENGTH && [...characters].every((character) => RECOVERY_ALPHABET.includes(character));
  return isCode ? characters : null;
}
