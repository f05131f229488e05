import { useEffect, useRef } from "preact/hooks";

/** Loads again after a change on this page. `round` counts the changes. */
export function useRounds(round: number, reload: () => void): void {
  const shown = useRef(round);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs for a new round.
  useEffect(() => {
    if (shown.current === round) return;
    shown.current = round;
    reload();
  }, [round]);
}
