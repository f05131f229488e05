import type { Authenticator } from "../auth/authenticator.ts";
import type { SignatureAuthenticator } from "../auth/signature-authenticator.ts";
import type { FirstLines } from "./answer.ts";
import type { Compression } from "./compression.ts";
import type { OwnOrigin } from "./cross-site.ts";
import type { FileSenders } from "./file-sender.ts";
import type { Observer, ServerLimits } from "./options.ts";
import type { Pending } from "./pending.ts";
import type { StreamSenders } from "./stream-sender.ts";

/** What the exchanges of one server share. */
export interface ServerContext {
  readonly authenticator: Authenticator;
  /** Of endpoints with `auth: "signature"`. */
  readonly signatures: SignatureAuthenticator | null;
  readonly limits: ServerLimits;
  readonly observe: Observer;
  readonly pending: Pending;
  readonly files: FileSenders;
  readonly streams: StreamSenders;
  readonly compression: Compression;
  readonly ownOrigin: OwnOrigin;
  readonly firstLines: FirstLines;
  readonly monotonicMs: () => number;
  /** True once the server stops: connections are closed after their answer. */
  draining: boolean;
  isFull(): boolean;
}
