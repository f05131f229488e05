import { useEffect, useRef } from "preact/hooks";

/**
 * Guards what was typed and is not saved: the browser asks before the page is closed or loaded again, and its Back button calls `ask` in the place of going
 * away. What the page itself offers to leave by asks by itself.
 */
export function useUnsavedGuard(isUnsaved: boolean, ask: () => void): void {
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (!isUnsaved) return;
    const controller = new AbortController();
    const { signal } = controller;
    const here = location.pathname + location.search;
    addEventListener("beforeunload", (event) => event.preventDefault(), { signal });
    // Before the router hears of it. The address has changed already, and is put back.
    addEventListener(
      "popstate",
      (event) => {
        event.stopImmediatePropagation();
        history.pushState(null, "", here);
        latest.current();
      },
      { signal, capture: true },
    );
    return () => controller.abort();
  }, [isUnsaved]);
}
