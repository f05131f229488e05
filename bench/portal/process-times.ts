import { readdir, readFile } from "node:fs/promises";

/** Of the kernel's clock, a second. */
const TICKS_PER_SECOND = 100;

/** Processor time of a process since its start, in milliseconds; 0 where there is no Linux to tell, or no such process. */
export async function cpuMsOf(pid: number | null): Promise<number> {
  const [utime = 0, stime = 0] = (await statOf(pid)).slice(11, 13).map(Number);
  return ((utime + stime) * 1_000) / TICKS_PER_SECOND;
}

/** Memory of a process in bytes; 0 as above. */
export async function rssOf(pid: number | null): Promise<number> {
  if (pid === null) return 0;
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
}

/** The ClickHouse that a relay's process has started; null where it runs none. */
export async function clickHouseOf(relayPid: number): Promise<number | null> {
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const [, parent] = await statOf(Number(name));
    if (Number(parent) !== relayPid) continue;
    const command = await readFile(`/proc/${name}/cmdline`, "utf8").catch(() => "");
    if (command.includes("clickhouse")) return Number(name);
  }
  return null;
}

/** The members behind the name: state, parent, ... */
async function statOf(pid: number | null): Promise<string[]> {
  const stat = pid === null ? "" : await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
