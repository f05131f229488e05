import { once } from "node:events";
import { createServer as createProbe } from "node:net";
import type { TemplatedApp, Uws, us_listen_socket } from "./uws.ts";

/** PEM files. */
export interface TlsFiles {
  certFile: string;
  keyFile: string;
}

export interface AppsOptions {
  uws: Uws;
  /** Absent: plain HTTP. */
  tls?: TlsFiles;
  /** Attaches what is served; called for every app before it is used. */
  attach(app: TemplatedApp): void;
}

/** `LIBUS_LISTEN_DEFAULT` shares the port among threads (SO_REUSEPORT); the enum itself is types only. */
const LISTEN_SHARED = 0;
const LISTEN_EXCLUSIVE = 1;

/**
 * What of TLS 1.2 is offered: a key of its own for each connection, so that whoever gets the certificate's key later reads nothing that was recorded before.
 * The suites with SHA stand last, for terminals on Android 4, which know no others. All of TLS 1.3 is so, and nothing older is offered.
 */
const TLS_SUITES = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-ECDSA-AES128-SHA",
  "ECDHE-RSA-AES128-SHA",
  "ECDHE-ECDSA-AES256-SHA",
  "ECDHE-RSA-AES256-SHA",
].join(":");

/** Certificates that were replaced and may still have connections, besides the first; beyond it those of the oldest are closed. Years, as certificates are renewed. */
const FORMER_MAX = 16;

/**
 * The apps of uWebSockets.js with which one thread serves. There is one until the certificate is renewed, which uWebSockets.js cannot do in an app: then a
 * second one has the new certificate. The first app keeps the listening socket, so that nobody who is just connecting is refused, and hands what it accepts to
 * the newest; connections that are there stay where they are.
 */
export class Apps {
  readonly #options: AppsOptions;
  readonly #first: TemplatedApp;
  /** In their order; without the first. */
  readonly #renewed: TemplatedApp[] = [];
  #listening: us_listen_socket | null = null;

  /** Throws where the certificate or its key cannot be used. */
  constructor(options: AppsOptions) {
    this.#options = options;
    this.#first = this.#create(options.tls);
  }

  /** Starts to accept connections; port 0 takes a free one. Resolves with the port; rejects if it cannot be used. */
  async listen(host: string, port: number, { exclusive }: { exclusive: boolean }): Promise<number> {
    // uWebSockets does not make a port shareable that the system chose.
    const chosen = port === 0 && !exclusive ? await freePort(host) : port;
    const socket = await listen(this.#first, host, chosen, exclusive ? LISTEN_EXCLUSIVE : LISTEN_SHARED);
    this.#listening = socket;
    return this.#options.uws.us_socket_local_port(socket);
  }

  /** Connections from now on get this certificate. Throws where it cannot be used, or where plain HTTP is served; then nothing has changed. */
  renewTls(tls: TlsFiles): void {
    if (this.#options.tls === undefined) throw new Error("plain HTTP is served: there is no certificate to renew");
    const next = this.#create(tls);
    const former = this.#renewed.at(-1);
    // In one turn of the loop, in which nothing is accepted.
    if (former !== undefined) callOf(this.#first, "removeChildAppDescriptor")(callOf(former, "getDescriptor")());
    callOf(this.#first, "addChildAppDescriptor")(callOf(next, "getDescriptor")());
    this.#renewed.push(next);
    if (this.#renewed.length > FORMER_MAX) this.#renewed.shift()?.close();
  }

  stopListening(): void {
    if (this.#listening !== null) this.#options.uws.us_listen_socket_close(this.#listening);
    this.#listening = null;
  }

  /** Ends every connection at once. */
  close(): void {
    this.stopListening();
    for (const app of [this.#first, ...this.#renewed]) app.close();
  }

  #create(tls: TlsFiles | undefined): TemplatedApp {
    const { uws, attach } = this.#options;
    const app =
      tls === undefined ? uws.App() : uws.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile, ssl_ciphers: TLS_SUITES });
    attach(app);
    return app;
  }
}

function listen(app: TemplatedApp, host: string, port: number, flags: number): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    const listened = (socket: us_listen_socket | false) => {
      if (socket === false) reject(new Error(`cannot listen on ${host}, port ${port}: is it in use?`));
      else resolve(socket);
    };
    // The binary takes a host together with flags; its type declarations know them only apart.
    callOf(app, "listen")(host, port, flags, listened);
  });
}

/** A function of the binary that its type declarations do not have, or not so. */
function callOf(app: TemplatedApp, name: string): (...args: readonly unknown[]) => unknown {
  const found: unknown = Reflect.get(app, name);
  if (typeof found !== "function") throw new Error(`uWebSockets.js has no ${name}`);
  return (...args) => found.call(app, ...args);
}

async function freePort(host: string): Promise<number> {
  const probe = createProbe().listen(0, host);
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error(`no free port on ${host}`);
  return address.port;
}
