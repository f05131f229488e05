type Route = (url: string, replace?: boolean) => void;

/** app.tsx sets the router's function. Until then the browser loads the addresses. */
let route: Route = (url, replace) => (replace === true ? location.replace(url) : location.assign(url));

/** Counts the moves to another page since the portal was loaded. */
let moves = 0;

export function onNavigate(router: Route): void {
  route = router;
}

export function navigate(url: string, { replace = false }: { replace?: boolean } = {}): void {
  moves += 1;
  route(url, replace);
}

/** A form that must not be lost: its page's address, and the function that asks. */
interface Holder {
  here: string;
  ask: Ask;
}

/** Asks before the form closes. `leave` then goes where the person wanted to go. */
export type Ask = (leave?: () => void) => void;

/** The forms with unsaved text. The last one is in front. */
const holders: Holder[] = [];

/** Makes the Back button and links of the page ask instead of leaving. The result ends this. */
export function holdLeaving(ask: Ask): () => void {
  const held = { here: location.pathname + location.search, ask };
  holders.push(held);
  return () => {
    const index = holders.indexOf(held);
    if (index >= 0) holders.splice(index, 1);
  };
}

/** Lets the page go without a question. */
export function releaseLeaving(): void {
  holders.length = 0;
}

/**
 * Must run before the router listens for `popstate` and `click`, because the first listener can
 * stop the event.
 */
export function watchLeaving(): void {
  addEventListener("beforeunload", (event) => {
    if (holders.length > 0) event.preventDefault();
  });
  addEventListener(
    "popstate",
    (event) => {
      const holder = holders.at(-1);
      if (holder === undefined) return;
      event.stopImmediatePropagation();
      // The address has already changed.
      history.pushState(null, "", holder.here);
      holder.ask();
    },
    { capture: true },
  );
  addEventListener(
    "click",
    (event) => {
      const [holder, address] = [holders.at(-1), addressOfLink(event)];
      if (holder === undefined || address === null) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      holder.ask(() => navigate(address));
    },
    { capture: true },
  );
}

/** Returns where a click leads in this window; null for anything but such a link. */
function addressOfLink(event: MouseEvent): string | null {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (link === null || link.href === "" || link.hash !== "" || link.target === "_blank" || link.hasAttribute("download")) return null;
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.origin !== location.origin)
    return null;
  return link.pathname + link.search;
}

/** Counts a move that started in the router: a link or the browser's buttons. */
export function moved(): void {
  moves += 1;
}

/** Whether the page was reached by a move. It then has to set the focus itself. */
export function wasMoved(): boolean {
  return moves > 0;
}

/** These pages need no session. */
const PUBLIC = /^\/portal\/(?:sign-in|forgot|reset|invitation)(?:\/|$)/;

export function isPublic(path: string): boolean {
  return PUBLIC.test(path);
}

/** Returns the address of the sign-in page, which leads back to the current page. */
export function signInAddress(): string {
  const { pathname, search } = location;
  if (isPublic(pathname) || pathname === "/portal") return "/portal/sign-in";
  return `/portal/sign-in?next=${encodeURIComponent(pathname + search)}`;
}

/** Returns where to go after sign-in: the wanted page if it belongs to the portal. */
export function wantedPage(next: string | undefined): string {
  if (next === undefined || !URL.canParse(next, location.origin)) return "/portal";
  const { origin, pathname, search } = new URL(next, location.origin);
  const ours = origin === location.origin && /^\/portal(?:\/|$)/.test(pathname) && !isPublic(pathname);
  return ours ? pathname + search : "/portal";
}

/** Removes a secret from the address bar and the history. The router keeps what it has read. */
export function hideFromAddress(path: string): void {
  history.replaceState(null, "", path);
}
