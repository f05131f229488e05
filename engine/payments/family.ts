/**
 * Terminal families differ in how proprietary tags reach them and in whether they know the tag services
 * (specification, "Resources", tags). A terminal whose family is unknown gets the tags both ways.
 */
export interface TerminalFamily {
  /** Member that carries the tags to this family. */
  tagTransport: "privativeTags" | "additionalField47data";
  /** False: VERIFYTAG is refused, PAYTAG is carried out as PAYCC by the terminal. */
  tagServices: boolean;
}

export const TERMINAL_FAMILIES = {
  "privative-tags": { tagTransport: "privativeTags", tagServices: true },
  "field-47": { tagTransport: "additionalField47data", tagServices: true },
  "no-tags": { tagTransport: "additionalField47data", tagServices: false },
} as const satisfies Record<string, TerminalFamily>;

export type TerminalFamilyName = keyof typeof TERMINAL_FAMILIES;

export function isTerminalFamily(text: string): text is TerminalFamilyName {
  return Object.hasOwn(TERMINAL_FAMILIES, text);
}
