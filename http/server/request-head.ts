import { RelayError } from "../../engine/kernel/errors.ts";
import type { HttpRequest } from "./uws.ts";

/**
 * Of the request line and the headers together: what uWebSockets itself takes by default. It takes more here (`LIBRARY_HEAD_BYTES_MAX` of uws.ts), so that a client
 * that is somewhat over it is told in the form of all other errors.
 */
export const HEAD_BYTES_MAX = 4_096;
/** Colon, space and line end, as nearly every client writes them. */
const LINE_REST = ": \r\n".length;
const REQUEST_LINE_REST = "GET  HTTP/1.1\r\n\r\n".length;

/**
 * The headers of a request. `getHeader` of uWebSockets tells only the first line of a name; so all lines are passed over once, which also takes those
 * that nearly every request is asked for. One of these serves all requests of a thread, one after the other; what it says holds until the next `read`.
 */
export class RequestHead {
  /** Valid only while the request is being read; null before the first one. */
  #req: HttpRequest | null = null;
  /** One bit for each length of a name, modulo 32: most names that are asked for are absent. */
  #nameLengths = 0;
  #hosts = 0;
  #contentLengths = 0;
  #transferEncodings = 0;
  #isCodedOtherwise = false;
  #lengthIsEmpty = false;
  #requestId = "";
  #origin = "";
  #contentLength = "";
  #expect = "";
  #apiKey = "";
  #authorization = "";
  #contentType = "";
  #acceptEncoding = "";
  #fetchSite = "";
  #forwardedLines = 0;
  #forwardedFor = "";
  /** Of all header lines. */
  #linesLength = 0;

  /** By length first: comparing each name with each of these would cost more than the pass. */
  readonly #take = (name: string, value: string): void => {
    this.#nameLengths |= 1 << name.length;
    this.#linesLength += name.length + value.length + LINE_REST;
    switch (name.length) {
      case 4:
        if (name === "host") this.#hosts += 1;
        break;
      case 6:
        if (name === "origin") this.#origin ||= value;
        else if (name === "expect") this.#expect ||= value;
        break;
      case 7:
        if (name === "api-key") this.#apiKey ||= value;
        break;
      case 12:
        if (name === "content-type") this.#contentType ||= value;
        else if (name === "x-request-id") this.#requestId ||= value;
        break;
      case 13:
        if (name === "authorization") this.#authorization ||= value;
        break;
      case 14:
        if (name === "content-length") this.#takeLength(value);
        else if (name === "sec-fetch-site") this.#fetchSite ||= value;
        break;
      case 15:
        if (name === "x-forwarded-for") this.#takeForwarded(value);
        else if (name === "accept-encoding")
          this.#acceptEncoding = this.#acceptEncoding === "" ? value : `${this.#acceptEncoding},${value}`;
        break;
      case 17:
        if (name === "transfer-encoding") this.#takeCoding(value);
    }
  };

  read(req: HttpRequest): void {
    this.#req = req;
    this.#nameLengths = 0;
    this.#hosts = 0;
    this.#contentLengths = 0;
    this.#transferEncodings = 0;
    this.#isCodedOtherwise = false;
    this.#lengthIsEmpty = false;
    this.#requestId = "";
    this.#origin = "";
    this.#contentLength = "";
    this.#expect = "";
    this.#apiKey = "";
    this.#authorization = "";
    this.#contentType = "";
    this.#acceptEncoding = "";
    this.#fetchSite = "";
    this.#forwardedLines = 0;
    this.#forwardedFor = "";
    this.#linesLength = 0;
    req.forEach(this.#take);
  }

  getUrl(): string {
    return this.#request().getUrl();
  }

  /** Undefined for a URL without a question mark, in spite of uWebSockets' type. */
  getQuery(): string | undefined {
    return this.#request().getQuery();
  }

  /** Every line of `X-Forwarded-For` in the order in which they came, joined by commas; empty if there is none. */
  get forwardedFor(): string {
    return this.#forwardedFor;
  }

  /** Every line of `Accept-Encoding`, joined by commas; empty if there is none. */
  get acceptEncoding(): string {
    return this.#acceptEncoding;
  }

  /** The first line of this name (in lower case) that has a value; empty if there is none. */
  getHeader(name: string): string {
    switch (name) {
      case "x-request-id":
        return this.#requestId;
      case "origin":
        return this.#origin;
      case "content-length":
        return this.#contentLength;
      case "expect":
        return this.#expect;
      case "api-key":
        return this.#apiKey;
      case "authorization":
        return this.#authorization;
      case "content-type":
        return this.#contentType;
      case "sec-fetch-site":
        return this.#fetchSite;
      default:
        return this.getText(name);
    }
  }

  /**
   * The first line of this name, each byte as one character (ISO 8859-1), as `headerText` wants it: the pass reads UTF-8, and loses what is none. Empty also
   * for a value that uWebSockets cannot read.
   */
  getText(name: string): string {
    return (this.#nameLengths & (1 << name.length)) === 0 ? "" : this.#request().getHeader(name);
  }

  /** Every line of this name that has a value, joined by `separator`; empty if there is none. */
  getLines(name: string, separator: string): string {
    if ((this.#nameLengths & (1 << name.length)) === 0) return "";
    const lines: string[] = [];
    this.forEach((other, value) => {
      if (other === name && value !== "") lines.push(value);
    });
    return lines.join(separator);
  }

  /** Every line in the order in which they came; names in lower case. */
  forEach(take: (name: string, value: string) => void): void {
    this.#request().forEach(take);
  }

  /** Why nothing of the request is looked at and its connection has to end, as an error for its sender; null where it may be served. */
  refusal(): RelayError | null {
    return this.#ambiguity() ?? this.#excess();
  }

  /**
   * Why the request can be read in two ways. Of two lines uWebSockets reads the first and a proxy may read the last, and they disagree on whom the request is
   * for, or on where it ends and the next one begins.
   */
  #ambiguity(): RelayError | null {
    if (this.#hosts > 1) return several("Host");
    if (this.#contentLengths > 1) return several("Content-Length");
    if (this.#transferEncodings > 1) return several("Transfer-Encoding");
    // uWebSockets reads chunks, whatever the coding is called.
    if (this.#isCodedOtherwise) return new RelayError("invalid_request", "Transfer-Encoding: only chunked is supported");
    // uWebSockets reads an empty length as none.
    return this.#lengthIsEmpty ? new RelayError("invalid_request", "Content-Length: has no value") : null;
  }

  #excess(): RelayError | null {
    const query = this.getQuery();
    const length = this.getUrl().length + (query === undefined ? 0 : query.length + 1) + REQUEST_LINE_REST + this.#linesLength;
    if (length <= HEAD_BYTES_MAX) return null;
    return new RelayError("head_too_large", `The request line and the headers together may have at most ${HEAD_BYTES_MAX} bytes.`);
  }

  #takeLength(value: string): void {
    this.#contentLengths += 1;
    this.#contentLength ||= value;
    this.#lengthIsEmpty ||= value === "";
  }

  #takeCoding(value: string): void {
    this.#transferEncodings += 1;
    if (value.toLowerCase() !== "chunked") this.#isCodedOtherwise = true;
  }

  #takeForwarded(value: string): void {
    this.#forwardedLines += 1;
    this.#forwardedFor = this.#forwardedLines === 1 ? value : `${this.#forwardedFor},${value}`;
  }

  #request(): HttpRequest {
    if (this.#req === null) throw new Error("no request was read");
    return this.#req;
  }
}

function several(name: string): RelayError {
  return new RelayError("invalid_request", `${name}: was sent more than once; send it once`);
}
