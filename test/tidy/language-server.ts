import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Line and character count from 0. */
interface Position {
  readonly line: number;
  readonly character: number;
}

interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** A declaration that a look-up found, and where its text begins and ends in the file. */
export interface Declaration {
  readonly path: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export interface LanguageServer {
  /** Looks up the name at an offset of a file, as the commands "go to ..." of an editor do. */
  lookUp(what: "definition" | "implementation", path: string, offset: number): Promise<Declaration[]>;
  stop(): Promise<void>;
}

interface Link {
  readonly targetUri: string;
  readonly targetRange: Range;
  readonly targetSelectionRange: Range;
}

/** The parts of a message that are read here; the only results are those of look-ups. */
interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: readonly Link[] | null;
  readonly error?: { readonly message: string };
}

/** Starts the language server of the installed TypeScript on this repository. */
export async function startLanguageServer(): Promise<LanguageServer> {
  const server = spawn("node_modules/.bin/tsc", ["--lsp", "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise<void>((done) => server.once("close", () => done()));
  const waiting = new Map<number, (message: Message) => void>();
  let received: Buffer = Buffer.alloc(0);
  let requests = 0;

  server.stdout.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    for (let message = next(); message !== null; message = next()) {
      const { id, method } = message;
      if (id === undefined) continue;
      if (method === undefined) waiting.get(id)?.(message);
      // The server asks for settings of the editor. It uses its defaults after an empty answer.
      else send({ id, result: null });
    }
  });

  function next(): Message | null {
    const head = received.indexOf("\r\n\r\n");
    const [, length = ""] = /Content-Length: (\d+)/i.exec(received.toString("latin1", 0, Math.max(0, head))) ?? [];
    const end = head + 4 + Number(length);
    if (head === -1 || received.length < end) return null;
    const message: Message = JSON.parse(received.toString("utf8", head + 4, end));
    received = received.subarray(end);
    return message;
  }

  function send(message: object): void {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  function request(method: string, params?: object): Promise<Message> {
    requests += 1;
    const id = requests;
    const answered = new Promise<Message>((done) => waiting.set(id, done));
    send({ id, method, params });
    const lost = ended.then(() => Promise.reject(new Error(`the language server ended before it answered ${method}`)));
    return Promise.race([answered, lost]);
  }

  const links = { linkSupport: true };
  await request("initialize", {
    processId: process.pid,
    rootUri: pathToFileURL(".").href,
    capabilities: { textDocument: { definition: links, implementation: links } },
  });
  send({ method: "initialized", params: {} });

  const opened = new Set<string>();
  return {
    lookUp: async (what, path, offset) => {
      const text = readFileSync(path, "utf8");
      const uri = pathToFileURL(path).href;
      if (!opened.has(path))
        send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "typescript", version: 1, text } } });
      opened.add(path);
      const { result, error } = await request(`textDocument/${what}`, { textDocument: { uri }, position: positionIn(text, offset) });
      if (error !== undefined) throw new Error(error.message);
      return (result ?? []).map(declarationOf);
    },
    stop: async () => {
      await request("shutdown");
      send({ method: "exit" });
      await ended;
    },
  };
}

function declarationOf({ targetUri, targetRange, targetSelectionRange: name }: Link): Declaration {
  const path = relative(resolve("."), fileURLToPath(targetUri));
  const text = readFileSync(path, "utf8");
  return {
    path,
    name: text.slice(offsetIn(text, name.start), offsetIn(text, name.end)),
    from: offsetIn(text, targetRange.start),
    to: offsetIn(text, targetRange.end),
  };
}

function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}

function offsetIn(text: string, { line, character }: Position): number {
  return text.split("\n").slice(0, line).join("\n").length + (line === 0 ? 0 : 1) + character;
}
