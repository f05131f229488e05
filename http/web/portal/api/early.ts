/**
 * The first script of the page (first.ts) sends the requests that every start needs, while the
 * browser still loads the other scripts. The answers wait here until the app asks for them.
 */
declare global {
  interface Window {
    /** The answers by address. Undefined in a page without the first script. */
    relayEarly?: Map<string, Promise<Response>>;
  }
}

/** Marks a request as sent by a page of the relay. Another site cannot add this header. */
export const OURS = { "X-Relay-Portal": "1" };

/** The app does not wait longer for an answer than for one that it requests itself. */
export const EARLY_MS = 15_000;

/** Sends a request early. Its failure is reported to the one who takes the answer. */
export function askEarly(address: string): void {
  const answer = fetch(address, {
    headers: { Accept: "application/json", ...OURS },
    credentials: "same-origin",
    cache: "no-store",
    redirect: "error",
    signal: AbortSignal.timeout(EARLY_MS),
  });
  answer.catch(() => {});
  window.relayEarly ??= new Map();
  window.relayEarly.set(address, answer);
}

/** Returns the early answer of this address, once; undefined if there is none. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const answer = window.relayEarly?.get(address);
  window.relayEarly?.delete(address);
  return answer;
}

/** Forgets all early answers, for example because the session has changed meanwhile. */
export function forgetEarly(): void {
  window.relayEarly?.clear();
}
