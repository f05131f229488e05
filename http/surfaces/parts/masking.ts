/** `m***@example.com`; a text that is no address stays as it is. */
export function maskedEmail(text: string): string {
  const at = text.lastIndexOf("@");
  return at < 1 ? text : `${text.slice(0, 1)}***${text.slice(at)}`;
}

/** `A***`: that there is a name, and not whose. */
export function maskedName(text: string): string {
  const [first = ""] = text.trim();
  return `${first}***`;
}
