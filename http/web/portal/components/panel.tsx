import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { isPassing } from "../api/errors.ts";
import { errorText } from "../i18n/error-text.ts";
import { text } from "../i18n/texts.ts";
import type { Resource } from "../state/resource.ts";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { EmptyState } from "./empty-state.tsx";
import { Skeleton } from "./skeleton.tsx";

/**
 * A part of a page on a surface of its own. `flush` content, such as a table, reaches the edges.
 */
export function Panel({
  title,
  hint,
  actions,
  flush,
  children,
}: {
  title?: string;
  hint?: ComponentChildren;
  actions?: ComponentChildren;
  flush?: boolean;
  children: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class={`panel${flush === true ? " panel-flush" : ""}`} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <header class="panel-head">
          <div>
            <h2 id={id}>{title}</h2>
            {hint !== undefined && <p class="panel-hint">{hint}</p>}
          </div>
          {actions !== undefined && <div class="panel-actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/**
 * Shows a skeleton while a resource loads, or the error with a button to retry, or `children`. If a
 * later load fails, the old data stays with a note that it may be out of date.
 */
export function Loaded<T>({
  of: resource,
  skeleton,
  children,
}: {
  of: Resource<T>;
  skeleton?: ComponentChildren;
  children: (data: T) => ComponentChildren;
}) {
  const { app, errors } = text();
  const { data, error, reload, loading } = resource;
  if (data !== null) {
    return (
      <>
        {error !== null && (
          <div class="panel-note">
            <Banner kind="warning">{app.stale}</Banner>
          </div>
        )}
        {children(data)}
      </>
    );
  }
  if (error === null) return <>{skeleton ?? <Skeleton />}</>;
  return (
    <div role="alert">
      <EmptyState
        icon="warning"
        title={isPassing(error) ? errors.panelTitle : errors.failedTitle}
        action={
          <Button icon="refresh" onClick={reload} busy={loading}>
            {app.retry}
          </Button>
        }
      >
        {errorText(error)}
      </EmptyState>
    </div>
  );
}
