import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";

const ACKNOWLEDGEMENT = Buffer.from("800000", "hex");

/**
 * A cash register on a socket, written independently of the relay's codec: bytes as hexadecimal
 * text, one frame each.
 */
export class Register {
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);
  #closed = false;
  #wake = (): void => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#closed = true;
      this.#wake();
    });
  }

  static async connect(port: number, host = "127.0.0.1", localAddress?: string): Promise<Register> {
    const socket = connect({ port, host, ...(localAddress === undefined ? {} : { localAddress }) });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", () => resolve());
      socket.once("error", reject);
    });
    return new Register(socket);
  }

  send(hex: string): void {
    this.#socket.write(Buffer.from(hex.replaceAll(" ", ""), "hex"));
  }

  /** Returns the next frame as hexadecimal text, or null if the connection was closed. */
  async next(): Promise<string | null> {
    for (;;) {
      const [, , length = 0] = this.#bytes;
      const isLong = length === 0xff;
      const head = isLong ? 5 : 3;
      if (this.#bytes.length >= head) {
        const end = head + (isLong ? this.#bytes.readUInt16LE(3) : length);
        if (this.#bytes.length >= end) {
          const frame = this.#bytes.subarray(0, end).toString("hex");
          this.#bytes = this.#bytes.subarray(end);
          return frame;
        }
      }
      if (this.#closed) return null;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /**
   * Sends a command, reads its acknowledgement and all frames up to the final one, and acknowledges
   * each.
   */
  async command(hex: string, acknowledges: (frame: string) => boolean = () => true): Promise<(string | null)[]> {
    this.send(hex);
    const answer = await this.next();
    return answer === "800000" ? [answer, ...(await this.end(acknowledges))] : [answer];
  }

  /**
   * Reads the frames after the acknowledgement of a command up to the final one, and acknowledges
   * each.
   */
  async end(acknowledges: (frame: string) => boolean = () => true): Promise<(string | null)[]> {
    const frames: (string | null)[] = [];
    for (;;) {
      const frame = await this.next();
      frames.push(frame);
      if (frame === null) return frames;
      if (!acknowledges(frame)) return frames;
      this.#socket.write(ACKNOWLEDGEMENT);
      if (frame.startsWith("060f") || frame.startsWith("061e")) return frames;
    }
  }

  /** Sends a 06-01 for this amount, in the Rust client's form. */
  async pay(amountCents: number, acknowledges?: (frame: string) => boolean): Promise<(string | null)[]> {
    return this.command(payment(amountCents), acknowledges);
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

export function payment(amountCents: number): string {
  return `06010a04${String(amountCents).padStart(12, "0")}490978`;
}

/** Returns the frame of this kind (its first four digits), which has to exist. */
export function frameOf(frames: readonly (string | null)[], kind: string): string {
  const found = frames.find((frame) => frame?.startsWith(kind));
  assert.ok(found, `${kind} is not among ${JSON.stringify(frames)}`);
  return found;
}
