import type { ComponentChildren } from "preact";

export interface TileProps {
  label: string;
  value: ComponentChildren;
  /** How it compares: a sign and a figure, and against what. */
  change?: { text: string; direction: "up" | "down" | "same"; good: boolean | null } | null;
  note?: ComponentChildren;
  /** Where the figure comes from: the list with its filters. */
  href?: string;
}

/** One figure. It leads to the list that it was counted from. */
export function Tile({ label, value, change, note, href }: TileProps) {
  const content = (
    <>
      <span class="tile-label">{label}</span>
      <span class="tile-value">{value}</span>
      {change != null && (
        <span class={`tile-change${change.good === null ? "" : change.good ? " tile-good" : " tile-bad"}`}>
          <span aria-hidden="true">{change.direction === "up" ? "↑ " : change.direction === "down" ? "↓ " : ""}</span>
          {change.text}
        </span>
      )}
      {note !== undefined && <span class="tile-note">{note}</span>}
    </>
  );
  return href === undefined ? (
    <div class="tile">{content}</div>
  ) : (
    <a class="tile tile-link" href={href}>
      {content}
    </a>
  );
}

export function Tiles({ children }: { children: ComponentChildren }) {
  return <div class="tiles">{children}</div>;
}
