import { signal } from "@preact/signals";
import type { LocaleJson } from "../api/types.ts";
import type { Catalogue } from "./en.ts";

const KEY = "portal.locale";

/** The language of the page. It changes together with the catalogue. */
export const locale = signal<LocaleJson>("en");

/** Null only until the first catalogue is there, before anything is shown. */
const catalogue = signal<Catalogue | null>(null);

const LOADERS: Readonly<Record<LocaleJson, () => Promise<Catalogue>>> = {
  en: async () => (await import("./en.ts")).en,
  it: async () => (await import("./it.ts")).it,
};

/** What the page says. A component that calls it is shown again when the language changes. */
export function text(): Catalogue {
  const { value } = catalogue;
  if (value === null) throw new Error("no catalogue is loaded");
  return value;
}

/** Shows the page in this language, and keeps it for the next load. */
export async function showLocale(wanted: LocaleJson): Promise<void> {
  if (catalogue.value === null || locale.value !== wanted) {
    const loaded = await LOADERS[wanted]();
    locale.value = wanted;
    catalogue.value = loaded;
  }
  document.documentElement.lang = wanted;
  try {
    localStorage.setItem(KEY, wanted);
  } catch {
    // Storage is refused: the next load asks the browser's languages.
  }
}

/** The language before anybody is known: the last one here, else the browser's. */
export function likelyLocale(): LocaleJson {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEY);
  } catch {
    // As if there were none.
  }
  if (kept === "it" || kept === "en") return kept;
  return navigator.languages
    .find((language) => /^(?:it|en)\b/i.test(language))
    ?.toLowerCase()
    .startsWith("it")
    ? "it"
    : "en";
}
