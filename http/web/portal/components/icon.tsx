/** The outlines are drawn for this portal on a grid of 24, two pixels wide with round ends. */
const PATHS = {
  overview: "M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z",
  chart: "M4 4v16h16M8 16v-4M12 16V8M16 16v-6",
  transactions: "M4 8h15M15 4l4 4-4 4M20 16H5M9 12l-4 4 4 4",
  terminals:
    "M7 3h10a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM9 6.5h6v4H9zM9.5 14h.01M12 14h.01M14.5 14h.01M9.5 17h.01M12 17h.01M14.5 17h.01",
  audit: "M9 4h6l1 3H8zM8 5H6a1 1 0 0 0-1 1v14a1 1 0 0 0 1 1h12a1 1 0 0 0 1-1V6a1 1 0 0 0-1-1h-2M9 12h6M9 16h4",
  users:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 20c0-3.3 2.7-5.5 6-5.5s6 2.2 6 5.5M16 4.5a3.5 3.5 0 0 1 0 6M17.5 14.8c2.1.7 3.5 2.6 3.5 5.2",
  settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6L6 18",
  chevronDown: "M6 9.5l6 6 6-6",
  chevronUp: "M6 14.5l6-6 6 6",
  chevronLeft: "M14.5 6l-6 6 6 6",
  chevronRight: "M9.5 6l6 6-6 6",
  sortUp: "M12 19V5M6 11l6-6 6 6",
  sortDown: "M12 5v14M6 13l6 6 6-6",
  check: "M5 12.5l4.5 4.5L19 7.5",
  copy: "M9 9h10v11H9zM15 9V4H5v11h4",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  print: "M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z",
  warning: "M12 4L2.8 20h18.4zM12 10v4.5M12 17.2h.01",
  info: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 11v5M12 8h.01",
  plus: "M12 5v14M5 12h14",
  keyboard: "M3 6h18v12H3zM7 10h.01M11 10h.01M15 10h.01M7 14h10M18 10h.01",
  key: "M8.5 19a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM12 12l8-8M17 7l2.5 2.5",
  phone: "M8 3h8a1 1 0 0 1 1 1v16a1 1 0 0 1-1 1H8a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1zM11 18h2",
  shield: "M12 3l7.5 3v5.5c0 4.6-3 8-7.5 9.5-4.5-1.5-7.5-4.9-7.5-9.5V6z",
  mail: "M3 6h18v12H3zM3.5 6.5L12 13l8.5-6.5",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  signOut: "M10 4H5v16h5M15 8l4 4-4 4M19 12H9.5",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l4.5 4.5",
  filter: "M4 6h16M7 12h10M10 18h4",
  refresh: "M20 5v5h-5M4 19v-5h5M5.5 9A7 7 0 0 1 18 7.5L20 10M18.5 15A7 7 0 0 1 6 16.5L4 14",
  clock: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3.5 2",
  device: "M4 5h16v11H4zM2 20h20",
  inbox: "M4 13l3-8h10l3 8v6H4zM4 13h5l1.2 2.5h3.6L15 13h5",
  calendar: "M5 6h14v14H5zM5 10h14M9 3v4M15 3v4",
  receipt: "M6 3h12v18l-3-2-3 2-3-2-3 2zM9.5 8h5M9.5 12h5",
  refund: "M9 6L4 11l5 5M4 11h10a5 5 0 0 1 0 10h-2",
  link: "M10 13.5a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7l-1 1M14 10.5a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7l1-1",
  subscriptions: "M4 11.5V10a4 4 0 0 1 4-4h11.5M16 2.5L19.5 6 16 9.5M20 12.5V14a4 4 0 0 1-4 4H4.5M8 14.5L4.5 18 8 21.5",
  card: "M3 6h18v12H3zM3 10h18M7 15h3",
  webhook: "M4 12h4l2-6 4 12 2-6h4",
  logs: "M5 6h14M5 10h14M5 14h9M5 18h6",
  send: "M4 12L20 4l-5 16-3.5-6.5z",
  dispute: "M12 4v16M7 20h10M4 8h16M4 8l-2 6h5zM20 8l-2.5 6h5zM12 4h.01",
  alert: "M6 17V11a6 6 0 0 1 12 0v6l1.5 2h-15zM10.5 21h3",
  agent: "M6 8h12a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H6a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2zM12 8V4M12 4h.01M9 13v1.5M15 13v1.5",
  reconciliation: "M6 3h12v18H6zM9 8h6M9 12h3M9 16.5l1.8 1.8L15 14",
  file: "M6 3h8l4 4v14H6zM14 3v4h4M9 12h6M9 16h6",
  qr: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h2v2h-2zM18 18h2v2h-2zM18 14h2M14 18v2",
} as const;

export type IconName = keyof typeof PATHS;

/** An icon is decoration beside a text. A button with only an icon has a label of its own. */
export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg class="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
