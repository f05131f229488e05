import type { MeJson } from "../../../../surfaces/merchant/sign-in/schemas.ts";
import { patch } from "../../api/client.ts";
import { SelectField } from "../../components/field.tsx";
import { LanguageField } from "../../components/language-field.tsx";
import { errorText } from "../../i18n/error-text.ts";
import { showLocale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { session } from "../../state/session.ts";
import { showTheme } from "../../state/theme.ts";
import { toast } from "../../state/toasts.ts";

/** Chooses the language and the appearance. Each choice is saved at once. */
export function Preferences({ me, onChanged }: { me: MeJson; onChanged: (me: MeJson) => void }) {
  const { settings, fields } = text();
  const change = useAction(async (changes: Partial<Pick<MeJson, "locale" | "theme">>) => {
    try {
      const changed = await patch<MeJson>("/me", changes);
      showTheme(changed.theme);
      await showLocale(changed.locale);
      if (session.value !== null) session.value = { ...session.value, locale: changed.locale, theme: changed.theme };
      onChanged(changed);
      toast(text().settings.saved);
    } catch (error) {
      toast(errorText(error), "failed");
    }
  });
  return (
    <div class="columns">
      <LanguageField label={fields.language} value={me.locale} disabled={change.busy} onChange={(locale) => void change.run({ locale })} />
      <SelectField
        label={settings.theme}
        value={me.theme}
        disabled={change.busy}
        options={(["system", "light", "dark"] as const).map((value) => ({ value, label: settings.themes[value] }))}
        onChange={(theme) => void change.run({ theme })}
      />
    </div>
  );
}
