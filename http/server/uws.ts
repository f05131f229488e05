import type * as UwsModule from "uWebSockets.js";
import { createRequire } from "node:module";

export type { HttpRequest, HttpResponse, TemplatedApp, us_listen_socket, us_socket_context_t, WebSocket } from "uWebSockets.js";

/** What is called of uWebSockets.js. The types are the newer library's; `test/http/server/uws.test.ts` holds the older one to them. */
type Functions = Pick<typeof UwsModule, "App" | "SSLApp" | "us_listen_socket_close" | "us_socket_local_port">;

/**
 * uWebSockets.js is not on the npm registry under its own name; two packages with its binaries are installed (README.md). The newer one
 * requires glibc 2.38 on Linux, and runs on Node 20, 22, 24 and 25; the older one runs on Node 18 to 22 with any glibc that Node itself
 * takes.
 */
export const UWS_LIBRARIES = ["newer", "older"] as const;
export type UwsLibrary = (typeof UWS_LIBRARIES)[number];

/** One of them, loaded. Each thread loads it again; a process has one alone. */
export interface Uws extends Functions {
  readonly library: UwsLibrary;
  /** The package and its version, for people. */
  readonly packageName: string;
  /** What this library does not do and the newer one does; empty for the newer one. */
  readonly lacks: readonly string[];
  /** Why the newer one was not taken, in one line; null where it was, or was not asked for. */
  readonly instead: string | null;
}

/** None of the libraries that were asked for can be loaded here; the message is one line for an operator. */
export class UwsMissing extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "UwsMissing";
  }
}

/** Node 20 tells of a CommonJS module that fails while it is imported twice: the second time as a rejection that nobody handles. */
const requireHere = createRequire(import.meta.url);

interface Package {
  packageName: string;
  lacks: readonly string[];
  load(): Functions | Promise<Functions>;
}

const PACKAGES: { readonly [library in UwsLibrary]: Package } = {
  newer: { packageName: "@btc-vision/uwebsockets.js 20.57.0", lacks: [], load: () => requireHere("uWebSockets.js") },
  older: {
    packageName: "uws-pack 20.0.8",
    lacks: ["a request whose first line arrives in several TCP segments may get 505, unless a proxy buffers it (infra/docs/proxies.md)"],
    load: () => import("uWebSockets.js-older"),
  },
};

/**
 * Of a request's head, for the library, which answers a longer one itself and in HTML. A thread keeps as much for each client that has not finished its head, so
 * it is no more than what proxies usually take.
 */
export const LIBRARY_HEAD_BYTES_MAX = 8_192;
/** Both libraries read it from the process when their code is loaded for the first time. A worker's `process.env` is a copy: the main thread loads first. */
const HEAD_BYTES_VARIABLE = "UWS_HTTP_MAX_HEADERS_SIZE";

/** Loads the library that is named, or the newest that can be loaded here. Rejects with UwsMissing. */
export async function loadUws(wanted: UwsLibrary | "newest"): Promise<Uws> {
  process.env[HEAD_BYTES_VARIABLE] = String(LIBRARY_HEAD_BYTES_MAX);
  let instead: string | null = null;
  for (const library of wanted === "newest" ? UWS_LIBRARIES : [wanted]) {
    const { packageName, lacks, load } = PACKAGES[library];
    try {
      const { App, SSLApp, us_listen_socket_close, us_socket_local_port } = await load();
      return { library, packageName, lacks, instead, App, SSLApp, us_listen_socket_close, us_socket_local_port };
    } catch (error) {
      instead ??= reasonOf(error);
    }
  }
  const here = `Node ${process.version} on ${process.platform} ${process.arch}`;
  if (wanted !== "newest")
    throw new UwsMissing(`RELAY_HTTP_LIBRARY: ${PACKAGES[wanted].packageName} cannot be loaded by ${here}: ${instead}`);
  throw new UwsMissing(
    `uWebSockets.js has no binary for ${here}: run npm start, which uses the Node 22 that npm ci installed (${instead})`,
  );
}

/** What the system's loader said; the libraries put a general sentence before it. */
function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const [, glibc] = /version `GLIBC_([\d.]+)' not found/.exec(text) ?? [];
  if (glibc !== undefined) return `it needs glibc ${glibc} or newer`;
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return (lines.at(text.startsWith("This version of uWS") ? 1 : 0) ?? text).replace(/^Error: /, "").trim();
}
