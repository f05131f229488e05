/** What a child of the test runner reports, a line of JSON each. */
export type ChildLine =
  | ({ readonly type: "passed" | "todo" } & Where)
  | ({ readonly type: "skipped" | "failed"; readonly reason: string } & Where)
  | { readonly type: "root"; readonly file: string; readonly seconds: number }
  | { readonly type: "processor"; readonly seconds: number };

export interface Where {
  readonly file: string;
  readonly line: number;
  /** Names of the suites around the test, and its own. */
  readonly path: readonly string[];
}
