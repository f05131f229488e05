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
