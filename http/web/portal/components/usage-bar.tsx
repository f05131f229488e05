/** From this share on, little of a limit is left. */
const HIGH_SHARE = 0.9;

/** Shows how much of a limit is used, in words and as a bar. */
export function UsageBar({ label, used, max, words, hint }: { label: string; used: number; max: number; words: string; hint?: string }) {
  return (
    <div class="usage">
      <p class="usage-head">
        <span>{label}</span>
        <span class="usage-words">{words}</span>
      </p>
      <UsageMeter label={label} used={used} max={max} />
      {hint !== undefined && <p class="field-hint">{hint}</p>}
    </div>
  );
}

/**
 * The bar without words. Usage over the limit fills it. It is drawn here, because browsers draw a
 * meter in different ways.
 */
export function UsageMeter({ label, used, max }: { label: string; used: number; max: number }) {
  const value = Math.min(used, max);
  return (
    <span class="usage-meter">
      <meter class="visually-hidden" aria-label={label} min={0} max={max} value={value} />
      <svg viewBox={`0 0 ${max} 1`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        <rect class={value >= max * HIGH_SHARE ? "usage-high" : "usage-low"} width={value} height={1} />
      </svg>
    </span>
  );
}
