import { RelayError } from "../../../engine/kernel/errors.ts";
import { StorageUnavailable } from "../../../engine/kernel/kv.ts";

/** Which service of the node's failed. `store` is Redis or LevelDB. */
export type Service = "store" | "clickhouse" | "kafka";

export interface FailureFacts {
  /** Of the innermost cause. */
  name: string;
  /** What happened, the causes behind it included: one line. */
  reason: string;
  /** The message of the innermost cause, its beginning: it is the same wherever a failure was noticed. */
  cause: string;
  /** Where in the program the innermost cause was made; null where that is not known. */
  madeAt: string | null;
  /** Of the system or of the service; null without one. */
  code: string | null;
  /** Host and port, where the error itself says them. */
  address: string | null;
  /** Null where the error does not tell. */
  service: Service | null;
  /** The program itself did something wrong: its stack is wanted. */
  isFault: boolean;
  /** Something is away, full or slow: where in the program that was noticed tells an operator nothing. */
  isOutage: boolean;
}

const CAUSES_MAX = 5;
const REASON_CHARACTERS_MAX = 300;

const CAUSE_CHARACTERS_MAX = 300;

/** What only the program itself does wrong; by name, which is left of an error that was made of another one. */
const FAULTS = new Set(["TypeError", "RangeError", "ReferenceError", "SyntaxError"]);

/** Of the system, when a connection, a name or a disk fails. */
const SYSTEM_CODE =
  /^E(?:CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|PIPE|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|HOSTDOWN|NETDOWN|ADDRNOTAVAIL|NOSPC|DQUOT|IO|ROFS|MFILE|NFILE)$/;

const SYSTEM_CODE_IN_TEXT = /\bE(?:CONNREFUSED|CONNRESET|TIMEDOUT|PIPE|NOTFOUND|HOSTUNREACH|NETUNREACH|NOSPC|IO|ROFS)\b/;

/** What an operator has to know of an error; nothing of it is what a request or a row said, unless its message is. */
export function failureFacts(error: unknown): FailureFacts {
  const chain = causesOf(error);
  const innermost = chain.at(-1);
  // What is made of errors of the system often keeps their text alone.
  const code = lastOf(chain, codeOf) ?? lastOf(chain, ({ message }) => SYSTEM_CODE_IN_TEXT.exec(message)?.[0] ?? null);
  const service = lastOf(chain, serviceOf);
  // The innermost: the platform's `fetch` makes a TypeError of a network that fails.
  const isFault = innermost !== undefined && FAULTS.has(innermost.name);
  return {
    name: innermost === undefined ? "unknown" : innermost.name,
    reason: reasonOf(chain, error),
    cause: (innermost === undefined ? String(error) : innermost.message).slice(0, CAUSE_CHARACTERS_MAX),
    madeAt: innermost === undefined ? null : madeAt(innermost),
    code,
    address: lastOf(chain, addressOf),
    service,
    isFault,
    isOutage: !isFault && (service !== null || (code !== null && SYSTEM_CODE.test(code)) || chain.some(isUnavailable)),
  };
}

/** Another thread or node, or a service that no error names. */
function isUnavailable(cause: Error): boolean {
  return cause instanceof RelayError && cause.code === "unavailable";
}

/** The error and what it was caused by, outermost first. Of several that were tried at once the first is taken: they are the addresses of one host. */
function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  let next: unknown = error;
  while (next instanceof Error && chain.length < CAUSES_MAX && !chain.includes(next)) {
    chain.push(next);
    next = next instanceof AggregateError ? next.errors[0] : next.cause;
  }
  return chain;
}

/** The first frame of its stack, which begins behind the message: that may have lines that look like one. */
function madeAt({ stack = "", message }: Error): string | null {
  const from = stack.indexOf(message);
  return from < 0 ? null : (/^ +at .{1,200}/m.exec(stack.slice(from + message.length))?.[0].trim() ?? null);
}

function reasonOf(chain: readonly Error[], error: unknown): string {
  const messages = chain.map(({ message }) => message).filter((message) => message !== "");
  // An outer message often repeats the inner one.
  const own = messages.filter((message, index) => !messages.slice(index + 1).some((inner) => message.endsWith(inner)) || index === 0);
  const text = chain.length === 0 ? String(error) : [...new Set(own)].join(": ");
  return text.replace(/\s+/g, " ").slice(0, REASON_CHARACTERS_MAX);
}

function lastOf<T>(chain: readonly Error[], read: (cause: Error) => T | null): T | null {
  let last: T | null = null;
  for (const cause of chain) last = read(cause) ?? last;
  return last;
}

/** Those of the relay's own errors are for its callers. */
function codeOf(cause: Error): string | null {
  if (cause instanceof RelayError) return null;
  return "code" in cause && (typeof cause.code === "string" || typeof cause.code === "number") ? String(cause.code) : null;
}

/** Of Node's errors `address` and `port`, of Kafka's `broker`, and of those that were made of such ones `address` alone. */
function addressOf(cause: Error): string | null {
  if ("broker" in cause && typeof cause.broker === "string") return cause.broker;
  if ("address" in cause && typeof cause.address === "string") {
    if (!("port" in cause)) return cause.address;
    return cause.address.includes(":") ? `[${cause.address}]:${String(cause.port)}` : `${cause.address}:${String(cause.port)}`;
  }
  return null;
}

function serviceOf(cause: Error): Service | null {
  if (cause instanceof StorageUnavailable || cause.name === "StorageUnavailable") return "store";
  if (cause.name.startsWith("KafkaJS")) return "kafka";
  return cause.name === "ClickHouseError" ? "clickhouse" : null;
}
