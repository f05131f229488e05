import type { Caller } from "../../engine/access/caller.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import { readReceipt, readSend, receiptDestination } from "./client-frames.ts";
import { type ConnectRequest, readConnect } from "./connect-frame.ts";
import { FrameError, type FrameHead, type StompFrame, type StompVersion } from "./frame.ts";
import { FrameParser } from "./frame-parser.ts";
import type { ResultSend, StompConnection, StompEnd, StompHost, StompSocket, UpgradeCaller, UpgradeInfo } from "./host.ts";
import * as limits from "./limits.ts";
import type { HeartBeatOffer, HeartBeats } from "./negotiation.ts";
import { CLOSE_CODES, connectedFrame, errorFrame, receiptFrame } from "./server-frames.ts";
import { type MessageWriter, SessionTopics } from "./topics.ts";

/**
 * `disconnecting`: DISCONNECT was received and results are still being stored. `lingering`: its RECEIPT, or an ERROR, is sent, and the client is left to close
 * the socket. `ended`: waits for the socket to close.
 */
type Phase = "connecting" | "authenticating" | "connected" | "disconnecting" | "lingering" | "ended";

export interface StompSessionOptions {
  host: StompHost;
  socket: StompSocket;
  upgrade: UpgradeInfo;
  offer: HeartBeatOffer;
  /** Called when the socket is closed. */
  forget(session: StompSession): void;
}

const DISCONNECTED = "disconnected";
/** Of thousands of sessions that have none yet. */
const FAREWELL = { code: 1000, reason: DISCONNECTED };

/**
 * One STOMP session on one WebSocket. Every error ends it with an ERROR frame, as STOMP requires. The engine decides what happens to its
 * unacknowledged messages. See PROTOCOL.md.
 *
 * The session itself implements the interfaces that its adapter and its topics call, to save objects: there are thousands of sessions, all
 * day.
 */
export class StompSession implements StompConnection, MessageWriter {
  readonly id: string;
  readonly #host: StompHost;
  readonly #socket: StompSocket;
  readonly #upgrade: UpgradeInfo;
  readonly #offer: HeartBeatOffer;
  readonly #forget: (session: StompSession) => void;
  readonly #parser = new FrameParser(limits.CLIENT_FRAME_LIMITS);
  #phase: Phase = "connecting";
  /** Set if the session has to end but cannot end in the middle of a delivery; it ends as soon as the stack is empty. */
  #doomed = false;
  #version: StompVersion = "1.2";
  #heartBeats: HeartBeats = { sendMs: 0, receiveMs: 0 };
  /** From CONNECTED on. */
  #topics: SessionTopics | null = null;
  #disconnectReceipt: string | undefined;
  /** With what a lingering socket is closed. */
  #farewell = FAREWELL;
  #framesInFlight = 0;
  /** When the phases `connecting`, `authenticating`, `lingering` and `ended` time out. */
  #deadlineMs: number;
  #lastSeenMs: number;
  #lastSentMs: number;
  #lastActiveMs = Number.NEGATIVE_INFINITY;
  #frameSinceMs: number | null = null;

  constructor({ host, socket, upgrade, offer, forget }: StompSessionOptions) {
    const nowMs = host.clock.monotonicMs();
    this.id = host.ids.uuid();
    this.#host = host;
    this.#socket = socket;
    this.#upgrade = upgrade;
    this.#offer = offer;
    this.#forget = forget;
    this.#deadlineMs = nowMs + limits.CONNECT_TIMEOUT_MS;
    this.#lastSeenMs = nowMs;
    this.#lastSentMs = nowMs;
  }

  /** The terminal as which the session is authenticated, null until that is known. */
  get identity(): string | null {
    return this.#topics?.identity ?? null;
  }

