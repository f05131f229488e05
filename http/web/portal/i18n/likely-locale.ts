import type { LocaleJson } from "../api/types.ts";

export const LOCALE_KEY = "portal.locale";

/** Returns the language to use before sign-in: the last one used here, or the browser's. */
export function likelyLocale(): LocaleJson {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(LOCALE_KEY);
  } catch {
    // Storage is unavailable, so no language is remembered.
  }
  if (kept === "it" || kept === "en") return kept;
  return navigator.languages
    .find((language) => /^(?:it|en)\b/i.test(language))
    ?.toLowerCase()
    .startsWith("it")
    ? "it"
    : "en";
}
