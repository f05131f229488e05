import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { EXPORT_FORMATS, XLSX_ROWS_MAX } from "../../../../../engine/exports/words.ts";
import type { CreateExportJson, ExportJson } from "../../../../surfaces/merchant/exports/schemas.ts";
import { post } from "../../api/client.ts";
import { Dialog } from "../../components/dialog.tsx";
import { ChoiceField, SelectField } from "../../components/field.tsx";
import { DialogForm } from "../../components/form-dialog.tsx";
import { formatNumber } from "../../i18n/format.ts";
import { locale, text } from "../../i18n/texts.ts";
import { useAction } from "../../state/action.ts";
import { useFormValues } from "../../state/form-values.ts";
import { useSendOnce } from "../../state/send-once.ts";
import { toast } from "../../state/toasts.ts";
import { ColumnChoice, usualColumns } from "./column-choice.tsx";
import { ExportProgress } from "./export-progress.tsx";
import { RowCount } from "./row-count.tsx";
import { type ExportFormat, type ExportScope, isUnderWay } from "./words.ts";

/** Asks for the format and the columns of the file, and then shows the progress. */
export function ExportDialog({ list, query, onClose }: ExportScope & { onClose: () => void }) {
  const { exports: words } = text();
  const [started, setStarted] = useState<ExportJson | null>(null);
  const [latest, setLatest] = useState<ExportJson | null>(null);
  /** Moves the focus to the form when the person returns from a failed export. */
  const [isAgain, setAgain] = useState(false);
  const leave = () => {
    if (latest !== null && isUnderWay(latest)) toast(words.started);
    onClose();
  };
  return (
    <Dialog title={words.dialogTitle(words.lists[list])} onClose={leave}>
      {started === null ? (
        <Order
          list={list}
          query={query}
          isAgain={isAgain}
          onStarted={(item) => {
            setStarted(item);
            setLatest(item);
          }}
        />
      ) : (
        <ExportProgress
          started={started}
          onState={setLatest}
          onAgain={() => {
            setAgain(true);
            setStarted(null);
          }}
          onClose={leave}
        />
      )}
    </Dialog>
  );
}

function Order({ list, query, isAgain, onStarted }: ExportScope & { isAgain: boolean; onStarted: (item: ExportJson) => void }) {
  const { exports: words, settings } = text();
  const sendOnce = useSendOnce();
  const { values, change, problem, submit } = useFormValues(
    { format: "CSV" as ExportFormat, columns: usualColumns(list), lang: locale.value },
    ({ columns }) => ({ columns: columns.length === 0 ? words.noColumns : null }),
  );
  const start = useAction(async () => {
    const order: CreateExportJson = { list, filters: { ...query }, ...values, columns: [...values.columns] };
    onStarted(await sendOnce(order, (idempotencyKey) => post<ExportJson>("/exports", order, { idempotencyKey })));
  });
  const filters = Object.keys(query).length;
  const top = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs once.
  useLayoutEffect(() => {
    if (isAgain) top.current?.focus();
  }, []);
  return (
    <DialogForm action={start} onSubmit={() => submit(() => void start.run())} submit={words.start} icon="download">
      <div ref={top} class="export-scope" tabIndex={-1}>
        <p>{filters === 0 ? words.scope.all : words.scope.filtered(filters)}</p>
        <RowCount list={list} query={query} />
      </div>
      <ChoiceField<ExportFormat>
        label={words.format}
        value={values.format}
        options={EXPORT_FORMATS.map((value) => ({
          value,
          label: words.formats[value],
          hint: value === "XLSX" ? words.formatHints.XLSX(formatNumber(XLSX_ROWS_MAX)) : words.formatHints.CSV,
        }))}
        onChange={(format) => change({ format })}
      />
      <ColumnChoice list={list} chosen={values.columns} error={problem("columns")} onChange={(columns) => change({ columns })} />
      <SelectField
        label={words.language}
        hint={words.languageHint}
        value={values.lang}
        options={(["it", "en"] as const).map((value) => ({ value, label: settings.languages[value] }))}
        onChange={(lang) => change({ lang })}
      />
    </DialogForm>
  );
}
