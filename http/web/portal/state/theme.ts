import type { ThemeJson } from "../api/types.ts";

const KEY = "portal.theme";

/**
 * Shows a theme, and stores it for the next load, which needs it before the session is known
 * (theme.ts).
 */
export function showTheme(theme: ThemeJson): void {
  const root = document.documentElement;
  root.dataset["theme"] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // The browser denies access to its storage, so only this page has the theme.
  }
}

/** Returns the theme of this browser; the system's theme if none was chosen. */
export function keptTheme(): ThemeJson {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}
