/** Codes of ClickHouse that this server itself uses. */
export const CLICKHOUSE_CODE = {
  unknownSetting: 115,
  badArguments: 36,
  syntaxError: 62,
  readonly: 164,
  tooManyQueries: 202,
  tooSlow: 160,
  queryIsTooLarge: 223,
  accessDenied: 497,
  authenticationFailed: 516,
  aborted: 236,
  memoryLimitExceeded: 241,
  notImplemented: 48,
  sessionNotFound: 372,
  settingConstraintViolation: 452,
} as const;

/** An error for a client, in ClickHouse's own form. */
export class ClickHouseError extends Error {
  readonly clickHouseCode: number;
  readonly httpStatus: number;

  constructor(clickHouseCode: number, name: string, text: string, httpStatus: number) {
    super(`Code: ${clickHouseCode}. DB::Exception: ${text} (${name})`);
    this.name = "ClickHouseError";
    this.clickHouseCode = clickHouseCode;
    this.httpStatus = httpStatus;
  }
}

const BAD_REQUEST = new Set([
  6, 7, 8, 16, 20, 26, 27, 36, 38, 41, 42, 43, 44, 46, 47, 53, 62, 63, 69, 70, 72, 73, 80, 115, 117, 130, 131, 153, 179, 184, 215, 321, 349,
  395, 456, 457, 568,
]);
const NOT_FOUND = new Set([60, 81, 82]);

/** The HTTP status that ClickHouse answers an error with. */
function statusOf(code: number): number {
  if (BAD_REQUEST.has(code)) return 400;
  if (NOT_FOUND.has(code)) return 404;
  if (code === CLICKHOUSE_CODE.readonly || code === CLICKHOUSE_CODE.accessDenied) return 403;
  if (code === 159) return 408;
  if (code === CLICKHOUSE_CODE.notImplemented) return 501;
  return 500;
}

/** Converts an error of the engine into one for a client; `hidden` (the data directory) is removed from the text. */
export function engineError(error: unknown, hidden: string): ClickHouseError {
  const text = error instanceof Error ? error.message : String(error);
  const code = Number(/Code: (\d+)/.exec(text)?.[1] ?? 1001);
  const name = /\(([A-Z][A-Z0-9_]+)\)\s*$/.exec(text)?.[1] ?? "UNKNOWN_EXCEPTION";
  const plain = text
    .replaceAll(/Code: \d+\. DB::Exception: /g, "")
    // Added by the check of an analyst's query; it would show the query a second time.
    .replace(/: In scope SELECT formatQuerySingleLine\([\s\S]*$/, "")
    .replace(/\s*\([A-Z][A-Z0-9_]+\)\s*$/, "")
    .replaceAll(hidden, "<data>")
    .trim();
  return new ClickHouseError(code, name, plain, statusOf(code));
}
