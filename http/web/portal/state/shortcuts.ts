import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { Catalogue } from "../i18n/en.ts";

/**
 * A shortcut of the keyboard. One declaration binds the keys and is a line of the help.
 *
 * A component registers one while it is shown:
 *
 *     useShortcut({
 *       keys: "Mod+k",
 *       name: ({ search }) => search.open,
 *       everywhere: true,
 *       run: open,
 *     });
 *
 * If two have the same keys, the one that was registered last counts, such as that of a drawer over
 * a list.
 */
export interface Shortcut {
  /** The value of `KeyboardEvent.key`, with `Mod+` before it for Ctrl, or Command on a Mac. */
  readonly keys: string;
  /** The line of the help about it. */
  readonly name: (texts: Catalogue) => string;
  /** It also works in fields and in front of a page. Not for characters that a person may type. */
  readonly everywhere?: boolean;
  readonly run: () => void;
}

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

/** A press of a key, and the place where the person pressed it. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** The person types into a field, or chooses in a list. */
  readonly isInField: boolean;
  /** A dialog or drawer is open in front of the page. */
  readonly isInFront: boolean;
}

/** Returns the shortcut that a press means; null if it means none. */
export function shortcutOf(all: readonly Shortcut[], press: Press, withSingleKeys: boolean): Shortcut | null {
  const hasMod = press.ctrlKey || press.metaKey;
  // With Alt some keyboards type characters.
  if (press.altKey || (!hasMod && !withSingleKeys)) return null;
  const keys = `${hasMod ? "Mod+" : ""}${press.key.toLowerCase()}`;
  const found = all.find((shortcut) => shortcut.keys.replace(/^(Mod\+)?(.+)$/, (_, mod = "", key) => mod + key.toLowerCase()) === keys);
  if (found === undefined) return null;
  return found.everywhere === true || (!press.isInField && !press.isInFront) ? found : null;
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
