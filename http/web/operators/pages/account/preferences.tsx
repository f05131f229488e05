import { useState } from "preact/hooks";
import type { ThemeJson } from "../../../portal/api/types.ts";
import { SelectField } from "../../../portal/components/field.tsx";
import { LanguageField } from "../../../portal/components/language-field.tsx";
import { locale, showLocale, text } from "../../../portal/i18n/texts.ts";
import { keptTheme, showTheme } from "../../../portal/state/theme.ts";

/** Language and appearance; this browser keeps them. */
export function Preferences() {
  const { settings, fields } = text();
  const [theme, setTheme] = useState<ThemeJson>(keptTheme());
  return (
    <div class="columns">
      <LanguageField label={fields.language} value={locale.value} onChange={(chosen) => void showLocale(chosen)} />
      <SelectField
        label={settings.theme}
        value={theme}
        options={(["system", "light", "dark"] as const).map((value) => ({ value, label: settings.themes[value] }))}
        onChange={(chosen) => {
          setTheme(chosen);
          showTheme(chosen);
        }}
      />
    </div>
  );
}
