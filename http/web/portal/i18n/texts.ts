import { signal } from "@preact/signals";
import type { LocaleJson } from "../api/types.ts";
import type { Catalogue } from "./en.ts";

const KEY = "portal.locale";

/** The language of the page. It changes together with the catalogue. */
export const locale = signal<LocaleJson>("en");

/** Null until the first catalogue is loaded. Nothing is shown before that. */
const catalogue = signal<Catalogue | null>(null);

/** The functions that load the catalogue of each language. */
export type Catalogues = Readonly<Record<LocaleJson, () => Promise<Catalogue>>>;

let loaders: Catalogues | null = null;

/** Sets the catalogues of this app. Call it once, before anything is shown. */
export function speakFrom(catalogues: Catalogues): void {
  loaders = catalogues;
}

/**
 * Returns the current catalogue. A component that calls it renders again when the language changes.
 */
export function text(): Catalogue {
  const { value } = catalogue;
  if (value === null) throw new Error("no catalogue is loaded");
  return value;
}

/** Counts the requests for a language. */
let wishes = 0;

/**
 * Shows the page in this language and remembers it for the next load. If several languages are
 * loading, the last requested one is shown.
 */
export async function showLocale(wanted: LocaleJson): Promise<void> {
  wishes += 1;
  const wish = wishes;
  if (catalogue.value === null || locale.value !== wanted) {
    if (loaders === null) throw new Error("there are no catalogues");
    const loaded = await loaders[wanted]();
    // Before any catalogue is shown, use the first one that loads, because a later one may fail.
    if (wish !== wishes && catalogue.value !== null) return;
    locale.value = wanted;
    catalogue.value = loaded;
  }
  document.documentElement.lang = wanted;
  try {
    localStorage.setItem(KEY, wanted);
  } catch {
    // Storage is unavailable. The next load uses the browser's languages.
  }
}

/** Returns the language to use before sign-in: the last one used here, or the browser's. */
export function likelyLocale(): LocaleJson {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEY);
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
