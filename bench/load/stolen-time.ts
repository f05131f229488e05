import { readFileSync } from "node:fs";

/**
 * Starts to watch how much of this machine's processors its host gives to others; the answer is that share since then. Null where there is no
 * Linux to tell. On a virtual machine with neighbours it moves by tens of percent within minutes, and takes latencies with it.
 */
export function watchStolenTime(): () => number | null {
  const before = read();
  return () => {
    const after = read();
    if (before === null || after === null || after.all === before.all) return null;
    return (after.stolen - before.stolen) / (after.all - before.all);
  };
}

/** Ticks of all processors since the start: the first line is `cpu user nice system idle iowait irq softirq steal guest guest_nice`. */
function read(): { stolen: number; all: number } | null {
  try {
    const line = readFileSync("/proc/stat", "utf8").split("\n", 1)[0] ?? "";
    // Guests are counted in user and nice already.
    const ticks = line.split(/\s+/).slice(1, 9).map(Number);
    const stolen = ticks[7];
    return stolen === undefined ? null : { stolen, all: ticks.reduce((sum, tick) => sum + tick, 0) };
  } catch {
    return null;
  }
}
