/** npm hands Ctrl-C on to what it runs, which the terminal has told already: a second SIGINT within this time is the same press of the keys. */
const SAME_PRESS_MS = 500;

export interface StopSignals {
  /** The first signal. */
  stop(signal: NodeJS.Signals): void;
  /** Another one. */
  again(): void;
}

/** What of a process this needs; `process` itself. */
export interface SignalSource {
  on(signal: NodeJS.Signals, told: (signal: NodeJS.Signals) => void): unknown;
  listenerCount(signal: NodeJS.Signals): number;
}

/**
 * Listens for SIGTERM and SIGINT, and for SIGHUP where nobody else does: the terminal of a program that ends tells it so, and nobody could stop it there any
 * more.
 */
export function onStopSignals({ stop, again }: StopSignals, source: SignalSource = process, monotonicMs = () => performance.now()): void {
  let first: { signal: NodeJS.Signals; atMs: number } | null = null;
  const told = (signal: NodeJS.Signals): void => {
    if (first === null) {
      first = { signal, atMs: monotonicMs() };
      stop(signal);
    } else if (signal !== "SIGINT" || first.signal !== "SIGINT" || monotonicMs() - first.atMs > SAME_PRESS_MS) {
      again();
    }
  };
  source.on("SIGTERM", told);
  source.on("SIGINT", told);
  // A terminal that ends may tell it more than once, and never means a second signal.
  if (source.listenerCount("SIGHUP") === 0) source.on("SIGHUP", (signal) => (first === null ? told(signal) : undefined));
}
