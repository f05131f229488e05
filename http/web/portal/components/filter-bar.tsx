import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import type { Filters } from "../state/filters.ts";
import { useShortcut } from "../state/shortcuts.ts";
import { Button } from "./button.tsx";
import { Drawer } from "./dialog.tsx";
import { Panel } from "./panel.tsx";

/** Shows the filters side by side, or behind a button on a phone. */
export function FilterBar({ count, children }: { count: number; children: ComponentChildren }) {
  const { transactions } = text();
  const [open, setOpen] = useState(false);
  const title = transactions.filters(count);
  const desk = useRef<HTMLDivElement>(null);
  useShortcut({
    keys: "f",
    name: ({ shortcuts }) => shortcuts.filter,
    run: () => {
      const first = desk.current?.querySelector<HTMLElement>("input, select");
      // A phone shows them in a drawer.
      if (first?.offsetParent) first.focus();
      else setOpen(true);
    },
  });
  return (
    <>
      <div ref={desk} class="filters-desk">
        <Panel>{children}</Panel>
      </div>
      <div class="filters-phone">
        <Button icon="filter" onClick={() => setOpen(true)} wide>
          {title}
        </Button>
      </div>
      {open && (
        <Drawer title={title} onClose={() => setOpen(false)}>
          {children}
          <Button kind="primary" wide onClick={() => setOpen(false)}>
            {transactions.showResults}
          </Button>
        </Drawer>
      )}
    </>
  );
}

/** Shows what belongs to all filters, and a button to clear them. */
export function FilterFoot({
  filters: { count, clear },
  children,
}: {
  filters: Pick<Filters, "count" | "clear">;
  children?: ComponentChildren;
}) {
  if (count === 0 && children === undefined) return null;
  return (
    <div class="filters-foot">
      {children}
      {count > 0 && (
        <Button small kind="quiet" icon="close" onClick={clear}>
          {text().transactions.clear}
        </Button>
      )}
    </div>
  );
}
