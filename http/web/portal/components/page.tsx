import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import { wasMoved } from "../state/navigation.ts";

/**
 * A page of the portal with its title, its actions and its parts. After a move its heading gets the
 * focus.
 */
export function Page({
  title,
  lead,
  actions,
  children,
}: {
  title: string;
  lead?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  const heading = useTitle(title);
  return (
    <div class="page">
      <header class="page-head">
        <div class="page-title">
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p class="page-lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/**
 * Sets the title of the browser's tab. After a move the focus goes to the first field of a page
 * with a single task, otherwise to the heading that has the returned reference.
 */
export function useTitle(title: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { app } = text();
  useEffect(() => {
    document.title = `${title} · ${app.name}`;
  }, [title, app.name]);
  useEffect(() => {
    if (!wasMoved()) return;
    const first = heading.current?.closest("main")?.querySelector<HTMLElement>("[data-autofocus]");
    (first ?? heading.current)?.focus({ preventScroll: true });
  }, []);
  return heading;
}
