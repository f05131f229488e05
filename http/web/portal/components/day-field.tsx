import { IconButton } from "./button.tsx";
import { DateField } from "./date-field.tsx";

/** Chooses a day, with buttons for the day before and the day after. */
export function DayField({
  label,
  value,
  max,
  previous,
  next,
  onPrevious,
  onNext,
  onChange,
}: {
  label: string;
  value: string;
  max: string;
  previous: string;
  next: string;
  onPrevious: () => void;
  /** Null on the last day. */
  onNext: (() => void) | null;
  onChange: (day: string) => void;
}) {
  return (
    <div class="day-field no-print">
      <IconButton icon="chevronLeft" label={previous} onClick={onPrevious} />
      <DateField label={label} labelHidden value={value} max={max} onChange={(day) => day !== "" && onChange(day)} />
      <IconButton icon="chevronRight" label={next} disabled={onNext === null} onClick={() => onNext?.()} />
    </div>
  );
}
