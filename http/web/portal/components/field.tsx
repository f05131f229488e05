import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import { Icon } from "./icon.tsx";

interface Common {
  label: string;
  /** Explains the field before it is filled in. */
  hint?: string | undefined;
  /** Says what is wrong with the value. */
  error?: string | null | undefined;
  disabled?: boolean;
  optional?: boolean;
  /** Shows how much of the available room is used. */
  count?: string | undefined;
  /** Shows how the value is understood. */
  echo?: ComponentChildren;
  /** The label is only for screen readers. */
  labelHidden?: boolean | undefined;
}

interface FrameProps extends Common {
  id: string;
  children: ComponentChildren;
}

function Frame({ id, label, hint, error, optional, count, echo, labelHidden, children }: FrameProps) {
  return (
    <div class={`field${error ? " field-wrong" : ""}`}>
      <label class={labelHidden === true ? "visually-hidden" : "field-label"} id={`${id}-label`} for={id}>
        {label}
        {optional === true && <span class="field-optional"> · {text().app.optional}</span>}
      </label>
      {children}
      {echo !== undefined && <div id={`${id}-echo`}>{echo}</div>}
      {count !== undefined && (
        <p class="field-hint field-count" id={`${id}-count`}>
          {count}
        </p>
      )}
      {hint !== undefined && (
        <p class="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <p class="field-error" id={`${id}-error`} role="alert">
        {error ? (
          <>
            <Icon name="warning" size={16} /> {error}
          </>
        ) : null}
      </p>
    </div>
  );
}

const describedBy = (id: string, { hint, error, count, echo }: Common): string | undefined =>
  [
    echo === undefined ? "" : `${id}-echo`,
    count === undefined ? "" : `${id}-count`,
    hint === undefined ? "" : `${id}-hint`,
    error ? `${id}-error` : "",
  ]
    .filter((name) => name !== "")
    .join(" ") || undefined;

/**
 * Preact types an input as a union by its `type`. The compiler accepts only whole members of it.
 */
const INPUT_TYPES = {
  text: { type: "text" },
  email: { type: "email" },
  password: { type: "password" },
  search: { type: "search" },
  number: { type: "number" },
} as const;

export interface TextFieldProps extends Common {
  value: string;
  onInput: (value: string) => void;
  onBlur?: () => void;
  type?: keyof typeof INPUT_TYPES;
  name?: string;
  autoComplete?: string;
  inputMode?: "numeric" | "decimal" | "email" | "text";
  maxLength?: number;
  placeholder?: string | undefined;
  /** Uses digits of equal width, for codes in which each character counts. */
  mono?: boolean;
  autoFocus?: boolean;
  /** Draws a button beside the input. `labelId` is the id of the field's label. */
  side?: (labelId: string) => ComponentChildren;
}

export function TextField(props: TextFieldProps) {
  const id = useId();
  const [shown, setShown] = useState(false);
  const { type = "text", value, onInput, onBlur, error, mono, autoFocus } = props;
  const words = text();
  const input = (
    <input
      id={id}
      class={`input${mono === true ? " input-mono" : ""}`}
      {...INPUT_TYPES[type === "password" && shown ? "text" : type]}
      value={value}
      name={props.name}
      autocomplete={props.autoComplete}
      inputMode={props.inputMode}
      maxLength={props.maxLength}
      placeholder={props.placeholder}
      disabled={props.disabled === true}
      spellcheck={type === "email" || type === "password" || mono === true ? false : undefined}
      autocapitalize={type === "email" || mono === true ? "none" : undefined}
      aria-invalid={error ? "true" : undefined}
      aria-describedby={describedBy(id, props)}
      data-autofocus={autoFocus === true ? "" : undefined}
      onInput={(event) => onInput(event.currentTarget.value)}
      onBlur={onBlur}
    />
  );
  return (
    <Frame {...props} id={id}>
      {type === "password" ? (
        <div class="input-row">
          {input}
          <button
            type="button"
            class="input-button"
            aria-pressed={shown}
            aria-label={`${shown ? words.app.hide : words.app.show}: ${props.label}`}
            onClick={() => setShown(!shown)}
          >
            {shown ? words.app.hide : words.app.show}
          </button>
        </div>
      ) : props.side === undefined ? (
        input
      ) : (
        <div class="input-with-side">
          {input}
          {props.side(`${id}-label`)}
        </div>
      )}
    </Frame>
  );
}

/** Accepts several lines. `prose` is for a text that people read, unlike a certificate. */
export function TextAreaField(
  props: Common & { value: string; onInput: (value: string) => void; placeholder?: string; rows?: number; prose?: boolean },
) {
  const id = useId();
  const { value, onInput, error, placeholder, rows = 5, prose = false } = props;
  return (
    <Frame {...props} id={id}>
      <textarea
        id={id}
        class={`input ${prose ? "input-prose" : "input-lines"}`}
        rows={rows}
        value={value}
        placeholder={placeholder}
        disabled={props.disabled === true}
        spellcheck={prose}
        autocapitalize={prose ? "sentences" : "none"}
        autocomplete="off"
        aria-invalid={error ? "true" : undefined}
        aria-describedby={describedBy(id, props)}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </Frame>
  );
}

export interface SelectFieldProps<Value extends string> extends Common {
  value: Value;
  options: readonly { value: Value; label: string; disabled?: boolean }[];
  onChange: (value: Value) => void;
}

export function SelectField<Value extends string>(props: SelectFieldProps<Value>) {
  const id = useId();
  const { value, options, onChange, error } = props;
  return (
    <Frame {...props} id={id}>
      <div class="select">
        <select
          id={id}
          class="input"
          value={value}
          disabled={props.disabled === true}
          aria-invalid={error ? "true" : undefined}
          aria-describedby={describedBy(id, props)}
          onChange={(event) => {
            const chosen = options.find((option) => option.value === event.currentTarget.value);
            if (chosen !== undefined) onChange(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled === true}>
              {option.label}
            </option>
          ))}
        </select>
        <Icon name="chevronDown" size={18} />
      </div>
    </Frame>
  );
}

/** Offers a choice of a few values, each with an explanation. */
export function ChoiceField<Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  label: string;
  value: Value;
  options: readonly { value: Value; label: string; hint?: string | readonly string[]; disabled?: boolean }[];
  onChange: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset class="choices">
      <legend class="field-label">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class="choice">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            disabled={option.disabled === true}
            onChange={() => onChange(option.value)}
          />
          <span>
            <span class="choice-label">{option.label}</span>
            {[option.hint ?? []].flat().map((line) => (
              <span key={line} class="choice-hint">
                {line}
              </span>
            ))}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

export function CheckField({
  label,
  checked,
  onChange,
  disabled,
}: {
  label: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}) {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} disabled={disabled === true} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}
