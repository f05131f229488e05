import { useEffect, useState } from "preact/hooks";
import type { NavGroup } from "../components/frame.tsx";
import { Icon } from "../components/icon.tsx";
import { LazyPage, pageLoader } from "../components/lazy-page.tsx";
import { text } from "../i18n/texts.ts";
import type { SearchSource } from "./source.ts";

const dialog = pageLoader(async () => (await import("./search-dialog.tsx")).SearchDialog);

/** The dialog must open at once, so its script is loaded when the page is at rest. */
const PRELOAD_AFTER_MS = 1_500;

/** Opens the search. Ctrl-K opens it from everywhere, and a slash from outside of fields. */
export function SearchButton({ source, groups }: { source: SearchSource; groups: readonly NavGroup[] }) {
  const { search: words } = text();
  const [isOpen, setOpen] = useState(false);
  const open = (): void => {
    // A failure is shown by the dialog's place.
    void dialog.load().then(
      () => setOpen(true),
      () => setOpen(true),
    );
  };
  useEffect(() => {
    const timer = setTimeout(dialog.preload, PRELOAD_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it opens the same dialog at any time.
  useEffect(() => {
    const controller = new AbortController();
    document.addEventListener(
      "keydown",
      (event) => {
        if (!isShortcut(event)) return;
        event.preventDefault();
        open();
      },
      { signal: controller.signal },
    );
    return () => controller.abort();
  }, []);
  return (
    <>
      <button
        type="button"
        class="search-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K /"
        onPointerEnter={dialog.preload}
        onClick={open}
      >
        <Icon name="search" />
        <span class="search-button-text">{words.title}</span>
        <span class="search-shortcut" aria-hidden="true">
          {isApple() ? "⌘ K" : words.shortcut}
        </span>
      </button>
      {isOpen && <LazyPage of={dialog} props={{ source, groups, onClose: () => setOpen(false) }} />}
    </>
  );
}

function isShortcut(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey, shiftKey, target, repeat } = event;
  if (repeat || altKey) return false;
  if (key.toLowerCase() === "k") return (ctrlKey || metaKey) && !shiftKey;
  // A slash is Shift and another key on some keyboards.
  return key === "/" && !ctrlKey && !metaKey && !isField(target) && document.querySelector("dialog[open]") === null;
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || target.closest("input, textarea, select") !== null);
}

function isApple(): boolean {
  return /Mac|iPhone|iPad/.test(navigator.userAgent);
}
