import { useRef, useState } from "preact/hooks";
import { isAborted } from "../api/errors.ts";

export interface Action<Input extends readonly unknown[]> {
  /** Does nothing while it runs: a double click is one call. */
  run(...input: Input): Promise<void>;
  busy: boolean;
  /** Why the last one failed; null where it did not. */
  error: unknown;
  forgetError(): void;
}

/** Something that the person does and that may fail: a form's submit, a button. */
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
