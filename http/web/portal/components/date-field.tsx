import { useState } from "preact/hooks";
import { type Day, formatDayInput, parseDay, today } from "../i18n/days.ts";
import { text } from "../i18n/texts.ts";
import { IconButton } from "./button.tsx";
import { Calendar } from "./calendar.tsx";
import { TextField } from "./field.tsx";

const LENGTH_MAX = 10;

export interface DateFieldProps {
  label: string;
  /** The day as `YYYY-MM-DD`; empty for none. */
  value: string;
  /** Runs for each whole day, and with an empty text when the field is emptied. */
  onChange: (day: string) => void;
  max?: Day;
  /** The label is only for screen readers. */
  labelHidden?: boolean;
}

function problemOf(typed: string, max: Day | undefined): string {
  const { fields } = text();
  return max !== undefined && parseDay(typed) !== null
    ? fields.dayMax(formatDayInput(max))
    : fields.dayForm(formatDayInput(max ?? today()));
}

/**
 * A field for a day, in the language of the page. A native date field would have the language of
 * the browser. The day can be typed, or chosen in a calendar.
 */
export function DateField({ label, value, onChange, max, labelHidden }: DateFieldProps) {
  const { fields } = text();
  const [typed, setTyped] = useState<string | null>(null);
  const [checked, setChecked] = useState(false);
  const [choosing, setChoosing] = useState(false);
  const isRight = (day: Day | null): day is Day => day !== null && (max === undefined || day <= max);
  const wrong = typed !== null && typed.trim() !== "" && !isRight(parseDay(typed));
  const type = (written: string): void => {
    setTyped(written);
    setChecked(false);
    const day = parseDay(written);
    if (written.trim() === "") onChange("");
    else if (isRight(day) && day !== value) onChange(day);
  };
  return (
    <>
      <TextField
        label={label}
        labelHidden={labelHidden}
        hint={labelHidden === true ? undefined : fields.dayHint}
        placeholder={labelHidden === true ? fields.dayHint : undefined}
        inputMode="numeric"
        autoComplete="off"
        maxLength={LENGTH_MAX}
        value={typed ?? (value === "" ? "" : formatDayInput(value))}
        error={checked && wrong ? problemOf(typed, max) : null}
        onInput={type}
        onBlur={() => {
          setChecked(true);
          if (!wrong) setTyped(null);
        }}
        side={(labelId) => <IconButton icon="calendar" label={fields.calendar} describedBy={labelId} onClick={() => setChoosing(true)} />}
      />
      {choosing && (
        <Calendar
          title={label}
          value={value}
          max={max}
          onClose={() => setChoosing(false)}
          onChoose={(day) => {
            setChoosing(false);
            setTyped(null);
            onChange(day);
          }}
        />
      )}
    </>
  );
}
