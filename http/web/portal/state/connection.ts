import { signal } from "@preact/signals";
import { onCalls } from "../api/client.ts";

/** While the page is offline it looks for the connection this often. */
const LOOK_EVERY_MS = 5_000;

/** A connection that answers no small request in this time is none. */
const LOOK_DEADLINE_MS = 5_000;

/** Whether the relay cannot be reached from this browser. */
export const isOffline = signal(false);

let looking: Promise<void> | null = null;

/** Finds out whether the relay can be reached, and looks again until it can. */
export function lookForConnection(): Promise<void> {
  looking ??= look().finally(() => {
    looking = null;
  });
  return looking;
}

async function look(): Promise<void> {
  isOffline.value = !(await isReachable());
  if (isOffline.value) setTimeout(() => void lookForConnection(), LOOK_EVERY_MS);
}

async function isReachable(): Promise<boolean> {
  if (!navigator.onLine) return false;
  try {
    // Every address of the app answers the same small page.
    await fetch(location.pathname, { cache: "no-store", signal: AbortSignal.timeout(LOOK_DEADLINE_MS) });
    return true;
  } catch {
    return false;
  }
}

/** Follows the browser's connection. The browser only knows of its own network, calls know more. */
export function watchConnection(): void {
  addEventListener("offline", () => {
    isOffline.value = true;
    void lookForConnection();
  });
  addEventListener("online", () => void lookForConnection());
  onCalls({
    reached: (isReached) => {
      if (isReached && navigator.onLine) isOffline.value = false;
      else if (!isReached) void lookForConnection();
    },
  });
}
