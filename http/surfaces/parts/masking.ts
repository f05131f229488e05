/** Masks an address as `m***@example.com`. Any other text is returned unchanged. */
export function maskedEmail(text: string): string {
  const at = text.lastIndexOf("@");
  return at < 1 ? text : `${text.slice(0, 1)}***${text.slice(at)}`;
}

/** Masks a name as `A***`. It shows that there is a name, but not which. */
export function maskedName(text: string): string {
  const [first = ""] = text.trim();
  return `${first}***`;
}
