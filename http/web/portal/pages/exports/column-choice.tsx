import { useId } from "preact/hooks";
import { EXPORT_COLUMNS, type ExportColumn } from "../../../../surfaces/merchant/exports/columns.ts";
import { Button } from "../../components/button.tsx";
import { CheckField } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { locale, text } from "../../i18n/texts.ts";
import type { ExportListName } from "./words.ts";

const columnsOf = (list: ExportListName): [string, ExportColumn][] => Object.entries(EXPORT_COLUMNS[list]);

/** Returns all columns without personal data. */
export function usualColumns(list: ExportListName): readonly string[] {
  return columnsOf(list)
    .filter(([, column]) => column.personal !== true)
    .map(([name]) => name);
}

/**
 * Offers the columns of a file. Those with personal data stand apart, because they require a second
 * factor.
 */
export function ColumnChoice({
  list,
  chosen,
  error,
  onChange,
}: {
  list: ExportListName;
  chosen: readonly string[];
  error: string | null;
  onChange: (columns: readonly string[]) => void;
}) {
  const { exports: words } = text();
  const id = useId();
  const all = columnsOf(list);
  const usual = all.filter(([, { personal }]) => personal !== true);
  const personal = all.filter((column) => !usual.includes(column));
  // The chosen columns keep the order of the list.
  const choose = (names: ReadonlySet<string>) => onChange(all.map(([name]) => name).filter((name) => names.has(name)));
  const check = ([name, { heading }]: [string, ExportColumn]) => (
    <CheckField
      key={name}
      label={heading[locale.value]}
      checked={chosen.includes(name)}
      onChange={(checked) => choose(new Set(checked ? [...chosen, name] : chosen.filter((other) => other !== name)))}
    />
  );
  return (
    <fieldset class="export-columns" aria-describedby={error === null ? undefined : `${id}-error`}>
      <legend class="field-label">
        {words.columns}
        <span class="field-optional"> · {words.columnsChosen(chosen.length, all.length)}</span>
      </legend>
      <div class="export-checks">{usual.map(check)}</div>
      {chosen.length < usual.length && (
        <Button small kind="quiet" onClick={() => choose(new Set([...chosen, ...usual.map(([name]) => name)]))}>
          {words.allColumns}
        </Button>
      )}
      {personal.length > 0 && (
        <fieldset class="export-personal" aria-describedby={`${id}-personal`}>
          <legend class="field-label">{words.personalTitle}</legend>
          <div class="export-checks">{personal.map(check)}</div>
          <p class="field-hint" id={`${id}-personal`}>
            {words.personalHint}
          </p>
        </fieldset>
      )}
      <p class="field-error" id={`${id}-error`} role="alert">
        {error !== null && (
          <>
            <Icon name="warning" size={16} /> {error}
          </>
        )}
      </p>
    </fieldset>
  );
}
