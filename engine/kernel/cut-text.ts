/** A text's first characters (UTF-16 units), at most so many; a pair of them that is one character goes as a whole. */
export function cutText(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const last = text.charCodeAt(charsMax - 1);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return text.slice(0, isHalf ? charsMax - 1 : charsMax);
}
