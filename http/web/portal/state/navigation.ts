type Route = (url: string, replace?: boolean) => void;

/** Of the router, once it is there (app.tsx). Until then addresses are loaded by the browser. */
let route: Route = (url, replace) => (replace === true ? location.replace(url) : location.assign(url));

/** How often the person has gone to another page since the load. */
let moves = 0;

export function onNavigate(router: Route): void {
  route = router;
}

/** Goes to a page of the portal. */
export function navigate(url: string, { replace = false }: { replace?: boolean } = {}): void {
  moves += 1;
  route(url, replace);
}

/** Who keeps the browser's Back button from leaving: its address, and what asks instead. */
let holder: { here: string; ask: () => void } | null = null;

/** Has Back ask instead of leaving, until the function that it answers with is called. */
export function holdBack(ask: () => void): () => void {
  const held = { here: location.pathname + location.search, ask };
  holder = held;
  return () => {
    if (holder === held) holder = null;
  };
}

/** To be called before the router listens: who hears of a step back first decides. */
export function watchBack(): void {
  addEventListener(
    "popstate",
    (event) => {
      if (holder === null) return;
      event.stopImmediatePropagation();
      // The address has changed already.
      history.pushState(null, "", holder.here);
      holder.ask();
    },
    { capture: true },
  );
}

/** Counts a move that the router made by itself: a link, or the browser's buttons. */
export function moved(): void {
  moves += 1;
}

/** Whether the page was reached by a move, whose focus the page has to set; after a load the browser's own is right. */
export function wasMoved(): boolean {
  return moves > 0;
}

/** Pages that need no session. */
const PUBLIC = /^\/portal\/(?:sign-in|forgot|reset|invitation)(?:\/|$)/;

export function isPublic(path: string): boolean {
  return PUBLIC.test(path);
}

/** The sign-in page, which leads back to the present one. */
export function signInAddress(): string {
  const { pathname, search } = location;
  if (isPublic(pathname) || pathname === "/portal") return "/portal/sign-in";
  return `/portal/sign-in?next=${encodeURIComponent(pathname + search)}`;
}

/** Where to go after sign-in: the page that was wanted, if it is one of ours. */
export function wantedPage(next: string | undefined): string {
  if (next === undefined || !URL.canParse(next, location.origin)) return "/portal";
  const { origin, pathname, search } = new URL(next, location.origin);
  const ours = origin === location.origin && /^\/portal(?:\/|$)/.test(pathname) && !isPublic(pathname);
  return ours ? pathname + search : "/portal";
}

/** Takes a secret out of the address bar and of the history. The router keeps what it has read. */
export function hideFromAddress(path: string): void {
  history.replaceState(null, "", path);
}
