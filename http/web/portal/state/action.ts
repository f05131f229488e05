import { useRef, useState } from "preact/hooks";
import { isAborted } from "../api/errors.ts";

export interface Action<Input extends readonly unknown[]> {
  /** Does nothing while the action runs, so a double click makes one call. */
  run(...input: Input): Promise<void>;
  busy: boolean;
  /** The error of the last run; null if it succeeded. */
  error: unknown;
  forgetError(): void;
}

/** Runs something that the person starts and that may fail, such as the submit of a form. */
export function useAction<Input extends readonly unknown[]>(act: (...input: Input) => Promise<unknown>): Action<Input> {
  const running = useRef(false);
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: null });
  const run = async (...input: Input): Promise<void> => {
    if (running.current) return;
    running.current = true;
    setState({ busy: true, error: null });
    let error: unknown = null;
    try {
      await act(...input);
    } catch (thrown) {
      error = isAborted(thrown) ? null : thrown;
    } finally {
      running.current = false;
    }
    setState({ busy: false, error });
  };
  return { run, ...state, forgetError: () => setState({ busy: false, error: null }) };
}
