import type { SignalSource } from "./stop-signals.ts";

export interface HangUps {
  /** Whom to tell from now on: of those that have come before, once and at once. */
  tell(told: () => void): void;
}

/**
 * Keeps SIGHUP from ending the process, from the first moment on: a certificate is renewed when it is due, also while a node loads its code, and what starts
 * services takes an end by this signal for one that was wanted, and does not start it again.
 */
export function keepHangUps(source: Pick<SignalSource, "on"> = process): HangUps {
  let wasTold = false;
  let told = (): void => {
    wasTold = true;
  };
  source.on("SIGHUP", () => told());
  return {
    tell: (one) => {
      told = one;
      if (wasTold) one();
    },
  };
}
