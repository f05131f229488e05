/** A free text that says something; null where it is left out, null or empty. Forms send what nobody filled in as an empty text. */
export function givenText(text: string | null | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}
