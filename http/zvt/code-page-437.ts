/** The upper half of code page 437, the character set of a ZVT terminal that agreed on no other. */
const UPPER =
  "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0";

const BYTES = new Map([...UPPER].map((character, index) => [character, 0x80 + index]));

/** Text as bytes; what the code page does not have, and control characters, become `?`. */
export function encodeCodePage437(text: string): Uint8Array {
  return Uint8Array.from(text.normalize("NFC"), (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code >= 0x20 && code < 0x7f ? code : (BYTES.get(character) ?? 0x3f);
  });
}

export function decodeCodePage437(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : UPPER.charAt(byte - 0x80))).join("");
}
