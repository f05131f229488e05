import { RESULT_BODY_BYTES_MAX } from "../../engine/kernel/limits.ts";
import type { FrameLimits } from "./frame-parser.ts";

/** Bounds of one frame from a terminal. A result is the largest thing that a terminal sends. */
export const CLIENT_FRAME_LIMITS: FrameLimits = {
  commandBytesMax: 16,
  headerLineBytesMax: 4_096,
  headersMax: 32,
  headerBytesMax: 16_384,
  bodyBytesMax: RESULT_BODY_BYTES_MAX,
  unreadBytesMax: 131_072,
};

/**
 * Largest WebSocket message that an adapter accepts: several frames of the maximum size. A result somewhat beyond its own limit is in one that is still read, so
 * that it gets an ERROR and its beginning is kept. An adapter closes the socket for a longer message.
 */
export const WEBSOCKET_MESSAGE_BYTES_MAX = 262_144;

/** Bytes that are written and not yet received by the terminal; a terminal with more is disconnected. */
export const SOCKET_BUFFER_BYTES_MAX = 262_144;

/** Topics of one session; a manager terminal watches a shop, not a chain. */
export const SUBSCRIPTIONS_PER_SESSION_MAX = 64;

/** Messages of one session that wait for ACK or NACK; a client with more does not acknowledge at all. */
export const UNACKNOWLEDGED_PER_SESSION_MAX = 256;

/** Results being stored and subscriptions being made by one session; beyond it further frames are not read until one is done. */
export const FRAMES_IN_FLIGHT_MAX = 16;

/** Client-chosen identifiers (subscription id, receipt) are echoed and kept, so they are short. */
export const CLIENT_TOKEN_LENGTH_MAX = 256;

/** From the upgrade to a CONNECT that was accepted. */
export const CONNECT_TIMEOUT_MS = 10_000;

/** From the first byte of a frame to its last, for a client that sends without end or stops in the middle. */
export const FRAME_TIMEOUT_MS = 30_000;

/**
 * A session without any sign of life (frame, heart-beat, pong) is closed, also where no heart-beats were agreed. An adapter that sends pings
 * should not wait so long for a pong: the relay's own ends such a socket after a minute (infra/node/wiring/terminals/stomp-mount.ts).
 */
export const IDLE_TIMEOUT_MS = 300_000;

/** How long a client has to close the socket itself, after the RECEIPT of its DISCONNECT or an ERROR. */
export const LINGER_MS = 1_000;

/** How long the peer has to answer a close before the socket is terminated. */
export const CLOSE_TIMEOUT_MS = 5_000;

/** The owner calls `tick` at least this often. */
export const TICK_INTERVAL_MS_MAX = 50;

/** A tick checks only a part of many sessions, in turn, so that no tick takes long: each session at least once in this number of ticks. */
export const TICKS_A_ROUND = 10;

/** If there are fewer sessions than this, each tick checks all. */
export const LOOKS_A_TICK_MIN = 256;

/** So each session is checked at least this often; heart-beats are sent this much earlier, so that none is late. */
export const LOOK_INTERVAL_MS_MAX = TICKS_A_ROUND * TICK_INTERVAL_MS_MAX;

/** Activity is reported to the engine at most this often for a session. */
export const ACTIVITY_INTERVAL_MS = 1_000;

/** Shortest intervals at which the relay can send, and wants to receive, heart-beats (STOMP 1.2, "Heart-beating"). */
export const HEART_BEAT_SEND_MS = 5_000;
export const HEART_BEAT_WANT_MS = 10_000;
