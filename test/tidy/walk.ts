/**
 * Follows a payment from its endpoint to the commit as a reader does, by going to definitions and
 * implementations.
 *
 *     node --import tsx test/tidy/walk.ts               prints each hop and where it lands
 *
 * The chapter "Following a payment" of ARCHITECTURE.md shows the hops. `walk.test.ts` checks it.
 */
import { readFileSync } from "node:fs";
import { type Declaration, type LanguageServer, startLanguageServer } from "./language-server.ts";

/**
 * A call on the way of a payment: the function that makes it, and the text before its arguments.
 * This text is unique in the file.
 */
interface Call {
  readonly in: string;
  readonly path: string;
  readonly call: string;
}

/** A hop goes from a call to the function that makes the next one. The last call is of a port. */
const CALLS: readonly [Call, ...Call[]] = [
  { in: "pay", path: "http/surfaces/relay/send-payment.ts", call: "return sendPayment(" },
  { in: "SendPayment", path: "engine/terminals/send-payment.ts", call: "const outcome = await terminals.accept(" },
  { in: "Terminals.accept", path: "engine/routing/shard-terminals.ts", call: "return acceptHere(" },
  { in: "acceptHere", path: "engine/routing/shard-terminals.ts", call: "? home.accept(" },
  { in: "TerminalHome.accept", path: "engine/terminals/terminal-home.ts", call: "? acceptInTurn(" },
  { in: "acceptInTurn", path: "engine/terminals/terminal-home.ts", call: "(actor) => accept(" },
  { in: "AcceptCommand", path: "engine/terminals/accept-command.ts", call: "await steps.run(" },
  { in: "Steps.run", path: "engine/terminals/steps.ts", call: "await actors.commit(" },
  { in: "Actors.commit", path: "engine/terminals/actors.ts", call: "stored = await store.commit(" },
  { in: "TerminalStore.commit", path: "engine/terminals/terminal-store.ts", call: "return kv.commit(" },
];

export interface Hop extends Call {
  /** What is called, as it is written. */
  readonly name: string;
  /** The look-up that lands on the function with the next call; null where neither does. */
  readonly by: "definition" | "implementation" | null;
}

export interface Walk {
  readonly hops: readonly Hop[];
  readonly last: Call & { readonly name: string };
  /** Files of the storage that implement the port. */
  readonly implementations: readonly string[];
}

export async function walk(): Promise<Walk> {
  const server = await startLanguageServer();
  try {
    const hops: Hop[] = [];
    let call = CALLS[0];
    for (const next of CALLS.slice(1)) {
      hops.push(await hopTo(server, call, next));
      call = next;
    }
    const { at, name } = placeOf(call);
    const offered = await server.lookUp("implementation", call.path, at);
    const implementations = offered.map(({ path }) => path).filter((path) => path.startsWith("storage/"));
    return { hops, last: { ...call, name }, implementations: implementations.sort() };
  } finally {
    await server.stop();
  }
}

async function hopTo(server: LanguageServer, call: Call, next: Call): Promise<Hop> {
  const { at, name } = placeOf(call);
  for (const by of ["definition", "implementation"] as const) {
    const found = await server.lookUp(by, call.path, at);
    if (found.some((declaration) => leadsTo(declaration, next))) return { ...call, name, by };
  }
  return { ...call, name, by: null };
}

/** Returns whether a declaration contains the next call and has the name of its function. */
function leadsTo({ path, name, from, to }: Declaration, next: Call): boolean {
  const { at } = placeOf(next);
  return path === next.path && from <= at && at < to && name === next.in.split(".").at(-1);
}

/** Returns what is called, as it is written, and the offset of its last name in the file. */
function placeOf({ path, call }: Call): { at: number; name: string } {
  const parts = readFileSync(path, "utf8").split(call);
  if (parts.length !== 2) throw new Error(`"${call}" has to stand in ${path} once; change CALLS in test/tidy/walk.ts with the code`);
  const [before = ""] = parts;
  const [, name = "", last = ""] = /((?:\w+\.)*(\w+))\($/.exec(call) ?? [];
  return { at: before.length + call.length - `${last}(`.length, name };
}

if (process.argv[1] === import.meta.filename) {
  const { hops, last, implementations } = await walk();
  for (const hop of hops) console.log(`${hop.path}: ${hop.in} calls ${hop.name}: ${hop.by ?? "no look-up leads on"}`);
  console.log(`${last.path}: ${last.in} calls ${last.name}: ${implementations.join(", ")}`);
}
