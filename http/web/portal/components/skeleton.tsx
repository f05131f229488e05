import { text } from "../i18n/texts.ts";

/** Shows the outline of the loading content. Screen readers announce one word. */
export function Skeleton({ lines = 3, tall }: { lines?: number; tall?: boolean }) {
  return (
    <div class="skeleton" role="status">
      <span class="visually-hidden">{text().app.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the items are equal.
        <span key={index} class={`skeleton-line${tall === true ? " skeleton-tall" : ""}`} aria-hidden="true" />
      ))}
    </div>
  );
}
