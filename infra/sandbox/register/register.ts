import { connect, type Socket } from "node:net";
import { type Apdu, authorization, pack, type Result, readResult, registration, unpack } from "./wire.ts";

export interface RegisterOptions {
  host: string;
  port: number;
  amountCents: number;
  /** ISO 4217 number, four digits. */
  currency: string;
  /** Six digits. */
  password: string;
  /** Whether the terminal is to tell what it does meanwhile (config bit 08). */
  statusFrames: boolean;
  /** 06-B0 after this time. */
  abortAfterMs?: number;
  /** How long the terminal may take, with no frame, before the register gives up. */
  waitMs: number;
  onLine(line: string): void;
}

/** `unknown`: the connection ended without a final frame. It may have been paid. */
export type Outcome =
  | { type: "paid"; result: Result | null; slip: string[] }
  | { type: "notPaid"; code: number; result: Result | null; slip: string[] }
  | { type: "busy" }
  | { type: "unknown"; why: string };

const ACKNOWLEDGEMENT = pack("8000");

/** Names for the lines of the dialogue. */
const NAMES: { readonly [command: string]: string } = {
  ...{ "0600": "register", "0601": "pay", "06B0": "abort", "060F": "done", "061E": "came to nothing", "040F": "result", "04FF": "at work" },
  ...{ "06D1": "slip line", "06D3": "slip", "8000": "acknowledged" },
};

/** Registers, pays once, and tells how it ended. It never pays a second time by itself: that is for the person at the register to decide. */
export async function payOnce(options: RegisterOptions): Promise<Outcome> {
  const line = await Line.open(options);
  try {
    line.send("0600", registration(options.password, options.statusFrames ? 0x8e : 0x86, options.currency));
    const registered = await line.answer();
    if (registered.type !== "done") return registered.type === "refused" ? { ...registered, type: "notPaid" } : registered;
    if (options.abortAfterMs !== undefined) line.sendLater("06B0", pack("06B0"), options.abortAfterMs);
    line.send("0601", authorization(options.amountCents, options.currency));
    const paid = await line.answer();
    if (paid.type === "done") return { type: "paid", result: paid.result, slip: paid.slip };
    return paid.type === "refused" ? { ...paid, type: "notPaid" } : paid;
  } finally {
    line.close();
  }
}

type Answer =
  | { type: "done"; result: Result | null; slip: string[] }
  | { type: "refused"; code: number; result: Result | null; slip: string[] }
  | { type: "busy" }
  | { type: "unknown"; why: string };

/** A connection to a terminal: frames come one after the other, and each is acknowledged. */
class Line {
  readonly #socket: Socket;
  readonly #options: RegisterOptions;
  #bytes: Buffer = Buffer.alloc(0);
  #ended: string | null = null;
  #wake = (): void => {};
  #later: NodeJS.Timeout | undefined;

  private constructor(socket: Socket, options: RegisterOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    socket.on("error", (error) => this.#end(error.message));
    socket.on("close", () => this.#end("the terminal closed the connection"));
  }

  static open(options: RegisterOptions): Promise<Line> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: options.host, port: options.port });
      socket.once("error", reject);
      socket.once("connect", () => {
        socket.off("error", reject);
        resolve(new Line(socket, options));
      });
    });
  }

  send(command: string, bytes: Buffer): void {
    this.#say(">", command, bytes);
    this.#socket.write(bytes);
  }

  sendLater(command: string, bytes: Buffer, afterMs: number): void {
    this.#later = setTimeout(() => this.send(command, bytes), afterMs);
  }

  close(): void {
    clearTimeout(this.#later);
    this.#socket.end();
  }

  /** To the final frame of a command. */
  async answer(): Promise<Answer> {
    let result: Result | null = null;
    const slip: string[] = [];
    for (;;) {
      const next = await this.#next();
      if (typeof next === "string") return { type: "unknown", why: next };
      const { command, data } = next;
      if (command === "84A0" || command === "849C") return { type: "busy" };
      if (command.startsWith("84")) return { type: "refused", code: data[0] ?? Number.parseInt(command.slice(2), 16), result, slip };
      if (command === "8000") continue;
      this.#socket.write(ACKNOWLEDGEMENT);
      if (command === "040F") result = readResult(data);
      if (command === "06D1") slip.push(data.toString("latin1", 1));
      if (command === "060F") return { type: "done", result, slip };
      if (command === "061E") return { type: "refused", code: data[0] ?? 0, result, slip };
    }
  }

  /** The next frame, or why there is none. */
  async #next(): Promise<Apdu | string> {
    const untilMs = performance.now() + this.#options.waitMs;
    for (;;) {
      const found = unpack(this.#bytes);
      if (found !== null) {
        const { apdu, rest } = found;
        this.#say("<", apdu.command, this.#bytes.subarray(0, this.#bytes.length - rest.length));
        this.#bytes = rest;
        return apdu;
      }
      if (this.#ended !== null) return this.#ended;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0) return "the terminal said nothing more";
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #end(why: string): void {
    this.#ended ??= why;
    this.#wake();
  }

  #say(direction: ">" | "<", command: string, bytes: Buffer): void {
    // The password of a registration is nobody's to read.
    const shown = command === "0600" ? "06 00 ..." : (bytes.toString("hex").toUpperCase().match(/../g)?.join(" ") ?? "");
    const name = NAMES[command] ?? (command.startsWith("84") ? "refused" : "");
    this.#options.onLine(`${direction} ${shown}${name === "" ? "" : `   ${name}`}`);
  }
}

/** One line for the person at the register. */
export function sentenceOf(outcome: Outcome): string {
  switch (outcome.type) {
    case "paid": {
      const { result } = outcome;
      const details =
        result === null
          ? []
          : [amountOf(result.amountCents), result.cardName, result.card, result.receiptNo && `receipt ${result.receiptNo}`];
      return `PAID ${details.filter((detail) => detail !== null && detail !== "").join(", ")}`.trim();
    }
    case "notPaid": {
      const text = outcome.result?.text ?? null;
      return `NOT PAID: result code ${outcome.code.toString(16).toUpperCase().padStart(2, "0")}${text === null ? "" : ` (${text})`}`;
    }
    case "busy":
      return "BUSY: another payment is under way, or the outcome of the last one is not known";
    case "unknown":
      return `UNKNOWN: ${outcome.why}. It may have been paid: look at the terminal before you take the money again`;
  }
}

function amountOf(amountCents: number | null): string | null {
  return amountCents === null ? null : (amountCents / 100).toFixed(2);
}
