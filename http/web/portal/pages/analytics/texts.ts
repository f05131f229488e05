import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { LocaleJson } from "../../api/types.ts";
import type { AnalyticsTexts } from "../../i18n/analytics.en.ts";
import { locale } from "../../i18n/texts.ts";

/** Loaded with the page: the portal begins without them. */
const LOADERS: Readonly<Record<LocaleJson, () => Promise<AnalyticsTexts>>> = {
  en: async () => (await import("../../i18n/analytics.en.ts")).analytics,
  it: async () => (await import("../../i18n/analytics.it.ts")).analytics,
};

const loaded = signal<{ locale: LocaleJson; texts: AnalyticsTexts } | null>(null);

/** What this page says, once `useAnalyticsTexts` has said that it is there. */
export function analyticsText(): AnalyticsTexts {
  const { value } = loaded;
  if (value === null) throw new Error("the texts of the page are not loaded");
  return value.texts;
}

/** Whether the texts are there in the language of the page. Throws what kept them from being loaded, for the boundary around the page. */
export function useAnalyticsTexts(): boolean {
  const [failed, setFailed] = useState<{ error: unknown } | null>(null);
  const wanted = locale.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another language is loaded when it is chosen.
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
