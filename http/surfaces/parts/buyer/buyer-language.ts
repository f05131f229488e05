import { Type } from "@sinclair/typebox";

export type Language = "en" | "it";

export const LanguageHeaders = Type.Object({
  "accept-language": Type.Optional(
    Type.String({ description: "Preferred languages. The page is Italian if Italian is preferred over English." }),
  ),
});

/**
 * Returns the supported language that the buyer prefers by `Accept-Language`, or English if the
 * header names neither.
 */
export function languageOf(acceptLanguage: string): Language {
  const weighed = acceptLanguage.split(",").flatMap((part): { language: Language; weight: number }[] => {
    // The part is trimmed first. With optional spaces at both ends, the expression would take
    // quadratic time.
    const [, tag = "", weight = "1"] = /^([A-Za-z]{1,8})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{0,3})?))?$/.exec(part.trim()) ?? [];
    const language = tag.toLowerCase();
    return (language === "it" || language === "en") && Number(weight) > 0 ? [{ language, weight: Number(weight) }] : [];
  });
  return weighed.toSorted((a, b) => b.weight - a.weight)[0]?.language ?? "en";
}
