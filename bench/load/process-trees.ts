import { readdirSync, readFileSync } from "node:fs";

/** A server's process with all that it started. */
export interface TreeRoot {
  /** Of the process itself, with children that have ended: Redis writes its log anew in one. */
  name: string;
  pid: number;
  /** Of children that run: a relay's is ClickHouse. The same name adds them to it. */
  children: string;
}

/** Since the processes began. */
export interface TreesRead {
  processes: Map<string, ProcessUse>;
  /** Of all processors and everything that runs. */
  machineBusyMs: number;
}

export interface ProcessUse {
  cpuMs: number;
  /** Bytes that were given to the disk; whole pages, so an entry of 100 bytes that is synced by itself counts 4,096. */
  writtenBytes: number;
}

/** Between two readings. */
export interface TreesUse {
  processes: { [name: string]: ProcessUse };
  machineBusyMs: number;
  seconds: number;
}

/** Of the kernel's clock. */
const TICK_MS = 10;

/** What these trees have used so far; null where there is no Linux to tell. */
export function readTrees(roots: readonly TreeRoot[]): TreesRead | null {
  try {
    const childrenOf = childrenByParent();
    const processes = new Map<string, ProcessUse>();
    for (const { name, pid, children } of roots) {
      add(processes, name, pid);
      const below = [...(childrenOf.get(pid) ?? [])];
      for (let child = below.pop(); child !== undefined; child = below.pop()) {
        add(processes, children, child);
        below.push(...(childrenOf.get(child) ?? []));
      }
    }
    return { processes, machineBusyMs: machineBusyMs() };
  } catch {
    return null;
  }
}

/** This process, whose use is told beside that of what it watches. */
export const WATCHER = "generator";

/** Starts to watch these and this process; the answer tells what they used since. */
export function watchTrees(servers: readonly TreeRoot[]): () => TreesUse | null {
  const roots = [...servers, { name: WATCHER, pid: process.pid, children: WATCHER }];
  const before = readTrees(roots);
  const startedMs = performance.now();
  return () => {
    const after = readTrees(roots);
    if (before === null || after === null) return null;
    const seconds = (performance.now() - startedMs) / 1_000;
    const processes: { [name: string]: ProcessUse } = {};
    for (const [name, { cpuMs, writtenBytes }] of after.processes) {
      const earlier = before.processes.get(name) ?? { cpuMs: 0, writtenBytes: 0 };
      processes[name] = { cpuMs: cpuMs - earlier.cpuMs, writtenBytes: writtenBytes - earlier.writtenBytes };
    }
    return { processes, machineBusyMs: after.machineBusyMs - before.machineBusyMs, seconds };
  };
}

/** Memory of all processes of these trees, in bytes. */
export function residentBytes(roots: readonly TreeRoot[]): number {
  const childrenOf = childrenByParent();
  const pids = roots.map(({ pid }) => pid);
  for (let at = 0; at < pids.length; at += 1) pids.push(...(childrenOf.get(pids[at] ?? 0) ?? []));
  return pids.reduce((sum, pid) => sum + Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? "")?.[1] ?? 0) * 1_024, 0);
}

function add(processes: Map<string, ProcessUse>, name: string, pid: number): void {
  const use = processes.get(name) ?? { cpuMs: 0, writtenBytes: 0 };
  const stat = statOf(pid);
  // utime, stime, and of children that were waited for cutime, cstime; what these wrote is in the process' own `io`.
  if (stat !== null) use.cpuMs += stat.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  use.writtenBytes += Number(/^write_bytes: (\d+)$/m.exec(read(`/proc/${pid}/io`) ?? "")?.[1] ?? 0);
  processes.set(name, use);
}

function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const parent = Number(statOf(Number(name))?.[1] ?? 0);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

/** The members behind the name: state, parent, ...; null for a process that has ended. */
function statOf(pid: number): string[] | null {
  const stat = read(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** `cpu user nice system idle iowait irq softirq ...`, without what idled, waited or was stolen. */
function machineBusyMs(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] =
    readFileSync("/proc/stat", "latin1").split("\n", 1)[0]?.split(/\s+/).slice(1).map(Number) ?? [];
  return (user + nice + system + irq + softirq) * TICK_MS;
}

function read(file: string): string | null {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return null;
  }
}
