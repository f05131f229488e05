export interface Permit {
  release(): void;
}

export interface Semaphore {
  /** A permit, or null when none gets free in time or too many wait already. */
  acquire(deadlineMs: number): Promise<Permit | null>;
}

interface Waiter {
  timer: NodeJS.Timeout;
  resolve(permit: Permit): void;
}

/** So many at once, and so many that wait for their turn, in the order they came. */
export function createSemaphore(max: number, waitingMax: number): Semaphore {
  let taken = 0;
  const waiters = new Set<Waiter>();

  function permit(): Permit {
    return {
      release: () => {
        const [next] = waiters;
        if (next === undefined) {
          taken -= 1;
          return;
        }
        clearTimeout(next.timer);
        waiters.delete(next);
        next.resolve(permit());
      },
    };
  }

  return {
    acquire: (deadlineMs) => {
      if (taken < max) {
        taken += 1;
        return Promise.resolve(permit());
      }
      if (waiters.size >= waitingMax) return Promise.resolve(null);
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          waiters.delete(waiter);
          resolve(null);
        }, deadlineMs);
        const waiter: Waiter = { timer, resolve };
        waiters.add(waiter);
      });
    },
  };
}
