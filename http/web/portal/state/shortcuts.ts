import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { type Shortcut, shortcutOf } from "./shortcut-keys.ts";

const registered = signal<readonly Shortcut[]>([]);

/** The shortcuts that work now. The help lists them in this order. */
export const shortcuts = computed(() =>
  registered.value.filter(({ keys }, index, all) => all.findLastIndex((other) => other.keys === keys) === index),
);

/** Registers a shortcut while the component is shown; null registers none. */
export function useShortcut(shortcut: Shortcut | null): void {
  const latest = useRef(shortcut);
  latest.current = shortcut;
  const keys = shortcut?.keys ?? null;
  useEffect(() => {
    const { current } = latest;
    if (keys === null || current === null) return;
    const entry: Shortcut = { ...current, keys, name: (texts) => latest.current?.name(texts) ?? "", run: () => latest.current?.run() };
    registered.value = [...registered.peek(), entry];
    return () => {
      registered.value = registered.peek().filter((other) => other !== entry);
    };
  }, [keys]);
}

const KEY = "portal.shortcuts";

/**
 * Whether single characters are shortcuts in this browser. A person who dictates to the computer
 * would press them by mistake, so they can be switched off (WCAG 2.1.4).
 */
export const singleKeys = signal(keptSingleKeys());

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  try {
    localStorage.setItem(KEY, on ? "on" : "off");
  } catch {
    // The browser denies access to its storage, so only this page has the choice.
  }
}

function keptSingleKeys(): boolean {
  try {
    return localStorage.getItem(KEY) !== "off";
  } catch {
    return true;
  }
}

const FIELDS = "input, textarea, select, [contenteditable]";

/** Listens for shortcuts. The frame calls it once. The returned function ends this. */
export function listenForShortcuts(): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing || event.repeat) return;
    const isInField = event.target instanceof Element && event.target.closest(FIELDS) !== null;
    const isInFront = document.querySelector("dialog[open]") !== null;
    const { key, ctrlKey, metaKey, altKey } = event;
    const found = shortcutOf(shortcuts.peek(), { key, ctrlKey, metaKey, altKey, isInField, isInFront }, singleKeys.peek());
    if (found === null) return;
    event.preventDefault();
    found.run();
  };
  document.addEventListener("keydown", pressed);
  return () => document.removeEventListener("keydown", pressed);
}
