/** From here on there is little left. */
const HIGH_SHARE = 0.9;

/** How much of a limit is taken, in words and as a bar. */
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

/** The bar alone, where the words beside it say the same. What was used beyond the limit fills it. */
export function UsageMeter({ label, used, max }: { label: string; used: number; max: number }) {
  return <meter class="usage-meter" aria-label={label} min={0} max={max} high={max * HIGH_SHARE} optimum={0} value={Math.min(used, max)} />;
}
