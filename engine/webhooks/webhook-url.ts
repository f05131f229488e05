import { RelayError } from "../kernel/errors.ts";

/** The length that browsers accept. Longer addresses are mistakes. */
export const WEBHOOK_URL_LENGTH_MAX = 2_048;

/**
 * Throws RelayError `invalid_request` for an address that is not allowed. It must be https in live
 * mode, must contain no login, and must not be an address of a local network. The addresses of a
 * host name are checked at each attempt.
 */
export function assertWebhookUrl(url: string, livemode: boolean, isLocalHost: (host: string) => boolean): void {
  // Parsing would drop line breaks and surrounding spaces, and the displayed address would differ.
  if (url.length > WEBHOOK_URL_LENGTH_MAX || /[\s\p{C}]/u.test(url) || !URL.canParse(url)) throw refused("must be an absolute URL");
  const { protocol, username, password, hostname } = new URL(url);
  if (protocol !== "https:" && (livemode || protocol !== "http:")) throw refused(livemode ? "must be https" : "must be https or http");
  if (username !== "" || password !== "") throw refused("must not contain a user name or password");
  if (isLocalHost(hostname)) throw refused("must not be an address of a local network");
}

function refused(why: string): RelayError {
  return new RelayError("invalid_request", `url: ${why}`);
}
