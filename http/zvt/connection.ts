import type { Clock } from "../../engine/kernel/clock.ts";
import type { Timer, Timers } from "../../engine/kernel/timers.ts";
import type { ZvtConnection, ZvtFollowing, ZvtPayment, ZvtPayments, ZvtReports } from "../../engine/zvt/zvt-payments.ts";
import { COMMANDS, commandName } from "./codes.ts";
import { describeFrame } from "./describe-frame.ts";
import { encodeFrame, type Frame, FrameReader } from "./frame.ts";
import * as limits from "./limits.ts";
import {
  deadlineOf,
  type Effect,
  mayGiveWay,
  openSession,
  type SessionEvent,
  type SessionOptions,
  type SessionState,
  type Step,
  stepSession,
} from "./session.ts";

/** Classes of commands that a register sends, and its acknowledgements. Other bytes are another protocol: HTTP, TLS, the serial framing of ZVT. */
const REGISTER_CLASSES: ReadonlySet<number> = new Set([0x05, 0x06, 0x08, 0x0f, 0x80, 0x84]);

/** What a connection needs of its socket. */
export interface RegisterSocket {
  /** One frame, in one piece. */
  write(bytes: Uint8Array): void;
  /** Bytes that are written and not yet taken by the register. */
  bufferedBytes(): number;
  /** Ends the connection after what was written. */
  end(): void;
}

export interface ConnectionDependencies extends SessionOptions {
  payments: ZvtPayments;
  reports: ZvtReports;
  clock: Clock;
  timers: Timers;
  logRawBytes: boolean;
  /** This process has just slept for longer than a register waits (stall-guard.ts). */
  hasJustSlept(): boolean;
  /** Another connection of this node, by its id: it is closed as `replaced`. */
  closeOther(connectionId: string): void;
  /** Called once, when it has closed. */
  forget(connection: RegisterConnection): void;
}

/** One register's connection: bytes in, the session's steps, and what comes of them. It knows no socket of Node. */
export class RegisterConnection {
  readonly of: ZvtConnection;
  readonly #socket: RegisterSocket;
  readonly #on: ConnectionDependencies;
  readonly #reader = new FrameReader({ dataBytesMax: limits.FRAME_DATA_BYTES_MAX, classes: REGISTER_CLASSES });
  #state: SessionState;
  #following: ZvtFollowing | null = null;
  #timer: Timer | null = null;
  #partialTimer: Timer | null = null;
  #closed = false;

