import { useLayoutEffect, useRef } from "preact/hooks";
import { holdBack } from "./navigation.ts";

/**
 * Guards unsaved text. The browser asks before the page is closed or loaded again, and its Back
 * button calls `ask` instead of leaving. The page's own controls ask by themselves.
 */
export function useUnsavedGuard(isUnsaved: boolean, ask: () => void): void {
  const latest = useRef(ask);
  latest.current = ask;
  useLayoutEffect(() => {
    if (!isUnsaved) return;
    const controller = new AbortController();
    addEventListener("beforeunload", (event) => event.preventDefault(), { signal: controller.signal });
    const release = holdBack(() => latest.current());
    return () => {
      controller.abort();
      release();
    };
  }, [isUnsaved]);
}
