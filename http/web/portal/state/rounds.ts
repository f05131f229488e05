import { useEffect, useRef } from "preact/hooks";

/** Loads again when something of it was changed on this page: `round` counts the changes. */
export function useRounds(round: number, reload: () => void): void {
  const shown = useRef(round);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round begins anew, nothing else.
  useEffect(() => {
    if (shown.current === round) return;
    shown.current = round;
    reload();
  }, [round]);
}
