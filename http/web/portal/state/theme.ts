import type { ThemeJson } from "../api/types.ts";

const KEY = "portal.theme";

/** Shows a theme, and keeps it for the next load, when it is needed before the session is known (theme.ts). */
export function showTheme(theme: ThemeJson): void {
  const root = document.documentElement;
  root.dataset["theme"] = theme;
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // Storage is refused: only this page has the theme.
  }
}

/** The theme that this browser has; of the system where none was chosen. */
export function keptTheme(): ThemeJson {
  const { theme } = document.documentElement.dataset;
  return theme === "light" || theme === "dark" ? theme : "system";
}
