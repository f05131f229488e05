import { RelayError } from "../kernel/errors.ts";

/** Schemes of apps to whose addresses a merchant's buyers may return, such as `myapp` of `myapp://back`. */
export const RETURN_SCHEMES_MAX = 16;

/** In small letters; longer ones than any app has are refused. */
const SCHEME = /^[a-z][a-z0-9+.-]{1,63}$/;
export const RETURN_SCHEME_PATTERN = SCHEME.source;

/**
 * Schemes that belong to the browser, the system or a protocol and not to one app: an address of one would run code, read files, start another program, or call somebody
 * from the page of a payment. Plain `https` needs no registration.
 */
const NEVER: ReadonlySet<string> = new Set([
  ...[
    "about",
    "blob",
    "data",
    "file",
    "filesystem",
    "http",
    "https",
    "intent",
    "javascript",
    "vbscript",
    "view-source",
    "livescript",
    "mocha",
  ],
  ...[
    "android-app",
    "content",
    "resource",
    "chrome",
    "chrome-extension",
    "edge",
    "moz-extension",
    "safari-extension",
    "opera",
    "brave",
    "res",
    "jar",
  ],
  ...[
    "ftp",
    "ftps",
    "sftp",
    "ssh",
    "telnet",
    "gopher",
    "ldap",
    "ldaps",
    "smb",
    "nfs",
    "ws",
    "wss",
    "mailto",
    "tel",
    "sms",
    "smsto",
    "mms",
    "sip",
    "sips",
  ],
  ...[
    "callto",
    "facetime",
    "itms",
    "itms-apps",
    "itms-services",
    "market",
    "search-ms",
    "shell",
    "steam",
    "urn",
    "cid",
    "mid",
    "x-apple-helpbasic",
  ],
]);

/** Every program of an office suite and of the system's settings has one that begins so. */
const NEVER_BEGINS = /^ms-/;

/** Whether a merchant may register a scheme. */
export function isReturnScheme(scheme: string): boolean {
  return SCHEME.test(scheme) && !NEVER.has(scheme) && !NEVER_BEGINS.test(scheme);
}

/** The schemes to be stored, each once and in order. Throws RelayError `invalid_request` for one that nobody may register. */
export function returnSchemesOf(given: readonly string[]): readonly string[] {
  const schemes = [...new Set(given.map((scheme) => scheme.toLowerCase()))].sort();
  const refused = schemes.find((scheme) => !isReturnScheme(scheme));
  if (refused !== undefined) {
    throw new RelayError("invalid_request", `schemes: ${SCHEME.test(refused) ? refused : "one of them"} is not the scheme of an app`);
  }
  if (schemes.length > RETURN_SCHEMES_MAX) throw new RelayError("invalid_request", `schemes: may have at most ${RETURN_SCHEMES_MAX} items`);
  return schemes;
}
