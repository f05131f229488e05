import { WebSocket } from "ws";
import { type Headers, type StompFrame, serializeFrame } from "../../../http/stomp/frame.ts";
import { FrameParser } from "../../../http/stomp/frame-parser.ts";
import { agreeHeartBeats } from "../../../http/stomp/negotiation.ts";
import type { CommandRunner } from "./command-runner.ts";
import type { Settings } from "./options.ts";
import type { Pace } from "./pace.ts";

const HEART_BEAT_MS = 10_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/** From the start of a connection to its subscription. */
const SUBSCRIBE_TIMEOUT_MS = 20_000;
const MESSAGE_BYTES_MAX = 1_048_576;
const FRAME_LIMITS = {
  commandBytesMax: 16,
  headerLineBytesMax: 4_096,
  headersMax: 32,
  headerBytesMax: 16_384,
  bodyBytesMax: MESSAGE_BYTES_MAX,
  unreadBytesMax: MESSAGE_BYTES_MAX,
};
const SUBSCRIBED = "subscribed";

interface Parts {
  runner: Pick<CommandRunner, "receive">;
  pace: Pace;
  signal: AbortSignal;
  /** Told of each connection when it begins. `cut` ends it without a word, as a network does that is lost. */
  connecting?: (connection: { cut(): void }) => void;
}

/** Keeps a STOMP session until the signal aborts, connecting again with back-off whenever it is lost. */
export async function keepConnected(settings: Settings, parts: Parts): Promise<void> {
  const { pace, signal } = parts;
  let failures = 0;
  while (!signal.aborted) {
    const session = new Session(settings, parts);
    parts.connecting?.({ cut: () => session.cut() });
    const reason = await session.ended;
    if (signal.aborted) return;
    failures = session.subscribed ? 0 : failures + 1;
    const retryMs = pace.backOffMs(failures);
    settings.onEvent({ type: "offline", reason, retryMs });
    await pace.sleep(retryMs, signal);
  }
}

/** One connection: CONNECT, SUBSCRIBE to the terminal's own topic, then commands. */
class Session {
  /** Resolves with the reason when the connection is gone. */
  readonly ended: Promise<string>;
  subscribed = false;
  readonly #settings: Settings;
  readonly #runner: Parts["runner"];
  readonly #socket: WebSocket;
  readonly #parser = new FrameParser(FRAME_LIMITS);
  #reason = "the connection closed";
  #lastSeenMs = performance.now();
  #heartBeat: NodeJS.Timeout | undefined;
  readonly #subscribeTimer: NodeJS.Timeout;

  constructor(settings: Settings, { runner, signal }: Parts) {
    this.#settings = settings;
    this.#runner = runner;
    const socket = new WebSocket(`${settings.url.replace(/^http/, "ws")}/ws`, ["v12.stomp"], {
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      maxPayload: MESSAGE_BYTES_MAX,
      perMessageDeflate: false,
      headers: { "user-agent": "terminal-simulator/1.0" },
    });
    this.#socket = socket;
    const late = setTimeout(() => this.#fail("the relay did not answer in time"), SUBSCRIBE_TIMEOUT_MS);
    this.#subscribeTimer = late;
    const stop = () => this.#leave();
    signal.addEventListener("abort", stop, { once: true });
    socket.on("open", () => this.#connect());
    socket.on("message", (data) => this.#read(Array.isArray(data) ? Buffer.concat(data) : new Uint8Array(data)));
    socket.on("ping", () => this.#seen());
    socket.on("error", (error) => this.#because(error.message));
    this.ended = new Promise((resolve) => {
      socket.on("close", () => {
        clearInterval(this.#heartBeat);
        clearTimeout(late);
        signal.removeEventListener("abort", stop);
        resolve(this.#reason);
      });
    });
  }

  cut(): void {
    this.#fail("the connection was cut");
  }

  #connect(): void {
    const { username, password, family, url } = this.#settings;
    this.#write("CONNECT", [
      ["accept-version", "1.2"],
      ["host", new URL(url).hostname],
      ["heart-beat", `${HEART_BEAT_MS},${HEART_BEAT_MS}`],
      ["login", username],
      ["passcode", password],
      ["app-version", "1.0.0"],
      ["device-model", "SIM-1"],
      ...(family === null ? [] : [["terminal-family", family] as const]),
    ]);
  }

  #read(data: Uint8Array): void {
    this.#seen();
    try {
      this.#parser.feed(data);
      for (let frame = this.#parser.next(); frame !== null; frame = this.#parser.next()) this.#handle(frame);
    } catch (error) {
      this.#fail(error instanceof Error ? error.message : "the relay did not speak STOMP");
    }
  }

  #handle(frame: StompFrame): void {
    switch (frame.command) {
      case "CONNECTED":
        this.#beat(frame.headers.get("heart-beat"));
        this.#subscribe();
        return;
      case "RECEIPT":
        if (frame.headers.get("receipt-id") !== SUBSCRIBED) return;
        this.subscribed = true;
        clearTimeout(this.#subscribeTimer);
        this.#settings.onEvent({ type: "online", link: "websocket" });
        return;
      case "MESSAGE":
        this.#receive(frame);
        return;
      case "ERROR":
        this.#fail(`the relay refused: ${frame.headers.get("message") ?? "without a reason"}`);
        return;
    }
  }

  #subscribe(): void {
    const { terminalId, ack, redeliver } = this.#settings;
    this.#write("SUBSCRIBE", [
      ["id", "0"],
      ["destination", `/topic/terminal/${terminalId}`],
      ["ack", ack],
      ["receipt", SUBSCRIBED],
      ...(redeliver ? [["redeliver", "same-uuid"] as const] : []),
    ]);
  }

  /** Acknowledged only once it is remembered, so that nothing is lost between the two. */
  #receive(frame: StompFrame): void {
    const taken = this.#runner.receive(Buffer.from(frame.body).toString("utf8"));
    const id = frame.headers.get("ack");
    if (id !== undefined) this.#write(taken ? "ACK" : "NACK", [["id", id]]);
    else if (!taken) this.#settings.onEvent({ type: "ignored", reason: "too many commands" });
  }

  #beat(offer: string | undefined): void {
    const agreed = agreeHeartBeats(offer, { sendMs: HEART_BEAT_MS, wantMs: HEART_BEAT_MS });
    if (agreed === null || (agreed.sendMs === 0 && agreed.receiveMs === 0)) return;
    const { sendMs, receiveMs } = agreed;
    this.#heartBeat = setInterval(
      () => {
        if (receiveMs > 0 && performance.now() - this.#lastSeenMs > 2 * receiveMs) this.#fail("the relay fell silent");
        else if (sendMs > 0 && this.#socket.readyState === WebSocket.OPEN) this.#socket.send("\n");
      },
      (sendMs === 0 ? receiveMs : sendMs) / 2,
    );
  }

  #seen(): void {
    this.#lastSeenMs = performance.now();
  }

  #write(command: string, headers: Headers): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(serializeFrame("1.2", command, headers));
  }

  #because(reason: string): void {
    this.#reason = reason;
  }

  #fail(reason: string): void {
    this.#because(reason);
    this.#socket.terminate();
  }

  #leave(): void {
    this.#write("DISCONNECT", []);
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.close(1000);
    // A relay that does not answer the close is not waited for.
    setTimeout(() => this.#socket.terminate(), this.#socket.readyState === WebSocket.CONNECTING ? 0 : 1_000).unref();
  }
}
