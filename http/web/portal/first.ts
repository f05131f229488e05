/**
 * The first script of every page, for both apps. It runs before the first paint, so that a dark
 * page never appears light, and a page with a navigation never appears empty. It then starts what
 * the app needs first, because the app's own scripts arrive later on a slow line: the session, the
 * figures of the start page, the texts in the likely language and the script of the page at this
 * address. The page names all these in the attributes of its script tag (web-app/shell.ts).
 */
import { askEarly, forgetEarly } from "./api/early.ts";
import { likelyLocale } from "./i18n/likely-locale.ts";
import { type AppName, keptFrame } from "./state/frame-hint.ts";

const root = document.documentElement;

function begin({ app: name, pages = "", guest = "", start = "", api = "", figures, assets = "", files = "" }: DOMStringMap): void {
  try {
    root.dataset["theme"] = localStorage.getItem("portal.theme") ?? "";
  } catch {
    // The browser denies access to its storage, so the page has the theme of the system.
  }
  const app: AppName = name === "operators" ? "operators" : "portal";
  const below = location.pathname.startsWith(`${pages}/`) ? location.pathname.slice(pages.length + 1) : "";
  const opened = below.split("/")[0] || start;
  const guestPages = guest.split(" ");
  const isGuest = guestPages.includes(opened);
  const hint = isGuest ? null : keptFrame(app);
  if (hint !== null) root.dataset["frame"] = hint;
  // Without a session the address leads to the sign-in page.
  const [signIn = ""] = guestPages;
  const page = isGuest || hint !== null ? opened : signIn;

  askEarly(`${api}/session`);
  if (hint !== null && figures !== undefined && page === start && location.search === "") askEarly(`${api}${figures}`);
  // Another window has signed out or changed the merchant, so the answers belong to the past.
  const others = new BroadcastChannel(`${app}.session`);
  others.onmessage = forgetEarly;

  const locale = likelyLocale();
  const wanted = new Set([page, `start.${locale}`, `${page}.${locale}`]);
  // These pages use only the texts of the start.
  if (page !== start && !guestPages.includes(page)) wanted.add(locale);
  for (const entry of files.split(" ")) {
    const [key = "", names = ""] = entry.split("=");
    if (wanted.has(key)) for (const file of names.split(",")) preload(assets + file);
  }
}

function preload(address: string): void {
  const link = document.createElement("link");
  link.rel = "modulepreload";
  link.href = address;
  document.head.append(link);
}

const { currentScript } = document;
if (currentScript !== null) begin(currentScript.dataset);
