import { connect, type Socket } from "node:net";
import { authorization, pack, registration, unpack } from "../../infra/sandbox/register/wire.ts";

const ACKNOWLEDGEMENT = pack("8000");

/** Registers that print by themselves and get intermediate status. */
const CONFIG = 0x0e;
const EURO = "0978";

/** A cash register that does as little as possible: it acknowledges what comes, and tells of the end of each command. */
export class BenchRegister {
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);
  #ended: ((final: string) => void) | null = null;

  private constructor(socket: Socket, failed: (error: Error) => void) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.#read(chunk));
    socket.on("error", failed);
    socket.on("close", () => failed(new Error("the relay closed a register's connection")));
  }

  /** Connects and registers. */
  static async open(port: number, password: string, failed: (error: Error) => void): Promise<BenchRegister> {
    const socket = connect({ host: "127.0.0.1", port });
    const register = new BenchRegister(socket, failed);
    const final = await register.#command(registration(password, CONFIG, EURO));
    if (final !== "060F") throw new Error(`a registration ended with ${final}`);
    return register;
  }

  /** Writes 06-01 at once; resolves with the command that ended it. */
  pay(amountCents: number): Promise<string> {
    return this.#command(authorization(amountCents, EURO));
  }

  close(): void {
    this.#socket.removeAllListeners();
    this.#socket.on("error", () => {});
    this.#socket.destroy();
  }

  #command(frame: Buffer): Promise<string> {
    this.#socket.write(frame);
    return new Promise((resolve) => {
      this.#ended = resolve;
    });
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    for (let next = unpack(this.#bytes); next !== null; next = unpack(this.#bytes)) {
      this.#bytes = Buffer.from(next.rest);
      const { command } = next.apdu;
      if (command === "8000") continue;
      const isRefusal = command.startsWith("84");
      if (!isRefusal) this.#socket.write(ACKNOWLEDGEMENT);
      if (isRefusal || command === "060F" || command === "061E") this.#ended?.(command);
    }
  }
}
