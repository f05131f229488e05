/** A call that counts for durability, with the lines of the trace on which it began and ended. */
export interface SystemCall {
  type: "write" | "sync" | "send";
  /** The file, or `socket:[...]`. */
  file: string;
  /** What was written or sent, quotes unescaped; empty for a sync. */
  text: string;
  began: number;
  ended: number;
}

const WHOLE = /^(\d+) +(?:[\d.]+ )?(\w+)\((.*)\) += (\S+)/s;
const BEGUN = /^(\d+) +(?:[\d.]+ )?(\w+)\((.*) <unfinished \.\.\.>$/s;
const RESUMED = /^(\d+) +(?:[\d.]+ )?<\.\.\. (\w+) resumed>(.*)\) += (\S+)/s;
const SENDS = new Set(["sendto", "sendmsg"]);
const SYNCS = new Set(["fdatasync", "fsync"]);

/** Reads the output of `strace -f -y`; failed calls are left out, and what is of no interest here. */
export function readSystemCalls(trace: string): SystemCall[] {
  const calls: SystemCall[] = [];
  const unfinished = new Map<string, { parameters: string; began: number }>();
  const ended = (name: string, parameters: string, result: string, began: number, line: number): void => {
    if (result.startsWith("-") || result === "?") return;
    const call = callOf(name, parameters, began, line);
    if (call !== null) calls.push(call);
  };
  trace.split("\n").forEach((text, line) => {
    const begun = BEGUN.exec(text);
    if (begun !== null) {
      unfinished.set(`${begun[1]} ${begun[2]}`, { parameters: begun[3] ?? "", began: line });
      return;
    }
    const resumed = RESUMED.exec(text);
    if (resumed !== null) {
      const key = `${resumed[1]} ${resumed[2]}`;
      const first = unfinished.get(key);
      unfinished.delete(key);
      if (first !== undefined) ended(resumed[2] ?? "", first.parameters + (resumed[3] ?? ""), resumed[4] ?? "", first.began, line);
      return;
    }
    const whole = WHOLE.exec(text);
    if (whole !== null) ended(whole[2] ?? "", whole[3] ?? "", whole[4] ?? "", line, line);
  });
  return calls;
}

function callOf(name: string, parameters: string, began: number, ended: number): SystemCall | null {
  const file = /^\d+<(.*?)>/.exec(parameters)?.[1];
  if (file === undefined) return null;
  const isSocket = /^(socket|TCP|TCPv6):/.test(file);
  const type = SYNCS.has(name)
    ? "sync"
    : SENDS.has(name) || (isSocket && /^writev?$/.test(name))
      ? "send"
      : name === "write"
        ? "write"
        : null;
  return type === null ? null : { type, file, text: parameters.replaceAll('\\"', '"'), began, ended };
}