  /** A WebSocket message, text or binary; its memory belongs to the caller again when this returns. */
  message(data: Uint8Array): void {
    if (!this.#listening) return;
    this.#seen();
    this.#parser.feed(data);
    this.#read();
  }

  pong(): void {
    if (this.#phase !== "ended" && this.#phase !== "lingering") this.#seen();
  }

  /** The socket is closed, whoever closed it. */
  closed(): void {
    this.#end("the connection closed", "connection_lost");
    this.#forget(this);
  }

  get writable(): boolean {
    return this.#phase === "connected" && !this.#doomed;
  }

  write(text: string): "taken" | "dropped" {
    const outcome = this.#socket.send(text);
    this.#lastSentMs = this.#host.clock.monotonicMs();
    if (outcome === "dropped" || (outcome === "buffered" && this.#socket.bufferedBytes() > limits.SOCKET_BUFFER_BYTES_MAX)) {
      this.#doom(() => {
        if (this.#end("the terminal reads too slowly", "too_slow")) this.#socket.terminate();
      });
    }
    return outcome === "dropped" ? "dropped" : "taken";
  }

  failSoon(error: RelayError): void {
    this.#doom(() => this.fail(error));
  }

  /** Handles deadlines and heart-beats. Returns false when the session has ended completely and can be removed. */
  tick(nowMs: number): boolean {
    switch (this.#phase) {
      case "ended":
        if (nowMs < this.#deadlineMs) return true;
        this.#socket.terminate();
        return false;
      case "lingering":
        if (nowMs >= this.#deadlineMs) this.end(this.#farewell.code, this.#farewell.reason);
        return true;
      case "connecting":
      case "authenticating":
        if (nowMs >= this.#deadlineMs) this.fail(new RelayError("request_timeout", "The session did not send CONNECT in time"));
        return true;
      case "connected":
      case "disconnecting":
        this.#watch(nowMs);
        return true;
    }
  }

  /** Ends the session with an ERROR frame. `about` is the frame that caused it. Returns false if the session had ended before. */
  fail(error: unknown, about: FrameHead | null = null): boolean {
    if (this.#phase === "ended" || this.#phase === "lingering") return false;
    const unexpected = error instanceof RelayError ? error.cause : error;
    const relayError = error instanceof RelayError ? error : new RelayError("internal", "Internal error");
    const receiptId = about?.headers.get("receipt");
    this.write(errorFrame(this.#version, relayError, about === null ? null : { command: about.command, receiptId }));
    const { code, message } = relayError;
    this.#host.onEvent({ type: "refused", sessionId: this.id, code, message, ...(unexpected === undefined ? {} : { cause: unexpected }) });
    this.#linger(CLOSE_CODES[code], message, code);
    return true;
  }

  /** Ends the session with a WebSocket close, for a node that goes or was away. Returns false if it had ended before. */
  end(closeCode: number, reason: string): boolean {
    if (this.#phase === "ended") return false;
    this.#end(reason, "going_away");
    this.#socket.close(closeCode, reason);
    return true;
  }

  /** Ends the session if the whitelist no longer allows one of its topics. */
  recheck(): void {
    if (this.#topics?.allowed() === false) this.fail(new RelayError("forbidden", "The whitelist no longer allows this subscription"));
  }

  /** Reads and executes frames, as long as the session may accept more. */
  #read(): void {
    try {
      while (this.#readable()) {
        const frame = this.#parser.next();
        if (frame === null) break;
        this.#frameSinceMs = null;
        this.#handle(frame);
      }
      if (!this.#listening) return;
      this.#parser.keep();
      this.#frameSinceMs = this.#parser.midFrame ? (this.#frameSinceMs ?? this.#host.clock.monotonicMs()) : null;
    } catch (error) {
      const about = this.#parser.begun;
      if (about !== null && error instanceof FrameError && error.code === "payload_too_large") this.#keepTooLong(about, error.message);
      this.fail(error, about);
    }
  }

  /** A result that is too long is recorded; the session ends without waiting for that. */
  #keepTooLong(about: FrameHead, reason: string): void {
    const terminalId = receiptDestination(about);
    if (terminalId === null || this.#topics === null) return;
    const sender = this.#topics.senderFor(terminalId);
    if (sender.type === "refused") return;
    const { caller, identity } = sender;
    this.#host.keepUnread({ caller, identity, terminalId, bytes: new Uint8Array(), isWhole: false, reason }).catch((cause: unknown) => {
      this.#host.onEvent({
        type: "refused",
        sessionId: this.id,
        code: "internal",
        message: "The message was too long and could not be stored",
        cause,
      });
    });
  }

  /** Whether what the client sends counts; after DISCONNECT nothing does. */
  get #listening(): boolean {
    return this.#phase === "connecting" || this.#phase === "authenticating" || this.#phase === "connected";
  }

  #readable(): boolean {
    if (this.#doomed) return false;
    return this.#phase === "connecting" || (this.#phase === "connected" && this.#framesInFlight < limits.FRAMES_IN_FLIGHT_MAX);
  }

  #handle(frame: StompFrame): void {
    try {
      const receiptId = readReceipt(frame);
      if (this.#topics === null) this.#connect(frame);
      else if (this.#carryOut(frame, receiptId, this.#topics) === "done") this.#receipt(receiptId);
    } catch (error) {
      this.fail(error, frame);
    }
  }

  #receipt(receiptId: string | undefined): void {
    if (receiptId !== undefined) this.write(receiptFrame(this.#version, receiptId));
  }

  #connect(frame: StompFrame): void {
    if (frame.command !== "CONNECT" && frame.command !== "STOMP") {
      throw new RelayError("invalid_request", "The first frame must be CONNECT or STOMP");
    }
    const request = readConnect(frame, this.#upgrade, this.#offer);
    this.#version = request.version;
    this.#parser.version = request.version;
    this.#heartBeats = request.heartBeats;
    const caller = this.#authenticate(request);
    if (!(caller instanceof Promise)) {
      this.#connected(request, caller);
      return;
    }
    this.#phase = "authenticating";
    caller
      .then((found) => {
        if (this.#phase === "authenticating") this.#connected(request, found);
      })
      .catch((error: unknown) => this.fail(error, frame))
      .then(() => this.#read());
  }

  /** A login in the CONNECT counts instead of the upgrade's. Without any, a sandbox lets everybody in; a wrong one is refused there too. */
  #authenticate({ credentials }: ConnectRequest): Caller | null | Promise<Caller | null> {
    const { caller, ipAddress } = this.#upgrade;
    if (credentials !== null && credentials.login !== "") {
      return this.#host.authenticate(credentials.login, credentials.passcode, ipAddress ?? "");
    }
    if (caller === null) return this.#host.anonymousAllowed && credentials === null ? { type: "anonymous" } : null;
    return caller instanceof Promise ? caller.then(callerOrThrow) : callerOrThrow(caller);
  }

  #connected({ version, heartBeats, device }: ConnectRequest, caller: Caller | null): void {
    if (caller === null) throw wrongLogin();
    this.#topics = new SessionTopics(this.#host, { sessionId: this.id, version, caller, device }, this);
    this.#phase = "connected";
    if (caller.type !== "anonymous") this.#socket.loggedIn();
    this.write(connectedFrame({ version, heartBeats, server: this.#host.serverName, session: this.id }));
    const { ipAddress } = this.#upgrade;
    this.#host.onEvent({ type: "connected", sessionId: this.id, version, caller: caller.type, ipAddress });
  }

  /** `later` if the receipt is not due yet. */
  #carryOut(frame: StompFrame, receiptId: string | undefined, topics: SessionTopics): "done" | "later" {
    switch (frame.command) {
      case "SUBSCRIBE":
        return this.#subscribe(frame, receiptId, topics);
      case "UNSUBSCRIBE":
        topics.unsubscribe(frame);
        return "done";
      case "ACK":
      case "NACK":
        topics.settle(frame);
        return "done";
      case "SEND":
        return this.#send(frame, receiptId, topics);
      case "DISCONNECT":
        this.#phase = "disconnecting";
        this.#disconnectReceipt = receiptId;
        this.#parser.drop();
        topics.close();
        if (this.#framesInFlight === 0) this.#completeDisconnect();
        return "later";
      case "BEGIN":
      case "COMMIT":
      case "ABORT":
        throw new RelayError("invalid_request", "Transactions are not supported");
      case "CONNECT":
      case "STOMP":
        throw new RelayError("invalid_request", "The session is connected already");
      default:
        throw new RelayError("invalid_request", "The command is not a STOMP client command");
    }
  }

  /** The receipt confirms that commands will be pushed. */
  #subscribe(frame: StompFrame, receiptId: string | undefined, topics: SessionTopics): "done" | "later" {
    const known = topics.subscribe(frame);
    if (known === null || receiptId === undefined) return "done";
    this.#framesInFlight += 1;
    void known.then(() => this.#carriedOut(() => this.#receipt(receiptId)));
    return "later";
  }

  #send(frame: StompFrame, receiptId: string | undefined, topics: SessionTopics): "done" | "later" {
    const request = readSend(frame);
    const { terminalId } = request;
    const sender = topics.senderFor(terminalId);
    if (sender.type === "refused") throw new RelayError("forbidden", sender.reason);
    if (request.type === "ping") {
      topics.active(terminalId);
      return "done";
    }
    this.#framesInFlight += 1;
    this.#sent({ caller: sender.caller, identity: sender.identity, terminalId }, request.bodyText, frame.body).then(
      () => this.#carriedOut(() => this.#receipt(receiptId)),
      (error: unknown) => this.#carriedOut(() => this.fail(error, frame)),
    );
    return "later";
  }

  async #sent(send: Omit<ResultSend, "bodyText">, bodyText: string | null, bytes: Uint8Array): Promise<void> {
    if (bodyText !== null) {
      await this.#host.recordResult({ ...send, bodyText });
      return;
    }
    const reason = "The body is not UTF-8";
    await this.#host.keepUnread({ ...send, bytes, isWhole: true, reason });
    throw new RelayError("invalid_request", reason);
  }

  #carriedOut(answer: () => void): void {
    this.#framesInFlight -= 1;
    if (this.#phase === "ended" || this.#phase === "lingering") return;
    answer();
    if (this.#phase === "disconnecting" && this.#framesInFlight === 0) this.#completeDisconnect();
    else if (this.#phase === "connected") this.#read();
  }

  #completeDisconnect(): void {
    this.#receipt(this.#disconnectReceipt);
    this.#linger(1000, DISCONNECTED, "disconnected");
  }

  /**
   * The session is over, but the socket stays for a moment. Some clients take one that closes right behind the last frame for broken, because they see the close
   * first, or cannot close it themselves any more, and never tell what was in that frame.
   */
  #linger(code: number, reason: string, why: StompEnd): void {
    this.#phase = "lingering";
    this.#farewell = { code, reason };
    this.#deadlineMs = this.#host.clock.monotonicMs() + limits.LINGER_MS;
    this.#release(reason, why);
  }

  #seen(): void {
    const nowMs = this.#host.clock.monotonicMs();
    this.#lastSeenMs = nowMs;
    if (this.#topics === null || nowMs - this.#lastActiveMs < limits.ACTIVITY_INTERVAL_MS) return;
    this.#lastActiveMs = nowMs;
    this.#topics.active();
  }

  #watch(nowMs: number): void {
    const { sendMs, receiveMs } = this.#heartBeats;
    const silentMs = nowMs - this.#lastSeenMs;
    const slackMs = Math.min(sendMs / 2, 2 * limits.LOOK_INTERVAL_MS_MAX);
    if ((receiveMs > 0 && silentMs >= 2 * receiveMs) || silentMs >= limits.IDLE_TIMEOUT_MS) {
      this.fail(new RelayError("request_timeout", "The terminal sent nothing for too long"));
    } else if (this.#frameSinceMs !== null && nowMs - this.#frameSinceMs >= limits.FRAME_TIMEOUT_MS) {
      this.fail(new RelayError("request_timeout", "A frame was not completed in time"), this.#parser.begun);
    } else if (sendMs > 0 && nowMs - this.#lastSentMs >= sendMs - slackMs) {
      this.write("\n");
    }
  }

  /** The engine may be in the middle of a delivery, and learns only afterwards that the session ended. */
  #doom(end: () => void): void {
    if (this.#doomed || this.#phase === "ended") return;
    this.#doomed = true;
    queueMicrotask(end);
  }

  #end(reason: string, why: StompEnd): boolean {
    if (this.#phase === "ended") return false;
    const wasOver = this.#phase === "lingering";
    this.#phase = "ended";
    this.#deadlineMs = this.#host.clock.monotonicMs() + limits.CLOSE_TIMEOUT_MS;
    if (!wasOver) this.#release(reason, why);
    return true;
  }

  #release(reason: string, why: StompEnd): void {
    this.#parser.drop();
    this.#topics?.close();
    this.#host.onEvent({ type: "ended", sessionId: this.id, reason, why });
  }
}

function wrongLogin(): RelayError {
  return new RelayError("unauthorized", "The login or passcode is wrong or missing");
}

function callerOrThrow(caller: UpgradeCaller): Caller {
  if (caller instanceof RelayError) throw caller.code === "unauthorized" ? wrongLogin() : caller;
  return caller;
}
