import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import { IconButton } from "./button.tsx";

export interface DialogProps {
  title: string;
  /** Absent if the dialog must not be closed yet. */
  onClose?: () => void;
  children: ComponentChildren;
}

/** Asks a question in front of the page. The browser keeps the focus inside the dialog. */
export function Dialog(props: DialogProps) {
  return <Modal {...props} kind="dialog" />;
}

/**
 * Shows more about an object at the side of the page, or over the whole screen of a phone. `wide`
 * gives room for two columns.
 */
export function Drawer(props: DialogProps & { wide?: boolean }) {
  return <Modal {...props} kind="drawer" />;
}

function Modal({ title, onClose, children, kind, wide }: DialogProps & { kind: "dialog" | "drawer"; wide?: boolean }) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const latest = useRef(onClose);
  latest.current = onClose;
  // A layout effect is cleaned up at once. A normal effect would run a frame after the dialog is
  // gone, and a key pressed in between would be lost.
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    // The browser does not restore the focus if a dialog is removed from the page.
    const before = document.activeElement;
    current.showModal();
    const first = current.querySelector<HTMLElement>("[data-autofocus]");
    (first ?? current.querySelector<HTMLElement>("h2"))?.focus();
    const controller = new AbortController();
    // A second Escape makes the browser close the dialog without asking. It is shown again, because
    // `onClose` may ask first or not close it.
    current.addEventListener(
      "close",
      () => {
        current.showModal();
        latest.current?.();
      },
      { signal: controller.signal },
    );
    return () => {
      controller.abort();
      current.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape serves the keyboard.
    <dialog
      ref={element}
      class={wide === true ? `${kind} ${kind}-wide` : kind}
      aria-labelledby={heading}
      onCancel={(event) => {
        // The portal decides whether the dialog closes, not the browser.
        event.preventDefault();
        onClose?.();
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) onClose?.();
      }}
    >
      <div class={`${kind}-body`}>
        <header class="dialog-head">
          <h2 id={heading} tabIndex={-1}>
            {title}
          </h2>
          {onClose !== undefined && <IconButton icon="close" label={text().app.close} onClick={onClose} />}
        </header>
        <div class="dialog-content">{children}</div>
      </div>
    </dialog>
  );
}
