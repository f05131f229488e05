import { terminalPassword } from "../../http/auth/terminal-password.ts";

/** What the relay is started with, and the generator signs in with. */
export const TERMINAL_SECRET = "bench-terminal-secret-0000";
export const API_KEY = "pk_live_sandbox_0000000000000000000000000000";

/** Terminals that poll, each with its own credential and address: those of some chains of shops, and a large fleet. */
export const POLLING_TERMINALS = 10_000;
export const FLEET_TERMINALS = 100_000;

/** Terminals that payments wait for; each has room for 8 of one sender. */
export const QUEUEING_TERMINALS = 100_000;

/** Addresses that payments come from; each may send ten a second. */
export const PARTNER_ADDRESSES = 50_000;

/** Octets of three digits, so that every address is written in as many bytes. */
const OCTET_MIN = 100;
const OCTETS = 150;

/** Of the same length for all. */
export function terminalId(kind: "polling" | "queueing" | "connected", index: number): string {
  const letter = { polling: "P", queueing: "Q", connected: "W" }[kind];
  return letter + String(index).padStart(8, "0");
}

/** A private address, the same length for all; repeats after 3,375,000. */
export function clientAddress(index: number): string {
  const octet = (divisor: number) => OCTET_MIN + (Math.floor(index / divisor) % OCTETS);
  return `10.${octet(OCTETS * OCTETS)}.${octet(OCTETS)}.${octet(1)}`;
}

export function terminalAuthorization(id: string): string {
  return `Basic ${Buffer.from(`${id}:${terminalPassword(TERMINAL_SECRET, id)}`, "latin1").toString("base64")}`;
}
