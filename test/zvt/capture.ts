import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { ServerProcess } from "../support/node/server-process.ts";
import { eventually } from "../support/within.ts";

const run = promisify(execFile);

const READ_MS = 60_000;
const OUTPUT_BYTES_MAX = 16 * 1_048_576;

/** Everything that goes over one port of loopback, captured and decoded by tshark. */
export class Capture {
  readonly #port: number;
  readonly #file: string;
  readonly #tshark: ServerProcess;

  private constructor(port: number, file: string, tshark: ServerProcess) {
    this.#port = port;
    this.#file = file;
    this.#tshark = tshark;
  }

  /** Resolves once packets are being written. */
  static async start(port: number, file: string): Promise<Capture> {
    const tshark = new ServerProcess("tshark", ["-q", "-i", "lo", "-f", `port ${port}`, "-w", file], `${file}.log`);
    await tshark.start();
    const capture = new Capture(port, file, tshark);
    await capture.#flushed();
    return capture;
  }

  stop(): Promise<void> {
    return this.#tshark.terminate();
  }

  /** One line for each packet that the filter takes: these fields of it, or all that tshark prints. To be asked after `stop`. */
  async packets(filter: string, fields: readonly string[] = []): Promise<string[]> {
    const shown = fields.length === 0 ? [] : ["-T", "fields", ...fields.flatMap((field) => ["-e", field])];
    const args = ["-r", this.#file, "-d", `tcp.port==${this.#port},zvt`, "-Y", filter, ...shown];
    const { stdout } = await run("tshark", args, { timeout: READ_MS, maxBuffer: OUTPUT_BYTES_MAX });
    return stdout.split("\n").filter((line) => line !== "");
  }

  /** Stops when what was sent so far is in the file. */
  async finish(): Promise<void> {
    await this.#flushed();
    await this.stop();
  }

  /** Packets are written in their order: what came before a datagram, which nobody receives, is in the file when the datagram is. */
  async #flushed(): Promise<void> {
    const marker = `marker ${randomUUID()}`;
    const socket = createSocket("udp4");
    try {
      await eventually(async () => {
        socket.send(marker, this.#port, "127.0.0.1");
        assert.ok((await readFile(this.#file)).includes(marker), "tshark has not written it");
      });
    } finally {
      socket.close();
    }
  }
}
