import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { errorText } from "../i18n/error-text.ts";
import { FORM_STORED } from "../state/changed-forms.ts";
import { Banner } from "./banner.tsx";

/** A form that is submitted by a script. An error is shown above the fields and gets the focus. */
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
  // A layout effect runs before anything else can take the focus.
  useLayoutEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>("[data-form-error]")?.focus();
  }, [error]);
  const wasBusy = useRef(false);
  useLayoutEffect(() => {
    if (wasBusy.current && busy !== true && error === null) form.current?.dispatchEvent(new Event(FORM_STORED, { bubbles: true }));
    wasBusy.current = busy === true;
  }, [busy, error]);
  return (
    <form
      ref={form}
      class="form"
      noValidate
      aria-busy={busy === true ? "true" : undefined}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
        // The fields first have to show their mistakes.
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
