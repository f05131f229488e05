import { useLayoutEffect, useRef } from "preact/hooks";
import { type Ask, holdLeaving } from "./navigation.ts";

/**
 * Guards unsaved text. The browser asks before the page is closed or loaded again, and its Back
 * button and the links of the page call `ask` instead of leaving.
 */
export function useUnsavedGuard(isUnsaved: boolean, ask: Ask): void {
  const latest = useRef(ask);
  latest.current = ask;
  useLayoutEffect(() => (isUnsaved ? holdLeaving((leave) => latest.current(leave)) : undefined), [isUnsaved]);
}
