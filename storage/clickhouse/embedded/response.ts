import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, deflate, gzip } from "node:zlib";
import { DISPLAY_NAME } from "./access.ts";
import { inBlocks } from "./block-compression.ts";
import { ClickHouseError } from "./clickhouse-error.ts";
import type { QueryAnswer } from "./engine.ts";
import { lz4Frame } from "./lz4-frame.ts";
import type { HttpEncoding, RequestOptions } from "./request.ts";

const COMPRESS_FROM_BYTES = 1_024;

const CONTENT_TYPES: readonly (readonly [RegExp, string])[] = [
  [/^JSON.*EachRow/i, "application/x-ndjson; charset=UTF-8"],
  [/^JSON/i, "application/json; charset=UTF-8"],
  [/^CSV/i, "text/csv; charset=UTF-8"],
  [/^(TSV|TabSeparated)/i, "text/tab-separated-values; charset=UTF-8"],
  [/^XML/i, "application/xml; charset=UTF-8"],
  [/^(Native|RowBinary|Parquet|Arrow|ORC|Avro|Protobuf|MsgPack)/i, "application/octet-stream"],
];

/** Sends what a query answered, as its client asked for it. */
export async function sendAnswer(response: ServerResponse, answer: QueryAnswer, options: RequestOptions): Promise<void> {
  const { format } = answer;
  response.setHeader("X-ClickHouse-Summary", JSON.stringify(summaryOf(answer)));
  response.setHeader("X-ClickHouse-Format", headerText(format));
  response.setHeader("X-ClickHouse-Timezone", headerText(options.settings.get("session_timezone") || "UTC"));
  response.setHeader("Content-Type", CONTENT_TYPES.find(([name]) => name.test(format))?.[1] ?? "text/plain; charset=UTF-8");
  let bytes = options.blocks === null ? answer.bytes : await inBlocks(answer.bytes, options.blocks);
  // Java's client reads LZ4 without a look at the header, once it has asked for it.
  if (options.encoding !== null && (bytes.length >= COMPRESS_FROM_BYTES || options.encoding === "lz4")) {
    response.setHeader("Content-Encoding", options.encoding);
    bytes = await COMPRESS[options.encoding](bytes);
  }
  response.setHeader("Content-Length", bytes.length);
  response.writeHead(200);
  response.end(bytes);
}

/** Headers of every response to a query, also of an error. */
export function setQueryHeaders(response: ServerResponse, queryId: string): void {
  response.setHeader("X-ClickHouse-Server-Display-Name", DISPLAY_NAME);
  response.setHeader("X-ClickHouse-Query-Id", headerText(queryId));
}

/** Java's client reads the text of these as it reads an answer, and that of others as it is. */
const LIKE_ANSWERS = new Set([400, 404, 500]);

export async function sendError(
  response: ServerResponse,
  error: unknown,
  { blocks, encoding }: Pick<RequestOptions, "blocks" | "encoding">,
): Promise<void> {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const known = error instanceof ClickHouseError ? error : new ClickHouseError(1001, "STD_EXCEPTION", "Internal error", 500);
  response.setHeader("X-ClickHouse-Exception-Code", String(known.clickHouseCode));
  if (known.httpStatus === 401) response.setHeader("WWW-Authenticate", 'Basic realm="ClickHouse"');
  if (known.httpStatus === 429 || known.httpStatus === 503) response.setHeader("Retry-After", "5");
  // The rest of a refused body is not read.
  if (known.httpStatus === 413) response.setHeader("Connection", "close");
  const text = Buffer.from(`${known.message}\n`);
  let bytes = blocks === null ? text : await inBlocks(text, blocks);
  if (encoding === "lz4" && LIKE_ANSWERS.has(known.httpStatus)) {
    response.setHeader("Content-Encoding", encoding);
    bytes = lz4Frame(bytes);
  }
  sendText(response, known.httpStatus, bytes);
}

export function sendText(response: ServerResponse, status: number, body: string | Uint8Array): void {
  response.writeHead(status, { "Content-Type": "text/plain; charset=UTF-8" });
  response.end(body);
}

const COMPRESS: Record<HttpEncoding, (bytes: Uint8Array) => Promise<Uint8Array>> = {
  gzip: (bytes) => promisify(gzip)(bytes, { level: 1 }),
  deflate: (bytes) => promisify(deflate)(bytes, { level: 1 }),
  br: (bytes) => promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  lz4: async (bytes) => lz4Frame(bytes),
};

/** Numbers as ClickHouse writes them here: as text. The engine counts what a query returned and not what it read for that, so both are the same. */
function summaryOf(answer: QueryAnswer): Record<string, string> {
  const { resultRows, resultBytes, writtenRows, writtenBytes, elapsedSeconds } = answer;
  return {
    read_rows: String(resultRows),
    read_bytes: String(resultBytes),
    written_rows: String(writtenRows),
    written_bytes: String(writtenBytes),
    total_rows_to_read: "0",
    result_rows: String(resultRows),
    result_bytes: String(resultBytes),
    elapsed_ns: String(Math.round(elapsedSeconds * 1e9)),
  };
}

/** These header values come from requests: only printable ASCII is kept, and they are cut. */
function headerText(value: string): string {
  return value.replaceAll(/[^\x21-\x7e]/g, "").slice(0, 128);
}
