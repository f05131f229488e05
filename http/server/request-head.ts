import { RelayError } from "../../engine/kernel/errors.ts";
import type { HttpRequest } from "./uws.ts";

/**
 * A request has one line of each: of two, uWebSockets reads the first and a proxy may read the last, and they disagree on whom the request is for, or on
 * where it ends and the next one begins.
 */
const SINGLE = [
  ["host", "Host"],
  ["content-length", "Content-Length"],
  ["transfer-encoding", "Transfer-Encoding"],
] as const;

/**
 * The headers of a request, copied in one pass over them: `getHeader` of uWebSockets tells only the first line of a name, and costs nearly as
 * much as one line of the pass. One of these serves all requests of a thread, one after the other; what it says holds until the next `read`.
 */
export class RequestHead {
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #count = 0;
  /** One bit for each length of a name, modulo 32: most names that are asked for are absent. */
  #lengths = 0;
  /** Valid only while the request is being read; null before the first one. */
  #req: HttpRequest | null = null;
  #url = "";
  #query: string | undefined;
  readonly #keep = (name: string, value: string): void => {
    const at = this.#count++;
    this.#names[at] = name;
    this.#values[at] = value;
    this.#lengths |= 1 << name.length;
  };

  /** uWebSockets takes at most 100 headers. */
  read(req: HttpRequest): void {
    this.#count = 0;
    this.#lengths = 0;
    this.#req = req;
    this.#url = req.getUrl();
    // In spite of its type, undefined for a URL without a question mark.
    this.#query = req.getQuery();
    req.forEach(this.#keep);
  }

  getUrl(): string {
    return this.#url;
  }

  /** Undefined for a URL without a question mark. */
  getQuery(): string | undefined {
    return this.#query;
  }

  /** The first line of this name, in lower case; empty if there is none. */
  getHeader(name: string): string {
    return this.#values[this.#find(name, 0)] ?? "";
  }

  /**
   * The same for a text that may be more than ASCII: each byte is one character (ISO 8859-1), as `headerText` wants it. The pass reads UTF-8 and loses what
   * is none.
   */
  getText(name: string): string {
    return this.has(name) ? (this.#req?.getHeader(name) ?? "") : "";
  }

  /** Whether there is such a line; its value may be empty. */
  has(name: string): boolean {
    return this.#find(name, 0) !== -1;
  }

  /** Every line of this name in the order in which they came, joined by commas; empty if there is none. */
  allOf(name: string): string {
    let at = this.#find(name, 0);
    let joined = this.#values[at] ?? "";
    while (at !== -1) {
      at = this.#find(name, at + 1);
      if (at !== -1) joined += `,${this.#values[at]}`;
    }
    return joined;
  }

  /** Every line in the order in which they came; names in lower case. */
  forEach(take: (name: string, value: string) => void): void {
    for (let at = 0; at < this.#count; at += 1) take(this.#names[at] ?? "", this.#values[at] ?? "");
  }

  /** Why the request can be read in two ways, as an error for its sender; null where it cannot. Its connection has to end, too. */
  ambiguity(): RelayError | null {
    for (const [name, title] of SINGLE) {
      const first = this.#find(name, 0);
      if (first === -1) continue;
      if (this.#find(name, first + 1) !== -1) return new RelayError("invalid_request", `${title}: there are several; send one`);
      // uWebSockets reads an empty length as none.
      if (name === "content-length" && this.#values[first] === "") return new RelayError("invalid_request", `${title}: has no value`);
    }
    return null;
  }

  #find(name: string, from: number): number {
    const { length } = name;
    if ((this.#lengths & (1 << length)) === 0) return -1;
    const names = this.#names;
    for (let at = from; at < this.#count; at += 1) if (names[at] === name) return at;
    return -1;
  }
}
