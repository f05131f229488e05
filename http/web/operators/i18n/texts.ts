import type { LocaleJson } from "../../portal/api/types.ts";
import { locale, speakFrom } from "../../portal/i18n/texts.ts";
import type { Words } from "./start.en.ts";

/** What was loaded. It changes together with the catalogue of the components. */
const loaded = new Map<LocaleJson, Words>();

/** What these pages say beside the words of the components. A component that calls it is shown again when the language changes. */
export function words(): Words {
  const found = loaded.get(locale.value);
  if (found === undefined) throw new Error("no catalogue is loaded");
  return found;
}

/** The texts of the portal's own pages are loaded for the pages that use some of them. */
speakFrom({
  en: {
    start: async () => {
      const { en, common } = await import("./start.en.ts");
      loaded.set("en", en);
      return common;
    },
    pages: async () => (await import("../../portal/i18n/en.ts")).en,
  },
  it: {
    start: async () => {
      const { it, common } = await import("./start.it.ts");
      loaded.set("it", it);
      return common;
    },
    pages: async () => (await import("../../portal/i18n/it.ts")).it,
  },
});
