import { text } from "../i18n/texts.ts";
import { closeToast, toasts } from "../state/toasts.ts";
import { Icon } from "./icon.tsx";

const ICONS = { done: "check", note: "info", failed: "warning" } as const;

/**
 * The live region is always in the page, because screen readers only announce additions to a region
 * that they know.
 */
export function Toasts() {
  const { app } = text();
  return (
    <div class="toasts" role="status" aria-live="polite" aria-atomic="false">
      {toasts.value.map(({ id, text: words, kind }) => (
        <div key={id} class={`toast toast-${kind}`}>
          <Icon name={ICONS[kind]} size={18} />
          <span class="toast-text">{words}</span>
          <button type="button" class="toast-close" aria-label={app.close} onClick={() => closeToast(id)}>
            <Icon name="close" size={16} />
          </button>
        </div>
      ))}
    </div>
  );
}
