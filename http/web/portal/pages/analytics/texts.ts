import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { LocaleJson } from "../../api/types.ts";
import type { AnalyticsTexts } from "../../i18n/analytics.en.ts";
import { locale } from "../../i18n/texts.ts";

/** The page loads its texts when it is opened, so the portal starts without them. */
const LOADERS: Readonly<Record<LocaleJson, () => Promise<AnalyticsTexts>>> = {
  en: async () => (await import("../../i18n/analytics.en.ts")).analytics,
  it: async () => (await import("../../i18n/analytics.it.ts")).analytics,
};

const loaded = signal<{ locale: LocaleJson; texts: AnalyticsTexts } | null>(null);

/** Returns the texts of this page after `useAnalyticsTexts` has returned true. */
export function analyticsText(): AnalyticsTexts {
  const { value } = loaded;
  if (value === null) throw new Error("the texts of the page are not loaded");
  return value.texts;
}

/**
 * Returns true when the texts of the current language are loaded. Throws the error of a failed
 * load, which the page's boundary shows.
 */
export function useAnalyticsTexts(): boolean {
  const [failed, setFailed] = useState<{ error: unknown } | null>(null);
  const wanted = locale.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs for a new locale.
  useEffect(() => {
    if (loaded.value?.locale === wanted) return;
    LOADERS[wanted]().then(
      (texts) => {
        loaded.value = { locale: wanted, texts };
      },
      (error: unknown) => setFailed({ error }),
    );
  }, [wanted]);
  if (failed !== null) throw failed.error;
  return loaded.value?.locale === wanted;
}
