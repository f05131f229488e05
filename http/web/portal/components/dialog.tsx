import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import { IconButton } from "./button.tsx";

export interface DialogProps {
  title: string;
  /** Absent where it may not be closed before something is done. */
  onClose?: () => void;
  children: ComponentChildren;
}

/** A question in front of the page. The browser keeps the focus inside, and gives it back. */
export function Dialog(props: DialogProps) {
  return <Modal {...props} kind="dialog" />;
}

/** More of something, at the side of the page (on a phone over all of it). `wide`: to work in, with room for two columns. */
export function Drawer(props: DialogProps & { wide?: boolean }) {
  return <Modal {...props} kind="drawer" />;
}

function Modal({ title, onClose, children, kind, wide }: DialogProps & { kind: "dialog" | "drawer"; wide?: boolean }) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const latest = useRef(onClose);
  latest.current = onClose;
  // With the layout: an effect is cleaned up a frame after the dialog has gone, and until then a key would go to nothing.
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    // By itself it goes to where it was when the dialog opened, which a dialog that is taken out of the page does not do.
    const before = document.activeElement;
    current.showModal();
    const first = current.querySelector<HTMLElement>("[data-autofocus]");
    (first ?? current.querySelector<HTMLElement>("h2"))?.focus();
    const controller = new AbortController();
    // At a second Escape a browser closes it without asking. It is shown again, for what is told of it may ask first, in front of it, or not close at all.
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
    // biome-ignore lint/a11y/useKeyWithClickEvents: the backdrop is for the mouse; the keyboard has Escape and the button.
    <dialog
      ref={element}
      class={wide === true ? `${kind} ${kind}-wide` : kind}
      aria-labelledby={heading}
      onCancel={(event) => {
        // What is shown decides, not the browser.
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
