import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { hasCode, isAborted } from "../api/errors.ts";
import { isOffline } from "./connection.ts";

export interface Resource<T> {
  /** The data of the last load; null before the first one. It stays while it is loaded again. */
  data: T | null;
  /** The error of the last load; null if it succeeded. */
  error: unknown;
  loading: boolean;
  /** Loads the data again, and keeps showing the old data meanwhile. */
  reload(): void;
  /** Shows the data from an answer to a change. */
  replace(data: T): void;
}

interface State<T> {
  key: string;
  data: T | null;
  error: unknown;
  loading: boolean;
}

/**
 * Loads what a page shows. A new `key` starts over and aborts the load that is running. With
 * `everyMs` the data is loaded at this interval while the page is visible, and at once when it
 * becomes visible after a longer time. Loads never overlap.
 */
export function useResource<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  { everyMs }: { everyMs?: number } = {},
): Resource<T> {
  const [state, setState] = useState<State<T>>({ key, data: null, error: null, loading: true });
  const [round, setRound] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round loads again.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let loadedAtMs = 0;
    let running = false;
    let isCut = false;
    const loadOnce = async (): Promise<void> => {
      if (running) return;
      running = true;
      setState((before) => ({ ...(before.key === key ? before : { data: null, error: null }), key, loading: true }));
      try {
        const data = await latest.current(signal);
        isCut = false;
        if (!signal.aborted) setState({ key, data, error: null, loading: false });
      } catch (error) {
        isCut = hasCode(error, "offline");
        if (!signal.aborted && !isAborted(error)) setState((before) => ({ ...before, error, loading: false }));
      } finally {
        running = false;
        loadedAtMs = performance.now();
        plan();
      }
    };
    const plan = (): void => {
      clearTimeout(timer);
      if (everyMs === undefined || signal.aborted || document.visibilityState !== "visible") return;
      timer = setTimeout(() => void loadOnce(), Math.max(0, loadedAtMs + everyMs - performance.now()));
    };
    if (everyMs !== undefined) document.addEventListener("visibilitychange", plan, { signal });
    void loadOnce();
    // A load that failed without a connection is repeated when it is back.
    const unwatch = isOffline.subscribe((offline) => {
      if (!offline && isCut) void loadOnce();
    });
    return () => {
      unwatch();
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, everyMs, round]);

  const reload = useCallback(() => setRound((before) => before + 1), []);
  const replace = useCallback((data: T) => setState({ key, data, error: null, loading: false }), [key]);
  const shown = state.key === key ? state : { data: null, error: null, loading: true };
  return { data: shown.data, error: shown.error, loading: shown.loading, reload, replace };
}
