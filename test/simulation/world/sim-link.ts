import type { Socket, SocketListener, WebSocketMount } from "../../../http/server/websocket.ts";
import type { Random } from "../random.ts";
import type { Scheduler } from "./scheduler.ts";
import type { SimProcess } from "./sim-process.ts";

/** The server gives up a peer that answers no ping within a minute (infra/node/wiring/terminals/stomp-mount.ts), or when its network says so earlier. */
export const CUT_NOTICED_MS_MAX = 30_000;

export interface DeviceEnd {
  /** A WebSocket message came. */
  received(text: string): void;
  /** The connection is gone. */
  closed(): void;
}

export interface LinkOptions {
  scheduler: Scheduler;
  random: Random;
  server: SimProcess;
  device: DeviceEnd;
  /** A frame was certainly not written. */
  dropped(text: string): void;
}

/** A WebSocket between a device and a shard, with the network in between: in order, not at once, and at times cut without a word. */
export class SimLink implements Socket {
  readonly server: SimProcess;
  readonly #options: LinkOptions;
  #listener: SocketListener | null = null;
  #toDevice: string[] = [];
  #toServer: string[] = [];
  #deviceGone = false;
  #serverGone = false;
  #cut = false;
  #full = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.server = options.server;
  }

  /** The upgrade has come to the server. */
  open(mount: WebSocketMount): void {
    this.#listener = mount.open(this, { ipAddress: "10.0.0.1", authorization: "", userAgent: "", origin: "", protocol: "" });
  }

  get closed(): boolean {
    return this.#deviceGone;
  }

  send(data: string | Uint8Array): "sent" | "buffered" | "dropped" {
    const text = typeof data === "string" ? data : Buffer.from(data).toString();
    const { scheduler, random, device } = this.#options;
    if (this.#full && !this.#serverGone) this.terminate();
    if (this.#serverGone) {
      this.#options.dropped(text);
      return "dropped";
    }
    if (this.#cut) return "sent";
    this.#toDevice.push(text);
    scheduler.after(random.between(1, 15), null, () => {
      const next = this.#toDevice.shift();
      if (next !== undefined && !this.#deviceGone && !this.#cut) device.received(next);
    });
    return "sent";
  }

  bufferedBytes(): number {
    return 0;
  }

  ping(): void {}

  loggedIn(): void {}

  close(): void {
    this.#endFromServer(30);
  }

  terminate(): void {
    this.#endFromServer(2);
  }

  /** A message of the device. */
  post(text: string): void {
    if (this.#deviceGone || this.#cut) return;
    const { scheduler, random, server } = this.#options;
    this.#toServer.push(text);
    scheduler.after(random.between(1, 15), server, () => {
      const next = this.#toServer.shift();
      if (next !== undefined && !this.#serverGone && !this.#cut) this.#listener?.message(Buffer.from(next), false);
    });
  }

  /** The device ends it; the server hears of it soon. */
  hangUp(): void {
    if (this.#deviceGone) return;
    this.#deviceGone = true;
    const { scheduler, random, server } = this.#options;
    scheduler.after(random.between(1, 40), server, () => this.#serverHears());
  }

  /** Nothing comes through any more, in either direction, and nobody is told. */
  cut(): void {
    if (this.#cut || this.#deviceGone) return;
    this.#cut = true;
    const { scheduler, random, server } = this.#options;
    scheduler.after(random.between(2_000, 8_000), null, () => this.#deviceHears());
    scheduler.after(random.between(5_000, CUT_NOTICED_MS_MAX), server, () => this.#serverHears());
  }

  /** The device takes nothing any more: the next message of the server does not fit, and ends it. */
  fill(): void {
    this.#full = true;
  }

  /** The server's process has died. */
  broken(): void {
    this.#serverGone = true;
    const { scheduler, random } = this.#options;
    scheduler.after(random.between(1, 400), null, () => this.#deviceHears());
  }

  #endFromServer(ms: number): void {
    if (this.#serverGone) return;
    this.#serverGone = true;
    const { scheduler, random, server } = this.#options;
    scheduler.after(random.between(1, ms), null, () => this.#deviceHears());
    scheduler.after(random.between(1, ms), server, () => this.#listener?.closed());
  }

  #serverHears(): void {
    if (this.#serverGone) return;
    this.#serverGone = true;
    this.#listener?.closed();
  }

  #deviceHears(): void {
    if (this.#deviceGone) return;
    this.#deviceGone = true;
    this.#options.device.closed();
  }
}
