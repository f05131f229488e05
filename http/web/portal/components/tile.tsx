import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import { Icon } from "./icon.tsx";

export interface TileProps {
  label: string;
  value: ComponentChildren;
  /** The change as a text with a sign, and whether it is good news. */
  change?: { text: string; direction: "up" | "down" | "same"; good: boolean | null } | null;
  note?: ComponentChildren;
  /** The list behind the figure, with its filters. */
  href?: string | undefined;
  /** Explains the figure on request. */
  about?: string;
}

/** A longer value, such as an amount of thousands, is shown smaller in a narrow tile. */
const LONG = 8;

const SIGNS = { up: "▲ ", down: "▼ ", same: "" } as const;

/** Shows one figure, which links to the list that it counts. */
export function Tile({ about, ...tile }: TileProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  if (about === undefined) return <Figure {...tile} />;
  return (
    <div class="tile-place">
      <Figure {...tile} />
      <button
        type="button"
        class="icon-button"
        aria-label={text().app.whatIs(tile.label)}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name="info" size={16} />
      </button>
      {open && (
        <p id={id} class="tile-about">
          {about}
        </p>
      )}
    </div>
  );
}

function Figure({ label, value, change, note, href }: TileProps) {
  const content = (
    <>
      <span class="tile-label">{label}</span>
      <span class={`tile-value${typeof value === "string" && value.length > LONG ? " tile-value-long" : ""}`}>{value}</span>
      {change != null && (
        <span class={`tile-change${change.good === null ? "" : change.good ? " tile-good" : " tile-bad"}`}>
          <span aria-hidden="true">{SIGNS[change.direction]}</span>
          {change.direction !== "same" && <span class="visually-hidden">{text().app.directions[change.direction]} </span>}
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
