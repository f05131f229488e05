const LEVELS: Readonly<Record<number, string>> = { 10: "trace", 20: "debug", 30: "info", 40: "warn", 50: "error", 60: "fatal" };

/** ANSI colours of the levels that a person should notice. */
const COLOURS: Readonly<Record<string, number>> = { warn: 33, error: 31, fatal: 31 };

/** Said in the line already: by its place, or by the message. */
const SHOWN: ReadonlySet<string> = new Set(["level", "time", "thread", "event", "msg", "err"]);

/**
 * A line of the log, which is JSON, as a person reads it on a terminal: time, level, thread, message, and the facts behind it. A stack follows on lines of its own.
 * Nothing in it controls the terminal.
 */
export function readableLine(json: string, { coloured }: { coloured: boolean }): string {
  const entry: { [member: string]: unknown } = JSON.parse(json);
  const level = LEVELS[Number(entry["level"])] ?? String(entry["level"]);
  const colour = coloured ? COLOURS[level] : undefined;
  const shownLevel = level.padEnd(5);
  const facts = Object.entries(entry).filter(([name, value]) => !SHOWN.has(name) && value !== null);
  const parts = [
    timeOf(String(entry["time"])),
    colour === undefined ? shownLevel : `\u001b[${colour}m${shownLevel}\u001b[0m`,
    ...(entry["thread"] === "main" ? [] : [`[${entry["thread"]}]`]),
    harmless(String(entry["msg"])),
    ...facts.map(([name, value]) => `${name}=${shown(value)}`),
  ];
  return `${parts.join(" ")}\n${stackOf(entry["err"])}`;
}

/** On the reader's own clock. */
function timeOf(iso: string): string {
  const time = new Date(iso);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}

/** A plain word as it is, everything else as JSON. */
function shown(value: unknown): string {
  if (typeof value === "string" && /^[\w./:@+-]+$/.test(value)) return value;
  return harmless(JSON.stringify(value));
}

function stackOf(error: unknown): string {
  if (typeof error !== "object" || error === null || !("stack" in error)) return "";
  const lines = String(error.stack).split("\n");
  return lines.map((line) => `  ${harmless(line)}\n`).join("");
}

/** Without control characters: what others have sent may be in a message. */
function harmless(text: string): string {
  return text.replace(/\p{Cc}/gu, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
