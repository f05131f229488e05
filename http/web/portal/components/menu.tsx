import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

/**
 * A button that shows more choices below it. They are ordinary buttons and links in keyboard order.
 * Escape or a click elsewhere closes them.
 */
export function Menu({
  label,
  trigger,
  align = "right",
  children,
}: {
  label: string;
  trigger: ComponentChildren;
  align?: "left" | "right";
  children: (close: () => void) => ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return;
    const controller = new AbortController();
    const { signal } = controller;
    document.addEventListener("pointerdown", ({ target }) => target instanceof Node && !root.current?.contains(target) && setOpen(false), {
      signal,
    });
    document.addEventListener("focusin", ({ target }) => target instanceof Node && !root.current?.contains(target) && setOpen(false), {
      signal,
    });
    document.addEventListener(
      "keydown",
      ({ key }) => {
        if (key !== "Escape") return;
        setOpen(false);
        button.current?.focus();
      },
      { signal },
    );
    return () => controller.abort();
  }, [open]);
  return (
    <div ref={root} class="menu">
      <button ref={button} type="button" class="menu-button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        {trigger}
        <span class="visually-hidden">{label}</span>
      </button>
      <div id={id} class={`menu-list menu-${align}`} hidden={!open}>
        {open && children(() => setOpen(false))}
      </div>
    </div>
  );
}
