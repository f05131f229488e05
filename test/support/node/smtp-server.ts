import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { TLSSocket } from "node:tls";

/** A mail that a server received to its end, whether it accepted the mail or not. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Headers and body, unchanged. */
  data: string;
  overTls: boolean;
  /** The user that logged in; null without a login. */
  user: string | null;
}

export interface SmtpServerOptions {
  /** Certificate and key in PEM. Without them there is no TLS. */
  tls?: { cert: string; key: string };
  /** Offers STARTTLS. Otherwise `tls` means TLS from the first byte. */
  startTls?: boolean;
  login?: { user: string; password: string };
  /** The server's first reply; null sends nothing. */
  greeting?: string | null;
  /** The server waits for this reply. */
  onRecipient?(address: string): string | Promise<string>;
  onData?(): string | null;
}

export interface SmtpServer {
  port: number;
  mails: ReceivedMail[];
  /** Number of all connections, and of the open ones. */
  connections: { made: number; open: number };
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** A small SMTP server (RFC 5321, STARTTLS, AUTH PLAIN) on 127.0.0.1, for tests. */
export async function startSmtpServer(options: SmtpServerOptions = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const connections = { made: 0, open: 0 };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    connections.made += 1;
    connections.open += 1;
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.on("close", () => {
      connections.open -= 1;
      sockets.delete(socket);
    });
    const { tls } = options;
    const implicit = tls !== undefined && options.startTls !== true;
    serve(implicit ? upgraded(socket, tls) : socket, { options, mails, overTls: implicit, greets: true });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    port: address.port,
    mails,
    connections,
    idle: async () => {
      for (const socket of sockets) await once(socket, "close");
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

function upgraded(socket: Socket, { cert, key }: { cert: string; key: string }): TLSSocket {
  const secure = new TLSSocket(socket, { isServer: true, cert, key });
  secure.on("error", () => undefined);
  return secure;
}

interface Serving {
  options: SmtpServerOptions;
  mails: ReceivedMail[];
  overTls: boolean;
  greets: boolean;
}

function serve(socket: Socket, { options, mails, overTls, greets }: Serving): void {
  let [from, to, user, data]: [string, string[], string | null, string | null] = ["", [], null, null];
  let rest = "";
  const reply = (text: string) => socket.write(`${text}\r\n`);
  const greeting = options.greeting === undefined ? "220 mail.example ESMTP" : options.greeting;
  if (greets && greeting !== null) reply(greeting);

  const take = (chunk: Buffer) => {
    rest += chunk.toString("latin1");
    for (let end = rest.indexOf("\r\n"); end >= 0; end = rest.indexOf("\r\n")) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 2);
      if (data !== null) content(line, data);
      else command(line);
    }
  };
  socket.on("data", take);

  function content(line: string, before: string): void {
    if (line !== ".") {
      data = `${before}${line.startsWith(".") ? line.slice(1) : line}\r\n`;
      return;
    }
    mails.push({ from, to, data: before, overTls, user });
    [from, to, data] = ["", [], null];
    const answer = options.onData?.() ?? (options.onData === undefined ? "250 2.0.0 taken" : null);
    if (answer === null) socket.destroy();
    else reply(answer);
  }

  async function recipient(address: string): Promise<void> {
    const answer = (await options.onRecipient?.(address)) ?? "250 2.1.5 ok";
    if (answer.startsWith("2")) to.push(address);
    reply(answer);
  }

  function command(line: string): void {
    const [verb = ""] = line.toUpperCase().split(" ");
    switch (verb) {
      case "EHLO": {
        const more = [
          ...(options.startTls === true && !overTls ? ["STARTTLS"] : []),
          ...(options.login === undefined ? [] : ["AUTH PLAIN"]),
          "8BITMIME",
        ];
        reply(["250-mail.example", ...more.map((word, index) => `${index === more.length - 1 ? "250 " : "250-"}${word}`)].join("\r\n"));
        return;
      }
      case "STARTTLS": {
        if (options.tls === undefined) return void reply("502 5.5.1 no TLS");
        reply("220 2.0.0 go ahead");
        socket.off("data", take);
        serve(upgraded(socket, options.tls), { options, mails, overTls: true, greets: false });
        return;
      }
      case "AUTH": {
        const [, name = "", password = ""] = Buffer.from(line.split(" ")[2] ?? "", "base64")
          .toString("utf8")
          .split("\0");
        if (name !== options.login?.user || password !== options.login.password) return void reply("535 5.7.8 wrong");
        user = name;
        reply("235 2.7.0 in");
        return;
      }
      case "MAIL":
        if (options.login !== undefined && user === null) return void reply("530 5.7.0 log in");
        from = between(line);
        reply("250 2.1.0 ok");
        return;
      case "RCPT":
        void recipient(between(line));
        return;
      case "DATA":
        if (to.length === 0) return void reply("503 5.5.1 nobody to send it to");
        data = "";
        reply("354 go on");
        return;
      case "RSET":
        [from, to] = ["", []];
        reply("250 2.0.0 ok");
        return;
      case "QUIT":
        socket.end("221 2.0.0 bye\r\n");
        return;
      default:
        reply("500 5.5.2 what?");
    }
  }
}

function between(line: string): string {
  return /<([^>]*)>/.exec(line)?.[1] ?? "";
}
