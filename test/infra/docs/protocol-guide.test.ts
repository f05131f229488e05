import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { SESSIONS_PER_TERMINAL_MAX } from "../../../engine/kernel/limits.ts";
import { PAYMENT_SERVICES } from "../../../engine/payments/command.ts";
import { methodOfService } from "../../../engine/payments/payment-request.ts";
import { readResult, toTransaction } from "../../../engine/payments/result.ts";
import * as limits from "../../../http/stomp/limits.ts";

const GUIDE = readFileSync("http/stomp/PROTOCOL.md", "utf8");

/** The text below a heading, up to the next one of any level. */
function below(heading: string): string {
  const [, text] = new RegExp(`^#+ ${heading}\\n([\\s\\S]*?)(?=^#+ |(?![\\s\\S]))`, "m").exec(GUIDE) ?? [];
  return text ?? assert.fail(`there is no ${heading}`);
}

const RESULTS = below("What a result is");
const EXAMPLES = [...RESULTS.matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = ""]): { [member: string]: unknown } => JSON.parse(text));
/** Names in the first column of the tables. */
const NAMED = RESULTS.split("\n").flatMap((line) =>
  [...(/^\| (`[^|]*)\|/.exec(line)?.[1] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
);

test("each example of a result is read as the page says", () => {
  assert.ok(EXAMPLES.length >= 7);
  for (const example of EXAMPLES) {
    const read = readResult(example);
    assert.ok(read.type === "read", JSON.stringify(read));
    const { amount, currency, type, service } = example;
    const transaction = toTransaction(read.result, { terminalId: "T1", createdAtMs: 0, command: null });
    assert.equal(transaction.method, type === "RECEIPT" ? "RECEIPT" : methodOfService(String(service)));
    assert.deepEqual([transaction.amountCents, transaction.currency], [amount ?? 0, currency ?? "EUR"]);
    assert.equal(transaction.status, example["result"]);
    for (const object of ["satispay", "voucher", "receipt"] as const) assert.deepEqual(transaction[object], example[object]);
  }
});

test("the page says of every service what its result is, and explains every member of its examples", () => {
  for (const service of [...PAYMENT_SERVICES, "SCAN", "PRINT", "CANCEL", "FORCE_UPDATE", "CONFIG"])
    assert.ok(NAMED.includes(service), service);
  const members = new Set(EXAMPLES.flatMap((example) => Object.keys(example)));
  assert.deepEqual(
    [...members].filter((member) => !NAMED.includes(member)),
    [],
  );
});

test("the page names the limits that hold, and a WebSocket message has one", () => {
  const rows = new Map(
    below("Limits")
      .split("\n")
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .map(([, what = "", limit = ""]) => [what, limit]),
  );
  const bytes = (limit: number) => `${limit.toLocaleString("en-US")} bytes`;
  assert.equal(rows.get("WebSocket message"), bytes(limits.WEBSOCKET_MESSAGE_BYTES_MAX));
  assert.equal(rows.get("body of a SEND"), bytes(limits.CLIENT_FRAME_LIMITS.bodyBytesMax));
  assert.equal(rows.get("sent to the terminal and not read by it"), bytes(limits.SOCKET_BUFFER_BYTES_MAX));
  assert.equal(rows.get("sessions of one terminal"), String(SESSIONS_PER_TERMINAL_MAX));
  assert.deepEqual(GUIDE.split("\n").filter((line) => /WebSocket message/.test(line) && /\d{3} bytes/.test(line)).length, 1);
});
