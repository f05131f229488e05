import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { errorText } from "../i18n/error-text.ts";
import { Banner } from "./banner.tsx";

/** A form whose submit is ours. What failed is said above its fields and takes the focus, so that nobody has to look for it. */
export function Form({
  onSubmit,
  error = null,
  busy,
  children,
}: {
  onSubmit: () => void;
  error?: unknown;
  busy?: boolean;
  children: ComponentChildren;
}) {
  const form = useRef<HTMLFormElement>(null);
  // Before anything else can take the focus.
  useLayoutEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>("[data-form-error]")?.focus();
  }, [error]);
  return (
    <form
      ref={form}
      class="form"
      noValidate
      aria-busy={busy === true ? "true" : undefined}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
        // After the fields have said what is wrong with them.
        requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      }}
    >
      {error !== null && (
        <div tabIndex={-1} data-form-error="">
          <Banner kind="danger" alert>
            {errorText(error)}
          </Banner>
        </div>
      )}
      {children}
    </form>
  );
}

export function FormActions({ children }: { children: ComponentChildren }) {
  return <div class="form-actions">{children}</div>;
}
