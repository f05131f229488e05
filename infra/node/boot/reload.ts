import type { Config } from "./config.ts";

/** What a running node takes over of a new configuration; anything else wants a restart. */
export type ReloadableConfig = Pick<Config, "logLevel" | "tls" | "tlsClientCaFile" | "openMax" | "downloadBytesPerSecond">;

export interface Reload {
  config: ReloadableConfig;
  /** The files of the certificate, its key or the clients' authorities have other contents than before, and can be used. */
  certificatesChanged: boolean;
}

/** The variables of `ReloadableConfig`. */
const RELOADABLE_NAMES: ReadonlySet<string> = new Set([
  "RELAY_LOG_LEVEL",
  "RELAY_TLS_CERT",
  "RELAY_TLS_KEY",
  "RELAY_TLS_CLIENT_CA",
  "RELAY_WEBSOCKETS_PER_ADDRESS_MAX",
  "RELAY_WEBSOCKETS_WITHOUT_LOGIN_PER_ADDRESS_MAX",
  "RELAY_WAITING_LOOKUPS_PER_CALLER_MAX",
  "RELAY_DOWNLOAD_MEGABYTES_PER_SECOND",
]);

type Environment = { readonly [name: string]: string | undefined };

/** With TLS or without it, and whether clients need certificates, is decided at the start. */
const SET_OR_NOT: ReadonlySet<string> = new Set(["RELAY_TLS_CERT", "RELAY_TLS_KEY", "RELAY_TLS_CLIENT_CA"]);

/** Names of variables that have another value now, and of which the running node takes over nothing. */
export function namesToRestartFor(before: Environment, now: Environment): string[] {
  const isSet = (value: string | undefined) => (value?.trim() ?? "") !== "";
  const isTaken = (name: string) => RELOADABLE_NAMES.has(name) && (!SET_OR_NOT.has(name) || isSet(before[name]) === isSet(now[name]));
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => name.startsWith("RELAY_") && before[name] !== now[name] && !isTaken(name)).sort();
}
