import type { ComponentChildren } from "preact";

export type BadgeKind = "neutral" | "good" | "bad" | "warn" | "accent";

/** Shows a state in one word. The dot is decoration. */
export function Badge({ kind = "neutral", dot = true, children }: { kind?: BadgeKind; dot?: boolean; children: ComponentChildren }) {
  return (
    <span class={`badge badge-${kind}`}>
      {dot && <span class="badge-dot" aria-hidden="true" />}
      {children}
    </span>
  );
}
