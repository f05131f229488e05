import { STOMP_VERSIONS, type StompVersion } from "./frame.ts";
import { HEART_BEAT_SEND_MS, HEART_BEAT_WANT_MS } from "./limits.ts";

/** The newest version that both know; a CONNECT without `accept-version` is 1.0. Null when there is none. */
export function chooseVersion(acceptVersion: string | undefined): StompVersion | null {
  if (acceptVersion === undefined) return "1.0";
  const offered = new Set(acceptVersion.split(",").map((version) => version.trim()));
  return STOMP_VERSIONS.find((version) => offered.has(version)) ?? null;
}

/** The WebSocket subprotocol to answer with, of those that `Sec-WebSocket-Protocol` offers; null for none. */
export function chooseSubprotocol(offered: string): string | null {
  const names = new Set(offered.split(",").map((name) => name.trim()));
  return ["v12.stomp", "v11.stomp", "v10.stomp"].find((name) => names.has(name)) ?? null;
}

/** Agreed intervals in milliseconds; 0 is none. */
export interface HeartBeats {
  sendMs: number;
  receiveMs: number;
}

export interface HeartBeatOffer {
  /** Shortest interval at which we can send. */
  sendMs: number;
  /** Interval at which we want to receive. */
  wantMs: number;
}

export const DEFAULT_HEART_BEATS: HeartBeatOffer = { sendMs: HEART_BEAT_SEND_MS, wantMs: HEART_BEAT_WANT_MS };

/** STOMP 1.2, "Heart-beating". Null when the header is not two numbers of milliseconds. */
export function agreeHeartBeats(header: string | undefined, offer: HeartBeatOffer): HeartBeats | null {
  const match = /^([0-9]{1,9}) *, *([0-9]{1,9})$/.exec((header ?? "0,0").trim());
  if (match === null) return null;
  const [clientSends, clientWants] = [Number(match[1]), Number(match[2])];
  return { sendMs: interval(offer.sendMs, clientWants), receiveMs: interval(clientSends, offer.wantMs) };
}

function interval(senderMs: number, receiverMs: number): number {
  return senderMs === 0 || receiverMs === 0 ? 0 : Math.max(senderMs, receiverMs);
}
