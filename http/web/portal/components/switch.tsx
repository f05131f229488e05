/** Turns something on or off at once. During the change it keeps its focus and does nothing. */
export function Switch({ label, on, busy, onChange }: { label: string; on: boolean; busy?: boolean; onChange: (on: boolean) => void }) {
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={on}
      aria-label={label}
      aria-busy={busy === true ? "true" : undefined}
      aria-disabled={busy === true ? "true" : undefined}
      onClick={() => {
        if (busy !== true) onChange(!on);
      }}
    >
      <span class="switch-knob" aria-hidden="true" />
    </button>
  );
}
