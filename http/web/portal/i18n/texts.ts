import { signal } from "@preact/signals";
import type { LocaleJson } from "../api/types.ts";
import type { Catalogue } from "./en.ts";

const KEY = "portal.locale";

/** The language of the page. It changes together with the catalogue. */
export const locale = signal<LocaleJson>("en");

/** Null only until the first catalogue is there, before anything is shown. */
const catalogue = signal<Catalogue | null>(null);

/** How each language is loaded. */
export type Catalogues = Readonly<Record<LocaleJson, () => Promise<Catalogue>>>;

let loaders: Catalogues | null = null;

/** Says where the texts of this app are, once, before anything is shown. */
export function speakFrom(catalogues: Catalogues): void {
  loaders = catalogues;
}

/** What the page says. A component that calls it is shown again when the language changes. */
export function text(): Catalogue {
  const { value } = catalogue;
  if (value === null) throw new Error("no catalogue is loaded");
  return value;
}

/** How often a language was wanted. */
let wishes = 0;

/** Shows the page in this language, and keeps it for the next load. Of several that are being loaded the one counts that was wanted last. */
export async function showLocale(wanted: LocaleJson): Promise<void> {
  wishes += 1;
  const wish = wishes;
  if (catalogue.value === null || locale.value !== wanted) {
    if (loaders === null) throw new Error("there are no catalogues");
    const loaded = await loaders[wanted]();
    // The first one that comes is better than none: what was wanted later may fail to come.
    if (wish !== wishes && catalogue.value !== null) return;
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
