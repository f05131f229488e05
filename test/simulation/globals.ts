import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const TIMERS = ["setTimeout", "setInterval", "setImmediate"] as const;

/**
 * Runs `work` while time and chance can only be had through the ports: the globals throw. Nothing else of the process may run meanwhile, which holds
 * for a history, since it never waits for anything outside.
 */
export async function withoutGlobals<T>(work: () => Promise<T>): Promise<T> {
  const undo: (() => void)[] = [];
  function forbid<Name extends string>(holder: { [name in Name]: unknown }, name: Name, what: string): void {
    const before = Object.getOwnPropertyDescriptor(holder, name);
    Object.defineProperty(holder, name, {
      configurable: true,
      writable: true,
      enumerable: before?.enumerable ?? true,
      value: () => {
        throw new Error(`${what} in a history: time and chance come from the ports`);
      },
    });
    undo.push(() => {
      if (before === undefined) Reflect.deleteProperty(holder, name);
      else Object.defineProperty(holder, name, before);
    });
  }
  forbid(Date, "now", "Date.now");
  forbid(Math, "random", "Math.random");
  forbid(performance, "now", "performance.now");
  forbid(crypto, "randomUUID", "randomUUID");
  forbid(crypto, "randomBytes", "randomBytes");
  forbid(globalThis.crypto, "randomUUID", "crypto.randomUUID");
  for (const name of TIMERS) forbid(globalThis, name, name);
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    for (const again of undo.reverse()) again();
    syncBuiltinESMExports();
  }
}
