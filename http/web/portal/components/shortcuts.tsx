import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { listenForShortcuts, useShortcut } from "../state/shortcuts.ts";
import { LazyPage, pageLoader } from "./lazy-page.tsx";

const helpPage = pageLoader(async () => (await import("./shortcuts-help.tsx")).ShortcutsHelp);

const isOpen = signal(false);

export function showShortcuts(): void {
  isOpen.value = true;
}

/** Listens for shortcuts, and shows the help about them. */
export function Shortcuts() {
  useEffect(listenForShortcuts, []);
  useShortcut({ keys: "?", name: ({ shortcuts }) => shortcuts.show, run: showShortcuts });
  if (!isOpen.value) return null;
  const close = () => {
    isOpen.value = false;
  };
  return <LazyPage of={helpPage} props={{ onClose: close }} />;
}
