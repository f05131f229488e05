/** The names under which only this machine is reached, with any port. */
const LOOPBACK_HOST = /^(?:localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Whether a `Host` header names this machine itself. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOST.test(host);
}
