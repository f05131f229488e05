/** The start page, as the relay serves it; the other pages are below it, with a word of their own (bundle-web-app.ts says why). */
export const START = "/admin";

const PAGES = `${START}/ui`;

export const SIGN_IN = `${PAGES}/sign-in`;

/** What the router takes over: endpoints for programs lie beside the pages, and a link to one of them is the browser's. */
export const SCOPE = /^\/admin(?:\/ui\/[^?#]*)?(?:[?#]|$)/;

/** The address of a page, and of an object on it. Empty for the start page. */
export function pageHref(name: string, id?: string): string {
  if (name === "") return START;
  return `${PAGES}/${name}${id === undefined ? "" : `/${encodeURIComponent(id)}`}`;
}

/** What a path names: the word of the page, empty for the start page, and the object. Null for what is no address of these pages. */
export function placeOf(path: string): { name: string; id: string | null } | null {
  if (path === START || path === `${START}/`) return { name: "", id: null };
  if (!path.startsWith(`${PAGES}/`)) return null;
  const [name = "", id, ...more] = path.slice(PAGES.length + 1).split("/");
  return more.length > 0 || name === "" ? null : { name, id: id === undefined ? null : decoded(id) };
}

/** The sign-in page, which leads back to the present one. */
export function signInAddress(): string {
  const { pathname, search } = location;
  return pathname === SIGN_IN || pathname === START ? SIGN_IN : `${SIGN_IN}?next=${encodeURIComponent(pathname + search)}`;
}

/** Where to go after sign-in: the page that was wanted, if it is one of ours. */
export function wantedPage(next: string | undefined): string {
  if (next === undefined || !URL.canParse(next, location.origin)) return START;
  const { origin, pathname, search } = new URL(next, location.origin);
  return origin === location.origin && placeOf(pathname) !== null && pathname !== SIGN_IN ? pathname + search : START;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No encoding that we have made.
    return text;
  }
}
