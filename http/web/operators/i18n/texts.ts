import type { LocaleJson } from "../../portal/api/types.ts";
import { locale, speakFrom } from "../../portal/i18n/texts.ts";
import type { Words } from "./en.ts";

/** What was loaded. It changes together with the catalogue of the components. */
const loaded = new Map<LocaleJson, Words>();

/** What these pages say beside the words of the components. A component that calls it is shown again when the language changes. */
export function words(): Words {
  const found = loaded.get(locale.value);
  if (found === undefined) throw new Error("no catalogue is loaded");
  return found;
}

speakFrom({
  en: async () => {
    const { en, common } = await import("./en.ts");
    loaded.set("en", en);
    return common;
  },
  it: async () => {
    const { it, common } = await import("./it.ts");
    loaded.set("it", it);
    return common;
  },
});
