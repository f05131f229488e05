import { useState } from "preact/hooks";
import { Icon } from "../components/icon.tsx";
import { LazyPage, type PageLoader } from "../components/lazy-page.tsx";
import type { NavGroup } from "../components/nav-entry.ts";
import { text } from "../i18n/texts.ts";
import { useShortcut } from "../state/shortcuts.ts";
import type { SearchProps } from "./source.ts";

/** Opens the search. Ctrl-K opens it from everywhere, and a slash from outside of fields. */
export function SearchButton({ dialog, groups }: { dialog: PageLoader<SearchProps>; groups: readonly NavGroup[] }) {
  const { app, shortcuts } = text();
  const [isOpen, setOpen] = useState(false);
  const open = (): void => {
    // A failure is shown in the dialog's place.
    void dialog.preload().then(() => setOpen(true));
  };
  const shortcut = { name: () => text().app.search, run: open };
  useShortcut({ keys: "Mod+k", everywhere: true, ...shortcut });
  useShortcut({ keys: "/", ...shortcut });
  return (
    <>
      <button
        type="button"
        class="search-button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K /"
        onPointerEnter={() => void dialog.preload()}
        onClick={open}
      >
        <Icon name="search" />
        <span class="search-button-text">{app.search}</span>
        <span class="search-shortcut" aria-hidden="true">
          {/Mac|iPhone|iPad/.test(navigator.userAgent) ? "\u2318" : shortcuts.keys.Ctrl} K
        </span>
      </button>
      {isOpen && <LazyPage of={dialog} props={{ groups, onClose: () => setOpen(false) }} />}
    </>
  );
}
