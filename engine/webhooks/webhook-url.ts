import { RelayError } from "../kernel/errors.ts";

/** As long as a browser takes it; longer ones are mistakes. */
export const WEBHOOK_URL_LENGTH_MAX = 2_048;

/**
 * Throws RelayError `invalid_request` for an address that may not be registered: it has to be https where money moves, and must hold no login. Whether it
 * is of a public network is checked at each attempt, when its name is resolved.
 */
export function assertWebhookUrl(url: string, livemode: boolean): void {
  // Parsing would drop line breaks, and the spaces around it: the address that is shown would be another one.
  if (url.length > WEBHOOK_URL_LENGTH_MAX || /[\s\p{C}]/u.test(url) || !URL.canParse(url)) throw refused("must be an absolute URL");
  const { protocol, username, password } = new URL(url);
  if (protocol !== "https:" && (livemode || protocol !== "http:")) throw refused(livemode ? "must be https" : "must be https or http");
  if (username !== "" || password !== "") throw refused("must not hold a user name or password");
}

function refused(why: string): RelayError {
  return new RelayError("invalid_request", `url: ${why}`);
}
