import { RelayError } from "../../engine/kernel/errors.ts";

/** Newest first: the order in which they are preferred. */
export const STOMP_VERSIONS = ["1.2", "1.1", "1.0"] as const;
export type StompVersion = (typeof STOMP_VERSIONS)[number];

/** A frame without its body; the first one of repeated headers. */
export interface FrameHead {
  command: string;
  headers: ReadonlyMap<string, string>;
}

/** A frame as it was read. */
export interface StompFrame extends FrameHead {
  body: Uint8Array;
}

/** The peer's data is not STOMP, or exceeds a limit; the connection has to end. The message quotes no content. */
export class FrameError extends RelayError {
  constructor(message: string, code: "invalid_request" | "payload_too_large" = "invalid_request") {
    super(code, message);
    this.name = "FrameError";
  }
}

export type Headers = readonly (readonly [name: string, value: string])[];

/**
 * Serializes a frame in a version of STOMP, with `content-length` if there is a body. CONNECT and CONNECTED are not escaped; 1.0 has no
 * escapes at all, so there a line feed becomes a space.
 */
export function serializeFrame(version: StompVersion, command: string, headers: Headers, body = ""): string {
  const escaping = escapingOf(version, command);
  let text = `${command}\n`;
  for (const [name, value] of headers) text += `${escapeHeader(name, escaping)}:${escapeHeader(value, escaping)}\n`;
  if (body !== "") text += `content-length:${Buffer.byteLength(body)}\n`;
  return `${text}\n${body}\0`;
}

/** How header names and values are escaped: STOMP 1.2 and 1.1, "Value Encoding". */
export type Escaping = StompVersion;

/** The frames that agree on a version are never escaped, so that they can be read before there is one. */
const UNESCAPED = new Set(["CONNECT", "STOMP", "CONNECTED"]);

export function escapingOf(version: StompVersion, command: string): Escaping {
  return UNESCAPED.has(command) ? "1.0" : version;
}

const ESCAPES: Record<Escaping, ReadonlyMap<string, string>> = {
  "1.2": new Map([
    ["\\", "\\\\"],
    ["\r", "\\r"],
    ["\n", "\\n"],
    [":", "\\c"],
  ]),
  "1.1": new Map([
    ["\\", "\\\\"],
    ["\n", "\\n"],
    [":", "\\c"],
  ]),
  "1.0": new Map([["\n", " "]]),
};

const UNESCAPES: Record<"1.1" | "1.2", ReadonlyMap<string, string>> = {
  "1.2": new Map([
    ["\\\\", "\\"],
    ["\\r", "\r"],
    ["\\n", "\n"],
    ["\\c", ":"],
  ]),
  "1.1": new Map([
    ["\\\\", "\\"],
    ["\\n", "\n"],
    ["\\c", ":"],
  ]),
};

const SPECIAL = /[\\\r\n:]/;
const ALL_SPECIAL = /[\\\r\n:]/g;

function escapeHeader(text: string, escaping: Escaping): string {
  if (!SPECIAL.test(text)) return text;
  const escapes = ESCAPES[escaping];
  return text.replace(ALL_SPECIAL, (char) => escapes.get(char) ?? char);
}

/** Undoes the escapes of a header name or value. Throws FrameError for one that the version does not define. */
export function unescapeHeader(text: string, escaping: Escaping): string {
  if (escaping === "1.0" || !text.includes("\\")) return text;
  const escapes = UNESCAPES[escaping];
  return text.replace(/\\[\s\S]?/g, (sequence) => {
    const char = escapes.get(sequence);
    if (char === undefined) throw new FrameError("A header contains an escape sequence that this STOMP version does not define");
    return char;
  });
}
