import { signal } from "@preact/signals";
import type { LocaleJson } from "../api/types.ts";
import type { Catalogue, PageTexts } from "./en.ts";
import { LOCALE_KEY, likelyLocale } from "./likely-locale.ts";
import type { StartTexts } from "./start.en.ts";

/** The language of the page. It changes together with the catalogue. */
export const locale = signal<LocaleJson>("en");

/** Null until the first texts are loaded. Nothing is shown before that. */
const catalogue = signal<Catalogue | null>(null);

/**
 * The functions that load the texts of each language: those of the start, and those of all pages.
 */
export type Catalogues = Readonly<Record<LocaleJson, { start: () => Promise<StartTexts>; pages: () => Promise<PageTexts> }>>;

let loaders: Catalogues | null = null;

/** Whether a page has needed more than the texts of the start. */
let isWhole = false;

/** Sets the catalogues of this app. Call it once, before anything is shown. */
export function speakFrom(catalogues: Catalogues): void {
  loaders = catalogues;
}

/**
 * Returns the current catalogue. A component that calls it renders again when the language changes.
 * The texts of pages are in it as soon as a page needs them (`needPageTexts`).
 */
export function text(): Catalogue {
  const { value } = catalogue;
  if (value === null) throw new Error("no catalogue is loaded");
  return value;
}

interface Load {
  wanted: LocaleJson;
  whole: boolean;
  done: Promise<void>;
}

/** The load of the texts that were last wanted; null after it failed. */
let last: Load | null = null;

/**
 * Shows the page in this language and remembers it for the next load. If several languages are
 * loading, the last requested one is shown.
 */
export async function showLocale(wanted: LocaleJson): Promise<void> {
  await load(wanted);
  if (locale.value !== wanted) return;
  document.documentElement.lang = wanted;
  try {
    localStorage.setItem(LOCALE_KEY, wanted);
  } catch {
    // Storage is unavailable. The next load uses the browser's languages.
  }
}

/** Loads the texts of all pages in the current language. From now on each language has them. */
export async function needPageTexts(): Promise<void> {
  isWhole = true;
  await load(last?.wanted ?? likelyLocale());
}

function load(wanted: LocaleJson): Promise<void> {
  if (last !== null && last.wanted === wanted && last.whole === isWhole) return last.done;
  if (loaders === null) throw new Error("there are no catalogues");
  const { start, pages } = loaders[wanted];
  const mine: Load = { wanted, whole: isWhole, done: Promise.all([start(), isWhole ? pages() : null]).then(show, fail) };
  last = mine;
  return mine.done;

  function show([first, rest]: [StartTexts, PageTexts | null]): Promise<void> | undefined {
    // Before any texts are shown, use the first ones that load, because later ones may fail.
    if (last !== mine && catalogue.value !== null) return last?.done;
    locale.value = wanted;
    // A page that needs the other texts waits for them (components/lazy-page.tsx).
    catalogue.value = { ...first, ...rest } as Catalogue;
    return last === mine ? undefined : last?.done;
  }

  function fail(error: unknown): never {
    // The next attempt loads them again.
    if (last === mine) last = null;
    throw error;
  }
}
