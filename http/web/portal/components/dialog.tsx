import { type ComponentChildren, createContext } from "preact";
import { useContext, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { text } from "../i18n/texts.ts";
import { useChangedForms } from "../state/changed-forms.ts";
import { useUnsavedGuard } from "../state/unsaved.ts";
import { Button, IconButton } from "./button.tsx";
import { FormActions } from "./form.tsx";

export interface DialogProps {
  title: string;
  /** Absent if the dialog must not be closed yet. */
  onClose?: () => void;
  /**
   * Says what is lost if the dialog closes now, which is then asked first. Null never asks. Without
   * it the dialog asks if a form in it is changed.
   */
  unsaved?: string | null | undefined;
  /** Makes the page behind unreadable. */
  hides?: boolean;
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

const Close = createContext<() => void>(() => {});

/** Closes the dialog around it, which asks first if something is lost. */
export function CancelButton({ children = text().app.cancel }: { children?: ComponentChildren }) {
  return <Button onClick={useContext(Close)}>{children}</Button>;
}

/** Asks before unsaved text is lost. */
function LeaveDialog({ onStay, onLeave, children }: { onStay: () => void; onLeave: () => void; children: ComponentChildren }) {
  const { app } = text();
  return (
    <Modal kind="dialog" title={app.leaveTitle} unsaved={null} onClose={onStay}>
      <div class="form">
        <p class="lead">{children}</p>
        <FormActions>
          <Button kind="danger-quiet" onClick={onLeave}>
            {app.leaveNow}
          </Button>
          <Button kind="primary" onClick={onStay}>
            {app.keepEditing}
          </Button>
        </FormActions>
      </div>
    </Modal>
  );
}

type ModalProps = DialogProps & { kind: "dialog" | "drawer"; wide?: boolean };

function Modal({ title, onClose, unsaved, children, kind, wide, hides }: ModalProps) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const forms = useChangedForms(element);
  const [asking, setAsking] = useState<{ leave: () => void; round: number } | null>(null);
  // A dialog that cannot be closed keeps its contents by itself.
  const loss = onClose === undefined || unsaved === null ? null : (unsaved ?? (forms.changed ? text().app.leaveText : null));
  const ask = (leave = () => {}) => {
    if (loss === null || (unsaved === undefined && !forms.areChanged())) {
      onClose?.();
      leave();
    } else setAsking((before) => ({ leave, round: (before?.round ?? 0) + 1 }));
  };
  useUnsavedGuard(loss !== null, ask);
  const close = useRef(ask);
  close.current = ask;
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
        close.current();
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
    <>
      <dialog
        ref={element}
        class={[kind, ...(wide === true ? [`${kind}-wide`] : []), ...(hides === true ? ["hides"] : [])].join(" ")}
        aria-labelledby={heading}
        onKeyDown={(event) => {
          const isHere = event.target instanceof Element && event.target.closest("dialog") === event.currentTarget;
          if (event.key !== "Escape" || !isHere || event.defaultPrevented) return;
          // The browser would close all dialogs that were opened by keys at once.
          event.preventDefault();
          ask();
        }}
        onCancel={(event) => {
          // The portal decides whether the dialog closes, not the browser.
          event.preventDefault();
          ask();
        }}
        onClick={(event) => {
          if (event.target === event.currentTarget) ask();
        }}
      >
        <div class={`${kind}-body`}>
          <header class="dialog-head">
            <h2 id={heading} tabIndex={-1}>
              {title}
            </h2>
            {onClose !== undefined && <IconButton icon="close" label={text().app.close} onClick={() => ask()} />}
          </header>
          <div class="dialog-content">
            <Close.Provider value={() => close.current()}>{children}</Close.Provider>
          </div>
        </div>
      </dialog>
      {asking !== null && (
        <LeaveDialog
          // A new question stands in front of the dialog, also if the browser closed both.
          key={asking.round}
          onStay={() => setAsking(null)}
          onLeave={() => {
            setAsking(null);
            onClose?.();
            asking.leave();
          }}
        >
          {loss ?? text().app.leaveText}
        </LeaveDialog>
      )}
    </>
  );
}
