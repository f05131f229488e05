// Runs before the first paint, so that a dark page never appears light. It is a script of its own,
// and no file is loaded before it. state/theme.ts stores the choice here. A browser that denies
// storage uses the theme of its system.
try {
  document.documentElement.dataset["theme"] = localStorage.getItem("portal.theme") ?? "";
} catch {
  // The browser denies access to its storage.
}

export {};
