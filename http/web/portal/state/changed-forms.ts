import type { RefObject } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** A form dispatches it after its contents were stored, and is then unchanged. */
export const FORM_STORED = "form-stored";

/** The value of a control that changed before it was seen. No value equals it. */
const UNSEEN = Symbol("unseen");

/** The values of the controls of a form before the person changed them. */
type Before = Map<Control, unknown>;

/**
 * Watches the forms inside an element. `changed` renders again when a person changes one of them or
 * restores its values. `areChanged` reads the controls, because a form may have been removed.
 */
export function useChangedForms(element: RefObject<HTMLElement | null>): { changed: boolean; areChanged(): boolean } {
  const forms = useRef(new Map<HTMLFormElement, Before>());
  const [changed, setChanged] = useState(false);
  const areChanged = (): boolean =>
    [...forms.current].some(([form, before]) => form.isConnected && [...before].some(([control, value]) => contentOf(control) !== value));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the element stays the same.
  useLayoutEffect(() => {
    const { current: root } = element;
    if (root === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    // A person focuses a control before changing it.
    root.addEventListener("focusin", (event) => see(forms.current, event.target), { signal });
    root.addEventListener("pointerdown", (event) => see(forms.current, event.target), { signal });
    for (const type of ["input", "change"]) {
      root.addEventListener(
        type,
        ({ target }) => {
          if (!isControl(target) || target.form === null) return;
          const before = forms.current.get(target.form) ?? new Map();
          forms.current.set(target.form, before);
          if (!before.has(target)) before.set(target, UNSEEN);
          setChanged(areChanged());
        },
        { signal },
      );
    }
    root.addEventListener(
      FORM_STORED,
      ({ target }) => {
        if (target instanceof HTMLFormElement) forms.current.delete(target);
        setChanged(areChanged());
      },
      { signal },
    );
    return () => controller.abort();
  }, []);
  return { changed, areChanged };
}

function see(forms: Map<HTMLFormElement, Before>, target: EventTarget | null): void {
  const form = target instanceof Element ? target.closest("form") : null;
  if (form === null) return;
  const before = forms.get(form) ?? new Map();
  forms.set(form, before);
  for (const control of form.elements) if (isControl(control) && !before.has(control)) before.set(control, contentOf(control));
}

function isControl(target: unknown): target is Control {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

function contentOf(control: Control): unknown {
  if (!(control instanceof HTMLInputElement)) return control.value;
  return control.type === "checkbox" || control.type === "radio" ? control.checked : control.value;
}
