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

/** Keeps the browser's Back button from leaving: the page's address, and the function that asks. */
let holder: { here: string; ask: () => void } | null = null;

/** Makes Back ask instead of leaving. The returned function ends this. */
export function holdBack(ask: () => void): () => void {
  const held = { here: location.pathname + location.search, ask };
  holder = held;
  return () => {
    if (holder === held) holder = null;
  };
}

/**
 * Must run before the router listens for `popstate`, because the first listener can stop the event.
 */
export function watchBack(): void {
  addEventListener(
    "popstate",
    (event) => {
      if (holder === null) return;
      event.stopImmediatePropagation();
      // The address has already changed.
      history.pushState(null, "", holder.here);
      holder.ask();
    },
    { capture: true },
  );
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
