import type { Clock } from "../../engine/kernel/clock.ts";
import type { ErrorCode, RelayError } from "../../engine/kernel/errors.ts";
import type { Ids } from "../../engine/kernel/ids.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import type { RateLimitBucket } from "../auth/rate-limiter.ts";
import type { SignatureAuthenticator } from "../auth/signature-authenticator.ts";
import type { BoundEndpoint, ResponseHeadersOf } from "../endpoint/endpoint.ts";
import type { ErrorEnvelope } from "../endpoint/error-envelope.ts";
import type { TlsFiles } from "./apps.ts";
import type { PaceBounds } from "./least-pace.ts";
import type { Uws } from "./uws.ts";
import type { WebSocketMount } from "./websocket.ts";

export interface ServerOptions {
  /** The library that `loadUws` has loaded in this thread. */
  uws: Uws;
  endpoints: readonly BoundEndpoint[];
  authenticator: Authenticator;
  /** Required if an endpoint has `auth: "signature"`. */
  signatures?: SignatureAuthenticator;
  /** Returns the bucket that endpoints name in `rateLimit`; called once for each at the start. */
  rateLimit: (bucket: string, perSecond: number) => RateLimitBucket;
  /** Returns the windows of partners whose record raises the bucket, by their ids; absent: no rate is raised. */
  raisedRateLimit?: (bucket: string) => RateLimitBucket;
  clock: Clock;
  ids: Ids;
  /** Envelope of a 404 for a path without a surface. */
  envelope: ErrorEnvelope;
  /** The same for paths that begin so: an API with an error body of its own has it for all that is under its base. */
  envelopes?: readonly Face[];
  webSockets?: readonly WebSocketMount[];
  /** CIDRs whose `X-Forwarded-For` is trusted. */
  trustedProxies?: readonly string[];
  /**
   * True refuses requests and WebSockets whose `Host` is not a loopback name, for a server whose credentials everybody knows: a page could
   * give its own name this machine's address, and then call it as its own server (DNS rebinding).
   */
  loopbackHostsOnly?: boolean;
  /** One path segment under which the paths of terminals and partners are also served (`RELAY_SERVICE_PREFIX`). */
  servicePrefix?: string;
  /** `RELAY_PUBLIC_URL`: pages of its origin are the relay's own, like those of the host that a request names. */
  publicUrl?: string;
  tls?: TlsFiles;
  /** Tells browsers to use nothing but TLS with this host (RFC 6797). */
  tlsOnly?: boolean;
  limits?: Partial<ServerLimits>;
  /** See `CompileOptions`; for tests. */
  strictReplies?: boolean;
  observe?: Observer;
}

/** How an API answers what none of its endpoints takes. */
export interface Face {
  under: string;
  envelope: ErrorEnvelope;
  headersOf?: ResponseHeadersOf;
  /** The error for a path where there is nothing, where it is told in other words than usual. */
  notFound?(method: string, path: string): RelayError;
}

/** Callbacks for logs and metrics. Their arguments never contain a body, a header or a credential. */
export interface Observer {
  /** Every answer; `endpoint` is the declaration's name, or `unmatched`. */
  answered?(endpoint: string, status: number, durationMs: number): void;
  /** The client disconnected before the response. */
  aborted?(endpoint: string): void;
  /** An endpoint's answer is an error of this code. */
  refused?(code: ErrorCode): void;
  /** 429: the address, or the partner, has no room left in the bucket, or the bucket has none for another address. */
  rateLimited?(bucket: string): void;
  /** An address was refused because no more addresses fit into the limiter's memory at once. */
  rateLimitTableFull?(endpoint: string): void;
  /** A response whose reason is for the log only: internal errors, and errors with a cause. */
  failed?(error: unknown, request: { id: string; endpoint: string }): void;
}

export interface ServerLimits {
  /** Requests of one shard that wait for a body or a handler; beyond it callers get 503. */
  pendingMax: number;
  /** From the headers to the last byte of the body. Shorter than uWebSockets' own 10 s, which answers nothing. */
  bodyDeadlineMs: number;
  /** How often deadlines are checked, and so how late they may be noticed. */
  sweepIntervalMs: number;
  /** Maximum number of files that one shard sends; beyond it callers get 503 and retry. Each holds a descriptor and a connection. */
  filesMax: number;
  /** The same for one terminal, partner or address: the terminals of a shop that fetch an update may share an address. */
  filesPerOwnerMax: number;
  /** A client that reads nothing of a file for this long is disconnected. */
  fileStallMs: number;
  /** Limit for all files of one shard: an update of a whole fleet must not use up the bandwidth for payments. */
  fileBytesPerSecond: number;
  /** Maximum number of streams that one shard sends. Each holds a connection, an encoder of some 300 KB, and what its source holds: a query, as a rule. */
  streamsMax: number;
  /** The same for one merchant, partner or address: whoever asks again and again leaves room for others. */
  streamsPerOwnerMax: number;
  /** A client that reads nothing of a stream for this long is disconnected; uWebSockets does so after 10 s. */
  streamStallMs: number;
  /** So long the source of a stream may give nothing; longer than any query may take. */
  streamSourceMs: number;
  /**
   * For a body that is read as it arrives: how long its client may send nothing. Shorter than uWebSockets' own 10 s, which answers nothing.
   */
  uploadStallMs: number;
  /** The same while a chunk waits to be stored: then the client is paused, and uWebSockets has no timeout. */
  uploadWriteMs: number;
  /** What a client has to send or take on average, however often it moves a byte. */
  pace: PaceBounds;
}

/** 20,000 descriptors a process is the least that is common, and some are not requests. */
export const SERVER_LIMITS: ServerLimits = {
  pendingMax: 16_384,
  bodyDeadlineMs: 5_000,
  sweepIntervalMs: 200,
  filesMax: 256,
  filesPerOwnerMax: 64,
  fileStallMs: 30_000,
  fileBytesPerSecond: 100_000_000,
  streamsMax: 16,
  streamsPerOwnerMax: 2,
  streamStallMs: 30_000,
  streamSourceMs: 60_000,
  uploadStallMs: 8_000,
  uploadWriteMs: 30_000,
  pace: { uploadBytesPerSecond: 8_192, downloadBytesPerSecond: 2_048, graceMs: 30_000 },
};
