import { useRef } from "preact/hooks";
import { readAmount, typedAmount } from "../i18n/amounts.ts";
import { formatMoney } from "../i18n/format.ts";
import { text } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { TextField, type TextFieldProps } from "./field.tsx";

const LENGTH_MAX = 20;

/** A field for an amount. It shows how the amount is read, and asks if there are two readings. */
export function AmountField({
  currency,
  ...field
}: Pick<TextFieldProps, "label" | "value" | "onInput" | "hint" | "error" | "autoFocus"> & { currency: string }) {
  return (
    <TextField
      {...field}
      inputMode="decimal"
      autoComplete="off"
      maxLength={LENGTH_MAX}
      echo={<AmountEcho written={field.value} currency={currency} onChoose={field.onInput} />}
    />
  );
}

/**
 * Shows how a typed amount is read, also to screen readers. `currency` may be empty if the amount
 * belongs to none.
 */
export function AmountEcho({ written, currency, onChoose }: { written: string; currency: string; onChoose: (written: string) => void }) {
  const { fields } = text();
  const root = useRef<HTMLDivElement>(null);
  const read = readAmount(written, currency);
  const choose = (minor: number): void => {
    // The buttons disappear, so the focus goes back to the field.
    root.current?.closest(".field")?.querySelector("input")?.focus();
    onChoose(typedAmount(minor, currency));
  };
  return (
    <div ref={root} class="amount-echo">
      <p role="status">
        {read.type === "amount" ? `= ${formatMoney(read.minor, currency)}` : read.type === "unclear" ? fields.amountWhich : ""}
      </p>
      {read.type === "unclear" && (
        <div class="button-row">
          {read.minors.map((minor) => (
            <Button key={minor} small onClick={() => choose(minor)}>
              {formatMoney(minor, currency)}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}
