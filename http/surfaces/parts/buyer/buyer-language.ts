import { Type } from "@sinclair/typebox";

export type Language = "en" | "it";

export const LanguageHeaders = Type.Object({
  "accept-language": Type.Optional(Type.String({ description: "Italian where it is liked better than English." })),
});

/** The one of our languages that the buyer likes best, by `Accept-Language`; English where neither is named. */
export function languageOf(acceptLanguage: string): Language {
  const weighed = acceptLanguage.split(",").flatMap((part): { language: Language; weight: number }[] => {
    // Trimmed first: with spaces at both ends of an optional part the expression would take time by the square of their number.
    const [, tag = "", weight = "1"] = /^([A-Za-z]{1,8})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?$/.exec(part.trim()) ?? [];
    const language = tag.toLowerCase();
    return (language === "it" || language === "en") && Number(weight) > 0 ? [{ language, weight: Number(weight) }] : [];
  });
  return weighed.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? "en";
}
