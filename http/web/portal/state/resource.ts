import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { isAborted } from "../api/errors.ts";

export interface Resource<T> {
  /** What was loaded last; null before the first time. Kept while it is loaded again. */
  data: T | null;
  /** Why the last load failed; null where it did not. */
  error: unknown;
  loading: boolean;
  /** Loads again, and keeps what is shown meanwhile. */
  reload(): void;
  /** Shows something that an answer to a change has said. */
  replace(data: T): void;
}

interface State<T> {
  key: string;
  data: T | null;
  error: unknown;
  loading: boolean;
}

/**
 * Loads what a page shows. `key` names what it is: with another one everything begins anew, and the load before is given up. With `everyMs` it is loaded again
 * so often while the page is visible, and at once when it becomes visible after that time; loads never overlap.
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: another round is another load.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let loadedAtMs = 0;
    let running = false;
    const loadOnce = async (): Promise<void> => {
      if (running) return;
      running = true;
      setState((before) => ({ ...(before.key === key ? before : { data: null, error: null }), key, loading: true }));
      try {
        const data = await latest.current(signal);
        if (!signal.aborted) setState({ key, data, error: null, loading: false });
      } catch (error) {
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
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [key, everyMs, round]);

  const reload = useCallback(() => setRound((before) => before + 1), []);
  const replace = useCallback((data: T) => setState({ key, data, error: null, loading: false }), [key]);
  const shown = state.key === key ? state : { data: null, error: null, loading: true };
  return { data: shown.data, error: shown.error, loading: shown.loading, reload, replace };
}
