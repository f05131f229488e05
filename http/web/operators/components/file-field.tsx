import { useId } from "preact/hooks";
import { Icon } from "../../portal/components/icon.tsx";

/** Chooses one file. */
export function FileField({
  label,
  hint,
  accept,
  error,
  disabled,
  onChoose,
}: {
  label: string;
  hint: string;
  accept: string;
  error: string | null;
  disabled: boolean;
  onChoose: (file: File | null) => void;
}) {
  const id = useId();
  return (
    <div class={`field${error === null ? "" : " field-wrong"}`}>
      <label class="field-label" for={id}>
        {label}
      </label>
      <input
        id={id}
        class="input file-input"
        type="file"
        accept={accept}
        disabled={disabled}
        aria-invalid={error === null ? undefined : "true"}
        aria-describedby={error === null ? `${id}-hint` : `${id}-hint ${id}-error`}
        onChange={(event) => onChoose(event.currentTarget.files?.[0] ?? null)}
      />
      <p class="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
      <p class="field-error" id={`${id}-error`} role="alert">
        {error !== null && (
          <>
            <Icon name="warning" size={16} /> {error}
          </>
        )}
      </p>
    </div>
  );
}
