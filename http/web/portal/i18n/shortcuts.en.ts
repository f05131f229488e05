export const shortcuts = {
  title: "Keyboard shortcuts",
  show: "Show this help",
  create: "Create a new entry",
  filter: "Go to the filters",
  always: "On every page",
  next: "Go to the next field or button",
  open: "Open the row, button or link that has the focus",
  close: "Close what is in front of the page",
  tabs: "Change the tab",
  singleKeys: "Shortcuts of a single key",
  singleKeysHint: "Switch them off if you dictate text, or if you press keys by mistake. Saved in this browser.",
  keys: { Tab: "Tab", Enter: "Enter", Escape: "Esc", Ctrl: "Ctrl" },
};
