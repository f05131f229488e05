import { sha256Hex } from "./digest.ts";

/** A cookie of one relay, under its one name. */
export interface SessionCookie {
  readonly name: string;
  /**
   * The `Set-Cookie` value that hands out a token. The cookie ends with the browser; when the session ends is for the server to say. Throws for what is no token.
   */
  handOut(token: string): string;
  /** The `Set-Cookie` value that takes the cookie back. */
  readonly takenBack: string;
  /** The token in a `Cookie` header: null for none, `unclear` for one that is not as handed out, or for several. */
  tokenIn(header: string): string | "unclear" | null;
}

/** 32 random bytes in base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** uWebSockets takes 4 KB of headers by default, and no proxy more than 64 KB; a longer header is not looked through. */
const HEADER_LENGTH_MAX = 65_536;

/**
 * `isSecure`: browsers reach the relay over TLS. The prefix `__Host-` then has them take the cookie only with `Secure`, for this very host and for all of its paths, so no
 * other host and no page over http can set one beside it. Over plain http, which only a sandbox should be, they would refuse such a cookie; there it has another name.
 */
export function sessionCookie(plainName: string, { isSecure }: { isSecure: boolean }): SessionCookie {
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `HttpOnly; SameSite=Strict; Path=/${isSecure ? "; Secure" : ""}`;
  return {
    name,
    handOut: (token) => {
      if (!TOKEN.test(token)) throw new Error("a session's token has 43 characters of base64url");
      return `${name}=${token}; ${attributes}`;
    },
    takenBack: `${name}=; Max-Age=0; ${attributes}`,
    tokenIn: (header) => tokenIn(header, name),
  };
}

/** Under which a session is stored and looked up. */
export function sessionTokenSha256(token: string): string {
  return sha256Hex(token);
}

/**
 * Of two cookies with our name one may be planted (by another path, or another host of the same domain), and nothing says which: none of them counts.
 */
function tokenIn(header: string, name: string): string | "unclear" | null {
  if (header === "") return null;
  if (header.length > HEADER_LENGTH_MAX) return "unclear";
  let found: string | null = null;
  for (const pair of header.split(";")) {
    const equals = pair.indexOf("=");
    if (equals === -1 || pair.slice(0, equals).trim() !== name) continue;
    if (found !== null) return "unclear";
    found = pair.slice(equals + 1).trim();
  }
  return found === null || TOKEN.test(found) ? found : "unclear";
}
