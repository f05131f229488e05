/** Posts to addresses that others chose. */
export interface PostTarget {
  /** One attempt. Does not reject for what the address does; the reason holds nothing secret. `answer` has at most `answerBytesMax` bytes. */
  post(url: string, body: string, headers: { readonly [name: string]: string }, answerBytesMax: number): Promise<PostOutcome>;
}

export type PostOutcome =
  | { readonly type: "answered"; readonly status: number; readonly answer: string; readonly durationMs: number }
  | { readonly type: "failed"; readonly reason: string; readonly durationMs: number };