  constructor(of: ZvtConnection, socket: RegisterSocket, on: ConnectionDependencies) {
    this.of = of;
    this.#socket = socket;
    this.#on = on;
    on.reports.opened(of);
    const opened = openSession(on.payments.route(of, null), this.#nowMs());
    this.#state = opened.state;
    this.#take(opened);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /** Null until a password tells which of several. */
  get routeId(): string | null {
    return this.#state.route?.routeId ?? null;
  }

  get mayGiveWay(): boolean {
    return !this.#closed && mayGiveWay(this.#state);
  }

  /** Bytes of the register; their memory belongs to the caller again when this returns. */
  received(chunk: Uint8Array): void {
    this.#reader.feed(chunk);
    for (let next = this.#reader.next(); next !== null && !this.#closed; next = this.#reader.next()) {
      this.#stopWatching();
      if (typeof next === "string") this.step({ type: "closed", reason: next });
      else {
        this.#report("in", next);
        // Its register, if it is still there, sends it again.
        const isStale = next.command === COMMANDS.authorization && this.#on.hasJustSlept();
        this.step(isStale ? { type: "closed", reason: "slept" } : { type: "frame", frame: next });
      }
    }
    this.#watchPartial();
  }

  step(event: SessionEvent): void {
    this.#take(this.#stepped(event));
  }

  /** A step that fails is a fault of the relay: the register is not left waiting for what will not come, and may ask again. */
  #stepped(event: SessionEvent): Step {
    try {
      return stepSession(this.#state, event, this.#nowMs(), this.#on);
    } catch (error) {
      if (event.type !== "closed") this.step({ type: "closed", reason: "failed" });
      throw error;
    }
  }

  #take({ state, effects }: Step): void {
    this.#state = state;
    for (const effect of effects) this.#perform(effect);
    // A session sends one frame at a time; this is a register that commands without end and reads nothing.
    if (!this.#closed && this.#socket.bufferedBytes() > limits.SOCKET_BUFFER_BYTES_MAX) {
      this.step({ type: "closed", reason: "reads_too_slowly" });
      return;
    }
    this.#timer?.clear();
    const deadlineMs = this.#closed ? null : deadlineOf(this.#state);
    this.#timer =
      deadlineMs === null ? null : this.#on.timers.set(Math.max(0, deadlineMs - this.#nowMs()), () => this.step({ type: "timedOut" }));
  }

  #perform(effect: Effect): void {
    const { payments, reports } = this.#on;
    switch (effect.type) {
      case "send":
        this.#send(effect.frame);
        return;
      case "chooseRoute":
        this.step({ type: "routeChosen", choice: payments.route(this.of, effect.password) });
        return;
      case "begin": {
        const { type: _, ...request } = effect;
        return void payments.begin({ ...request, connection: this.of }).then((begun) => this.step({ type: "begun", begun }));
      }
      case "follow":
        this.#following = this.#follow(effect.payment);
        return;
      case "heard":
        this.#following?.heard();
        return;
      case "cancel":
        this.#following?.cancel();
        return;
      case "disconnected":
        this.#following?.disconnected();
        return;
      case "delivered":
        return void payments.delivered(effect.payment).then(() => this.step({ type: "stored" }));
      case "undelivered":
        return void payments.undelivered(effect.payment);
      case "refusedByRegister":
        return void payments.refusedByRegister(effect.payment, effect.code).then(() => this.step({ type: "stored" }));
      case "askReceipt":
        return void payments.lastReceipt(effect.routeId).then((receipt) => this.step({ type: "receipt", receipt }));
      case "askStatus":
        return void payments.status(effect.routeId).then((status) => this.step({ type: "status", status }));
      case "closeOther":
        this.#on.closeOther(effect.connectionId);
        return;
      case "refused":
        reports.refused(effect.reason, this.of.address);
        return;
      case "close":
        this.#close(effect.reason);
        return;
    }
  }

  #follow(payment: ZvtPayment): ZvtFollowing {
    return this.#on.payments.follow(payment, {
      progress: (progress) => this.step({ type: "progress", progress }),
      ended: (outcome) => this.step({ type: "ended", outcome }),
      replaced: () => this.step({ type: "replaced" }),
    });
  }

  #send(frame: Frame): void {
    if (this.#closed) return;
    this.#report("out", frame);
    this.#socket.write(encodeFrame(frame));
  }

  #watchPartial(): void {
    if (this.#closed || this.#reader.bufferedBytes === 0) return;
    this.#partialTimer ??= this.#on.timers.set(limits.PARTIAL_FRAME_TIMEOUT_MS, () =>
      this.step({ type: "closed", reason: "partial_frame" }),
    );
  }

  #stopWatching(): void {
    this.#partialTimer?.clear();
    this.#partialTimer = null;
  }

  #close(reason: string): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#timer?.clear();
    this.#stopWatching();
    this.#socket.end();
    this.#on.reports.closed(this.of, this.#state.route?.routeId ?? null, reason, this.#state.refusals);
    this.#on.forget(this);
  }

  #report(direction: "in" | "out", frame: Frame): void {
    this.#on.reports.frame(direction, commandName(frame.command));
    if (this.#on.logRawBytes) this.#on.reports.raw(this.of, direction, describeFrame(frame));
  }

  #nowMs(): number {
    return this.#on.clock.monotonicMs();
  }
}
