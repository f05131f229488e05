// Runs before the page is painted, so that a page that was set to dark never shows in light first. It stands alone: no file is loaded before it. The page
// itself keeps the choice here (state/theme.ts); a browser that refuses to store has the theme of its system.
try {
  document.documentElement.dataset["theme"] = localStorage.getItem("portal.theme") ?? "";
} catch {
  // Storage is refused.
}

export {};
