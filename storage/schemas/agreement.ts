import { SCHEMAS } from "../../engine/kernel/schemas.ts";

/** The published schema numbers of a version: by kind, the one that it writes (0: none) and those that it reads. */
export interface SchemaNumbers {
  readonly [kind: string]: readonly [writes: number, oldestRead: number, newestRead: number];
}

export const OWN_NUMBERS: SchemaNumbers = Object.fromEntries(
  Object.entries(SCHEMAS).map(([kind, { writes, reads }]) => [kind, [writes, ...reads] as const]),
);

/** A version of the program, and what it reads and writes. */
export interface Version {
  version: string;
  /** Absent for 0.1.0, which publishes none. */
  schemas?: SchemaNumbers;
}

/** This version could not run with the data or the nodes that it finds. The message tells the operator what to do. */
export class VersionRefused extends Error {
  constructor(message: string) {
    super(`${message} (infra/docs/upgrading.md)`);
    this.name = "VersionRefused";
  }
}

/** Null if `one` reads everything that `other` writes; otherwise the first kind that it does not read. */
function unread(one: SchemaNumbers, other: SchemaNumbers): { kind: string; schema: number; reads: string } | null {
  for (const [kind, [schema]] of Object.entries(other)) {
    const [, oldest, newest] = one[kind] ?? [0, 0, 0];
    if (schema === 0 || (schema >= oldest && schema <= newest)) continue;
    return { kind, schema, reads: numbersRead(oldest, newest) };
  }
  return null;
}

export function numbersRead(oldest: number, newest: number): string {
  if (newest === 0) return "does not know it";
  return oldest === newest ? `reads ${newest}` : `reads ${oldest} to ${newest}`;
}

/** Why a node of `own` must not run together with `node`; null if it may, because each reads what the other writes. */
export function refusalBeside(own: Version, node: Version & { nodeId: string }): string | null {
  const { nodeId, version } = node;
  const name = `the node ${nodeId} runs Terminal Relay ${version}`;
  if (node.schemas === undefined || own.schemas === undefined) {
    return `${name}, which cannot run together with ${own.version}: stop all nodes of ${version}, then start this one`;
  }
  const [here, there] = [unread(own.schemas, node.schemas), unread(node.schemas, own.schemas)];
  if (here !== null) {
    return `${name}, which writes ${here.kind} in schema ${here.schema}, and this one (${own.version}) ${here.reads}: start ${version} here too`;
  }
  if (there === null) return null;
  return (
    `this one (${own.version}) writes ${there.kind} in schema ${there.schema}, and ${name}, which ${there.reads}: ` +
    `upgrade through a version between the two, or stop all nodes of ${version}, then start this one`
  );
}
