import type { LocaleJson } from "../api/types.ts";
import { text } from "../i18n/texts.ts";
import { SelectField } from "./field.tsx";

export interface LanguageFieldProps {
  label: string;
  value: LocaleJson;
  disabled?: boolean;
  onChange(language: LocaleJson): void;
}

const LANGUAGES: readonly LocaleJson[] = ["it", "en"];

/** Offers the languages that have a catalogue. */
export function LanguageField(props: LanguageFieldProps) {
  const { languages } = text().settings;
  return <SelectField {...props} options={LANGUAGES.map((value) => ({ value, label: languages[value] }))} />;
}
