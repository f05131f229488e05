/** `A***`: that there is a name, and not whose. */
export function maskedName(text: string): string {
  const [first = ""] = text.trim();
  return `${first}***`;
}
