/** Posts to addresses that merchants and partners choose. */
export interface PostTarget {
  /**
   * Makes one attempt. It does not reject for anything that the address does, and the reason
   * contains no secret. `answer` has at most `answerBytesMax` bytes.
   */
  post(url: string, body: string, headers: { readonly [name: string]: string }, answerBytesMax: number): Promise<PostOutcome>;
}

export type PostOutcome =
  | { readonly type: "answered"; readonly status: number; readonly answer: string; readonly durationMs: number }
  | { readonly type: "failed"; readonly reason: string; readonly durationMs: number };
