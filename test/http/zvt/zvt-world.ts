import assert from "node:assert/strict";
import type { ZvtReports } from "../../../engine/zvt/zvt-payments.ts";
import { RegisterConnection } from "../../../http/zvt/connection.ts";
import { bytesOf, hexOf } from "./bytes-of.ts";
import { FakePayments } from "./fake-payments.ts";
import { ManualTime, settled } from "./manual-time.ts";
import { WireLaw } from "./wire-law.ts";

/** A node's connections without sockets: registers write hexadecimal, and read the terminal's frames, one a write. */
export class ZvtWorld {
  readonly time = new ManualTime();
  readonly payments = new FakePayments(() => this.time.nowMs());
  hasJustSlept = false;
  /** Of the connections that are opened from now on. */
  keepsRefused = false;
  /** Refused frames of the connections that have closed. */
  readonly refusals: number[] = [];
  readonly refused: string[] = [];
  readonly raw: string[] = [];
  readonly counted: string[] = [];
  localTimeOf = () => ({ time: "102030", date: "1125" });
  readonly #connections = new Map<string, RegisterConnection>();
  #count = 0;

  readonly #reports: ZvtReports = {
    opened: () => {},
    closed: () => {},
    frame: (direction, command) => void this.counted.push(`${direction} ${command}`),
    refused: (reason) => void this.refused.push(reason),
    raw: (_connection, direction, text) => void this.raw.push(`${direction} ${text}`),
  };

  connect(): TestRegister {
    this.#count += 1;
    const register = new TestRegister();
    const connection = new RegisterConnection({ id: `c${this.#count}`, port: 40_007, address: "10.0.0.1" }, register, {
      ...{ payments: this.payments, clock: this.time, timers: this.time, version: "relay 1.0", logRawBytes: true },
      hasJustSlept: () => this.hasJustSlept,
      keepsRefused: this.keepsRefused,
      reports: {
        ...this.#reports,
        closed: (_of, _routeId, reason, refusals) => {
          this.refusals.push(refusals);
          register.closedFor(reason);
        },
      },
      localTimeOf: () => this.localTimeOf(),
      closeOther: (id) => this.#connections.get(id)?.step({ type: "replaced" }),
      forget: ({ of: { id } }) => this.#connections.delete(id),
    });
    register.attach(connection);
    if (!connection.isClosed) this.#connections.set(connection.of.id, connection);
    return register;
  }

  drain(): void {
    for (const connection of [...this.#connections.values()]) connection.step({ type: "draining" });
  }
}

/** The register's side of one connection. */
export class TestRegister {
  readonly law = new WireLaw();
  /** Why the connection was closed, or null while it is open. */
  closedBecause: string | null = null;
  ended = false;
  #connection: RegisterConnection | null = null;
  #received: string[] = [];
  #sent = Buffer.alloc(0);

  attach(connection: RegisterConnection): void {
    this.#connection = connection;
  }

  write(bytes: Uint8Array): void {
    assert.ok(!this.ended, "writes after the end");
    const hex = hexOf(bytes);
    this.#received.push(hex);
    this.law.terminal(hex, Number.parseInt(hex.slice(0, 5).replace(" ", ""), 16));
    this.onFrame?.(hex);
  }

  /** Called with each frame, within the terminal's write. */
  onFrame: ((hex: string) => void) | null = null;

  bufferedBytes(): number {
    return 0;
  }

  end(): void {
    this.ended = true;
  }

  closedFor(reason: string): void {
    this.closedBecause = reason;
  }

  /** Sends one frame, and returns what came until nothing more does. */
  async send(hex: string): Promise<string[]> {
    this.bytes(bytesOf(hex));
    await settled();
    return this.taken();
  }

  bytes(chunk: Uint8Array): void {
    if (this.ended) return;
    this.#sent = Buffer.concat([this.#sent, chunk]);
    this.#judge();
    this.#connection?.received(chunk);
  }

  /** Frames that are whole; those of a register are short. */
  #judge(): void {
    for (;;) {
      const length = 3 + (this.#sent[2] ?? Number.POSITIVE_INFINITY);
      if (this.#sent.length < length) return;
      this.law.register(hexOf(this.#sent.subarray(0, length)), this.#sent.readUInt16BE(0));
      this.#sent = this.#sent.subarray(length);
    }
  }

  /** What came since the last time. */
  taken(): string[] {
    const received = this.#received;
    this.#received = [];
    return received;
  }

  /** The register's socket goes away. */
  async drop(): Promise<void> {
    this.#connection?.step({ type: "closed", reason: "register" });
    await settled();
  }
}

export const ACK = "80 00 00";
export const PAY = "06 01 0A 04 00 00 00 00 12 34 49 09 78";
export const PAY_OTHER = "06 01 0A 04 00 00 00 00 12 35 49 09 78";
export const REGISTER = "06 00 06 12 34 56 86 09 78";
/** With intermediate status. */
export const REGISTER_WITH_STATUS = "06 00 06 12 34 56 DE 09 78";
export const ABORT = "06 B0 00";
export const ENQUIRY = "05 01 00";
export const COMPLETION = "06 0F 00";
export const PAID_STATUS =
  "04 0F 43 27 00 04 00 00 00 00 12 34 0B 00 00 17 0C 10 20 30 0D 11 25 19 70 22 F0 F8 67 99 EE EE EE EE 12 34 29 12 34 56 78 3B 31 32 33 34 35 36 00 00 49 09 78 87 00 42 8A 05 8B F0 F9 67 69 72 6F 63 61 72 64 00";
