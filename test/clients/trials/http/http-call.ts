/** A request that a client is to send with its own library; the programs get a list of them as JSON on their standard input, and send them on one session. */
export interface HttpCall {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: { readonly [name: string]: string };
  /** "" for none. */
  readonly body: string;
  /** Wait for `100 Continue` before the body is sent, by the library's own means. */
  readonly expect: boolean;
  /** The same again, one after the other, until the answer is 429; the last answer counts. */
  readonly times: number;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string };
  readonly text: string;
}

/** As the status, where the client took nothing for an answer; the text says why. */
export const NO_ANSWER = 0;

/** Sends calls one after the other with one client, which may keep its connections. */
export type Sender = (calls: readonly HttpCall[]) => Promise<readonly HttpAnswer[]>;
