import { availableParallelism, hostname } from "node:os";
import { resolve } from "node:path";
import ipaddr from "ipaddr.js";
import { isMailAddress } from "../../../engine/mails/mail-address.ts";
import { UWS_LIBRARIES, type UwsLibrary } from "../../../http/server/uws.ts";
import { isSentinelUrl, parseSentinelUrl, SENTINEL_URL_FORM } from "../../../storage/redis/sentinel-url.ts";
import { createReader, type Environment, type Reader } from "./config-reader.ts";
import { SANDBOX_ADMINISTRATOR_PASSWORD } from "./sandbox-names.ts";
import { readSecretKey, SECRET_KEY_FORM, type SecretKeys } from "./secret-key.ts";

/**
 * The configuration of a node: read once from the environment, checked as a whole, then only passed on. `infra/docs/configuration.md`
 * describes each variable.
 */
export interface Config {
  mode: "sandbox" | "production";
  host: string;
  port: number;
  tls: { certFile: string; keyFile: string } | null;
  /** PEM file of those who sign certificates of cash registers; null if none are asked for. */
  tlsClientCaFile: string | null;
  dataDirectory: string;
  /** File outside of the store that records how far the store is. */
  witnessFile: string;
  nodeId: string;
  shards: number;
  /** Which of the two packages of uWebSockets.js is loaded; `newest`: the newest that can be loaded here. */
  httpLibrary: UwsLibrary | "newest";
  /** `email`: where the owner is told of changes of its second factors; null for nowhere. */
  administrator: { username: string; password: string | null; email: string | null };
  terminalSecret: string;
  fleet: { username: string; password: string } | null;
  /** Keys that encrypt stored secrets. */
  secretKeys: SecretKeys;
  /** Key of the demo partner; null in production. */
  sandboxApiKey: string | null;
  trustedProxies: string[];
  servicePrefix: string | null;
  /** Base address of the card gateway, with its context path; null if there is none (the sandbox then starts its own). */
  gatewayUrl: string | null;
  /** Path before the adapter's own (`/pgw/payment/...`), which signatures cover; empty or beginning with a slash. */
  adapterContextPath: string;
  /** CIDRs of local networks to which callbacks of the adapter may be sent. */
  callbackAllowedNetworks: string[];
  /** Port of the sandbox's own gateway; 0 takes a free one. */
  sandboxGatewayPort: number;
  /** Port of the ZVT listener on this node, whatever is configured for all; 0 takes a free one. Null: as configured. */
  zvtPort: number | null;
  /** Base of links that the relay sends out, without a trailing slash; null: the listener's address. */
  publicUrl: string | null;
  /** Folder for packages of app versions, shared by all nodes. Null: below the data directory; in a cluster no packages. */
  packageDirectory: string | null;
  packageBytesMax: number;
  /** Files of exports; null: below `dataDirectory`, and in a cluster none. */
  exportDirectory: string | null;
  /** Of all files of exports together. */
  exportBytesMax: number;
  /** Limit for all downloads of a node together. */
  downloadBytesPerSecond: number;
  /** Where mails of the merchant portal are handed over; null if nothing sends them: then administrators read them (`GET /admin/outbox`). */
  smtp: {
    host: string;
    port: number;
    secure: boolean;
    requireTls: boolean;
    login: { user: string; password: string } | null;
    from: string;
  } | null;
  timeZone: string;
  uuidRetentionDays: number;
  resultRetentionDays: number;
  /** How long the portal's logs are kept in ClickHouse. */
  logRetentionDays: number;
  logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  openTerminalLogs: boolean;
  /** Which terminals a new partner may use until its rule is set. */
  partnerDefaultRule: "any" | "none";
  /** What one client address, or one caller, may have open at this node at once. */
  openMax: { socketsOfAddress: number; socketsWithoutLoginOfAddress: number; waitsOfCaller: number };
  /** `port`: a listener for `/metrics` alone, or null. `token`: what readers send as bearer; without it only the sandbox's are public. */
  metrics: { host: string; port: number | null; token: string | null };
  /** Null for a single node. `redisReplicas`: replicas of Redis that have a commit on disk before it is acknowledged. */
  cluster: { redisUrl: string; redisReplicas: number; kafkaBrokers: string[] } | null;
  /** `off`: the node runs without analytics and writes no rows for ClickHouse. */
  clickhouse: { type: "embedded"; port: number; analystPassword: string | null } | { type: "server"; url: string } | { type: "off" };
}

const SANDBOX = {
  terminalSecret: "sandbox-terminal-secret",
  secretKey: "6f1d0a83c25e47b99b7c3e14f8a05d62c4e81b7f2093da56e7450c9b8a1f36d2",
  apiKey: "pk_live_sandbox_0000000000000000000000000000",
  credential: "terminal",
  administrator: "admin",
  /** Of a domain that never exists. */
  administratorEmail: "admin@relay.example",
};

/** Known names; any other RELAY_ name is refused as misspelt. */
const NAMES = new Set([
  "RELAY_ENV_FILE",
  "RELAY_MODE",
  "RELAY_HOST",
  "RELAY_PORT",
  "RELAY_TLS_CERT",
  "RELAY_TLS_KEY",
  "RELAY_TLS_CLIENT_CA",
  "RELAY_DATA_DIR",
  "RELAY_WITNESS_FILE",
  "RELAY_NODE_ID",
  "RELAY_SHARDS",
  "RELAY_HTTP_LIBRARY",
  "RELAY_ADMIN_USERNAME",
  "RELAY_ADMIN_PASSWORD",
  "RELAY_ADMIN_EMAIL",
  "RELAY_TERMINAL_SECRET",
  "RELAY_TERMINAL_USERNAME",
  "RELAY_TERMINAL_PASSWORD",
  "RELAY_SANDBOX_API_KEY",
  "RELAY_SECRET_KEY",
  "RELAY_SECRET_KEY_OLD",
  "RELAY_TRUSTED_PROXIES",
  "RELAY_SERVICE_PREFIX",
  "RELAY_PUBLIC_URL",
  "RELAY_GATEWAY_URL",
  "RELAY_ADAPTER_CONTEXT_PATH",
  "RELAY_CALLBACK_ALLOWED_NETWORKS",
  "RELAY_SANDBOX_GATEWAY_PORT",
  "RELAY_ZVT_PORT",
  "RELAY_PACKAGE_DIR",
  "RELAY_PACKAGE_MEGABYTES_MAX",
  "RELAY_DOWNLOAD_MEGABYTES_PER_SECOND",
  "RELAY_EXPORT_DIR",
  "RELAY_EXPORT_GIGABYTES_MAX",
  "RELAY_SMTP_URL",
  "RELAY_MAIL_FROM",
  "RELAY_TIME_ZONE",
  "RELAY_UUID_RETENTION_DAYS",
  "RELAY_RESULT_RETENTION_DAYS",
  "RELAY_LOG_RETENTION_DAYS",
  "RELAY_LOG_LEVEL",
  "RELAY_OPEN_TERMINAL_LOGS",
  "RELAY_PARTNER_DEFAULT_RULE",
  "RELAY_WEBSOCKETS_PER_ADDRESS_MAX",
  "RELAY_WEBSOCKETS_WITHOUT_LOGIN_PER_ADDRESS_MAX",
  "RELAY_WAITING_LOOKUPS_PER_CALLER_MAX",
  "RELAY_METRICS_HOST",
  "RELAY_METRICS_PORT",
  "RELAY_METRICS_TOKEN",
  "RELAY_REDIS_URL",
  "RELAY_REDIS_WAIT_REPLICAS",
  "RELAY_KAFKA_BROKERS",
  "RELAY_ANALYTICS",
  "RELAY_CLICKHOUSE_URL",
  "RELAY_CLICKHOUSE_PORT",
  "RELAY_ANALYST_PASSWORD",
]);

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;
const SHARDS_MAX = 64;
/** More than all shards together can have open. */
const OPEN_MAX = 1_000_000;

/** Reads the configuration. Throws ConfigRefused with everything that is wrong. */
export function readConfig(environment: Environment): Config {
  const reader = createReader(environment, NAMES);
  const mode = reader.word("RELAY_MODE", ["sandbox", "production"] as const, "sandbox");
  const sandbox = mode === "sandbox";
  const host = reader.text("RELAY_HOST") ?? (sandbox ? "127.0.0.1" : "0.0.0.0");
  const trustedProxies = readNetworks(reader, "RELAY_TRUSTED_PROXIES", []);
  const tls = readTls(reader);
  const publicUrl = reader.url("RELAY_PUBLIC_URL")?.replace(/\/+$/, "") ?? null;
  if (sandbox && !isLoopback(host)) reader.refuse("RELAY_HOST", "a loopback address, because the sandbox has known credentials");
  if (sandbox && !trustedProxies.every(isLoopbackNetwork)) {
    reader.refuse(
      "RELAY_TRUSTED_PROXIES",
      "only networks in 127.0.0.0/8 (or ::1), because the sandbox has known credentials and serves this machine only",
    );
  }
  if (sandbox && publicUrl !== null && !isLoopback(hostOf(publicUrl))) {
    reader.refuse("RELAY_PUBLIC_URL", "a loopback address, because the sandbox has known credentials and serves this machine only");
  }
  if (!sandbox && tls === null && trustedProxies.length === 0 && !isLoopback(host)) {
    reader.refuse(
      "RELAY_TLS_CERT",
      "a certificate, or RELAY_TRUSTED_PROXIES if a proxy terminates TLS, because cards are charged over this address",
    );
  }
  const packageDirectory = reader.text("RELAY_PACKAGE_DIR");
  const exportDirectory = reader.text("RELAY_EXPORT_DIR");
  const dataDirectory = resolve(reader.text("RELAY_DATA_DIR") ?? "./data");
  const config: Config = {
    mode,
    host,
    port: reader.integer("RELAY_PORT", 8080, 0, 65_535),
    tls,
    tlsClientCaFile: readClientCa(reader, tls),
    dataDirectory,
    witnessFile: resolve(reader.text("RELAY_WITNESS_FILE") ?? `${dataDirectory}.witness`),
    nodeId: reader.matching("RELAY_NODE_ID", /^[A-Za-z0-9._-]{1,64}$/, "1 to 64 of A-Z a-z 0-9 . _ -") ?? generatedNodeId(),
    shards: reader.integer("RELAY_SHARDS", Math.max(1, availableParallelism() - 1), 1, SHARDS_MAX),
    httpLibrary: reader.word("RELAY_HTTP_LIBRARY", ["newest", ...UWS_LIBRARIES] as const, "newest"),
    administrator: {
      username: reader.text("RELAY_ADMIN_USERNAME") ?? SANDBOX.administrator,
      password: reader.secret("RELAY_ADMIN_PASSWORD", sandbox) ?? (sandbox ? SANDBOX_ADMINISTRATOR_PASSWORD : null),
      email: reader.matching("RELAY_ADMIN_EMAIL", isMailAddress, "an e-mail address") ?? (sandbox ? SANDBOX.administratorEmail : null),
    },
    terminalSecret:
      reader.secret("RELAY_TERMINAL_SECRET", sandbox) ?? (sandbox ? SANDBOX.terminalSecret : reader.missing("RELAY_TERMINAL_SECRET")),
    fleet: readFleet(reader, sandbox),
    secretKeys: readSecretKeys(reader, sandbox),
    sandboxApiKey: readSandboxKey(reader, sandbox),
    trustedProxies,
    servicePrefix: reader.matching("RELAY_SERVICE_PREFIX", /^[A-Za-z0-9_-]{1,64}$/, "one path segment of A-Z a-z 0-9 _ -"),
    gatewayUrl: readGatewayUrl(reader, sandbox),
    adapterContextPath:
      reader.matching("RELAY_ADAPTER_CONTEXT_PATH", /^(?:\/[A-Za-z0-9._-]{1,64}){1,4}$/, "a path such as /CG_SERVICES") ?? "",
    callbackAllowedNetworks: readNetworks(reader, "RELAY_CALLBACK_ALLOWED_NETWORKS", sandbox ? ["127.0.0.0/8", "::1/128"] : []),
    sandboxGatewayPort: reader.integer("RELAY_SANDBOX_GATEWAY_PORT", 0, 0, 65_535),
    zvtPort: reader.text("RELAY_ZVT_PORT") === null ? null : reader.integer("RELAY_ZVT_PORT", 0, 0, 65_535),
    publicUrl,
    packageDirectory: packageDirectory === null ? null : resolve(packageDirectory),
    packageBytesMax: reader.integer("RELAY_PACKAGE_MEGABYTES_MAX", 500, 1, 4_096) * 1_048_576,
    downloadBytesPerSecond: reader.integer("RELAY_DOWNLOAD_MEGABYTES_PER_SECOND", 100, 1, 10_000) * 1_000_000,
    exportDirectory: exportDirectory === null ? null : resolve(exportDirectory),
    exportBytesMax: reader.integer("RELAY_EXPORT_GIGABYTES_MAX", 10, 1, 10_000) * 1_073_741_824,
    smtp: readSmtp(reader, sandbox),
    timeZone: reader.matching("RELAY_TIME_ZONE", isTimeZone, "an IANA time zone such as Europe/Rome") ?? "Europe/Rome",
    uuidRetentionDays: reader.integer("RELAY_UUID_RETENTION_DAYS", 400, 1, 36_500),
    resultRetentionDays: reader.integer("RELAY_RESULT_RETENTION_DAYS", 400, 1, 36_500),
    logRetentionDays: reader.integer("RELAY_LOG_RETENTION_DAYS", 30, 1, 90),
    logLevel: reader.word("RELAY_LOG_LEVEL", LOG_LEVELS, "info"),
    openTerminalLogs: reader.word("RELAY_OPEN_TERMINAL_LOGS", ["0", "1"] as const, sandbox ? "1" : "0") === "1",
    partnerDefaultRule: reader.word("RELAY_PARTNER_DEFAULT_RULE", ["any", "none"] as const, "any"),
    openMax: {
      socketsOfAddress: reader.integer("RELAY_WEBSOCKETS_PER_ADDRESS_MAX", 5_000, 1, OPEN_MAX),
      socketsWithoutLoginOfAddress: reader.integer("RELAY_WEBSOCKETS_WITHOUT_LOGIN_PER_ADDRESS_MAX", 500, 1, OPEN_MAX),
      waitsOfCaller: reader.integer("RELAY_WAITING_LOOKUPS_PER_CALLER_MAX", 1_000, 1, OPEN_MAX),
    },
    metrics: readMetrics(reader, sandbox),
    cluster: readCluster(reader, sandbox),
    clickhouse: readClickHouse(reader, sandbox),
  };
  if (!sandbox && config.terminalSecret === SANDBOX.terminalSecret) {
    reader.refuse("RELAY_TERMINAL_SECRET", "a value of your own, because everyone knows the sandbox's");
  }
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("RELAY_") || NAMES.has(name)) continue;
    reader.refuse(name, "one of the documented names; this version does not know this one");
  }
  reader.finish();
  return config;
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** True for a host that other machines cannot reach. */
export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  return ipaddr.isValid(host) && ipaddr.parse(host).range() === "loopback";
}

/**
 * True if clients reach the relay over TLS, so that browsers can be told to use nothing else with its host. Never in the sandbox: its host is `localhost`, with
 * whatever else a developer runs there.
 */
export function isTlsOnly({ mode, ...reached }: Pick<Config, "mode" | "tls" | "publicUrl">): boolean {
  return mode === "production" && isReachedOverTls(reached);
}

/** Whether browsers come over TLS: the relay's own, or that of a proxy before it. */
function isReachedOverTls({ tls, publicUrl }: Pick<Config, "tls" | "publicUrl">): boolean {
  return tls !== null || (publicUrl !== null && new URL(publicUrl).protocol === "https:");
}

/**
 * Whether browsers keep the portal's cookie for TLS. In production they do, unless the public address says plain http: where none is configured they come over
 * the relay's own TLS, or that of a proxy that says nothing of it.
 */
export function isCookieSecure({ mode, ...reached }: Pick<Config, "mode" | "tls" | "publicUrl">): boolean {
  return isReachedOverTls(reached) || (mode === "production" && reached.publicUrl === null);
}

/** A CIDR as `readNetworks` returns it. */
function isLoopbackNetwork(cidr: string): boolean {
  if (!ipaddr.isValidCIDR(cidr)) return false;
  const [address, bits] = ipaddr.parseCIDR(cidr);
  return address.range() === "loopback" && bits >= (address.kind() === "ipv4" ? 8 : 128);
}

/** The host of a URL, an IPv6 address without its brackets. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, "");
}

function generatedNodeId(): string {
  const random = crypto.randomUUID().slice(0, 6);
  return `${hostname()
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .slice(0, 48)}-${random}`;
}

function readNetworks(reader: Reader, name: string, otherwise: string[]): string[] {
  const text = reader.text(name);
  if (text === null) return otherwise;
  const cidrs = text.split(",").map((cidr) => cidr.trim());
  const given = cidrs.filter((cidr) => cidr !== "");
  const isCidr = (cidr: string) => (cidr.includes("/") ? ipaddr.isValidCIDR(cidr) : ipaddr.isValid(cidr));
  if (!given.every(isCidr)) reader.refuse(name, "addresses or CIDRs, comma-separated, such as 10.0.0.0/8");
  return given.map((cidr) => (cidr.includes("/") ? cidr : `${cidr}/${cidr.includes(":") ? 128 : 32}`));
}

function readTls(reader: Reader): Config["tls"] {
  const certFile = reader.text("RELAY_TLS_CERT");
  const keyFile = reader.text("RELAY_TLS_KEY");
  if ((certFile === null) !== (keyFile === null)) {
    reader.refuse(
      certFile === null ? "RELAY_TLS_CERT" : "RELAY_TLS_KEY",
      "set it together with the other of RELAY_TLS_CERT and RELAY_TLS_KEY",
    );
  }
  return certFile === null || keyFile === null ? null : { certFile, keyFile };
}

/** Certificates of clients are checked where the relay has one itself. */
function readClientCa(reader: Reader, tls: Config["tls"]): string | null {
  const file = reader.text("RELAY_TLS_CLIENT_CA");
  if (file !== null && tls === null) reader.refuse("RELAY_TLS_CLIENT_CA", "set it together with RELAY_TLS_CERT and RELAY_TLS_KEY");
  return file;
}

function readFleet(reader: Reader, sandbox: boolean): Config["fleet"] {
  const username = reader.text("RELAY_TERMINAL_USERNAME");
  const password = reader.secret("RELAY_TERMINAL_PASSWORD", sandbox);
  if (username === null && password === null) return sandbox ? { username: SANDBOX.credential, password: SANDBOX.credential } : null;
  if (username !== null && password !== null) return { username, password };
  reader.refuse(username === null ? "RELAY_TERMINAL_USERNAME" : "RELAY_TERMINAL_PASSWORD", "set it together with the other of the two");
  return null;
}

function readSandboxKey(reader: Reader, sandbox: boolean): string | null {
  const key = reader.matching("RELAY_SANDBOX_API_KEY", /^pk_live_[A-Za-z0-9_]{16,64}$/, "pk_live_ and 16 to 64 of A-Z a-z 0-9 _");
  if (!sandbox && key !== null) reader.refuse("RELAY_SANDBOX_API_KEY", "unset in production, which has no demo partner");
  return sandbox ? (key ?? SANDBOX.apiKey) : null;
}

function readSecretKeys(reader: Reader, sandbox: boolean): SecretKeys {
  const [given, old] = [
    reader.read("RELAY_SECRET_KEY", readSecretKey, SECRET_KEY_FORM),
    reader.read("RELAY_SECRET_KEY_OLD", readSecretKey, SECRET_KEY_FORM),
  ];
  if (!sandbox && given === SANDBOX.secretKey)
    reader.refuse("RELAY_SECRET_KEY", "a value of your own, because everyone knows the sandbox's");
  if (!sandbox && reader.text("RELAY_SECRET_KEY") === null) reader.missing("RELAY_SECRET_KEY");
  const current = given ?? SANDBOX.secretKey;
  if (old === current) reader.refuse("RELAY_SECRET_KEY_OLD", "another key than RELAY_SECRET_KEY");
  return { current, old };
}

/** Card payments are sent there, signed but not encrypted by the relay: outside the sandbox only TLS or this machine is accepted. */
function readGatewayUrl(reader: Reader, sandbox: boolean): string | null {
  const url = reader.url("RELAY_GATEWAY_URL");
  if (url === null) return null;
  const { protocol, search, hash } = new URL(url);
  if (search !== "" || hash !== "") reader.refuse("RELAY_GATEWAY_URL", "a base address, without a query");
  if (!sandbox && protocol !== "https:" && !isLoopback(hostOf(url))) {
    reader.refuse("RELAY_GATEWAY_URL", "an https URL, because payments are made over it");
  }
  return url.replace(/\/+$/, "");
}

/** Mails carry links that sign somebody in: outside the sandbox only over TLS, to this machine, or where the URL says so itself. */
function readSmtp(reader: Reader, sandbox: boolean): Config["smtp"] {
  const url = reader.read("RELAY_SMTP_URL", readSmtpUrl, SMTP_URL_FORM);
  const from = reader.matching(
    "RELAY_MAIL_FROM",
    isSender,
    "an address, or a name in ASCII and an address: Payments <no-reply@example.com>",
  );
  const given = (name: string) => reader.text(name) !== null;
  if (given("RELAY_SMTP_URL") !== given("RELAY_MAIL_FROM")) {
    reader.refuse(
      given("RELAY_SMTP_URL") ? "RELAY_MAIL_FROM" : "RELAY_SMTP_URL",
      "set it together with the other of RELAY_SMTP_URL and RELAY_MAIL_FROM",
    );
  }
  if (url === null || from === null) return null;
  const { tls, ...server } = url;
  return { ...server, requireTls: tls ?? (!sandbox && !isLoopback(server.host)), from };
}

const SMTP_URL_FORM =
  "smtp://user:password@host:587 (STARTTLS) or smtps://user:password@host:465, percent-encoded; only ?tls=required or ?tls=optional may follow";

function readSmtpUrl(text: string) {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text);
  const secure = protocol === "smtps:";
  if ((!secure && protocol !== "smtp:") || hostname === "" || !["", "/"].includes(pathname) || hash !== "") return null;
  if (!["", "?tls=required", "?tls=optional"].includes(search) || (secure && search === "?tls=optional")) return null;
  const user = decoded(username);
  const secret = decoded(password);
  if (user === null || secret === null || (user === "") !== (secret === "")) return null;
  return {
    host: hostOf(text),
    port: port === "" ? (secure ? 465 : 587) : Number(port),
    secure,
    tls: search === "" ? null : search === "?tls=required",
    login: user === "" ? null : { user, password: secret },
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function isSender(text: string): boolean {
  const [, name, bracketed] = /^([A-Za-z0-9 ._-]{1,64}) <([^<>]*)>$/.exec(text) ?? [];
  return isMailAddress(name === undefined || bracketed === undefined ? text : bracketed);
}

function readMetrics(reader: Reader, sandbox: boolean): Config["metrics"] {
  const host = reader.text("RELAY_METRICS_HOST");
  const port = reader.text("RELAY_METRICS_PORT") === null ? null : reader.integer("RELAY_METRICS_PORT", 0, 0, 65_535);
  if (host !== null && port === null) reader.refuse("RELAY_METRICS_HOST", "set it together with RELAY_METRICS_PORT");
  if (host !== null && !ipaddr.isValid(host) && host !== "localhost") reader.refuse("RELAY_METRICS_HOST", "an IP address of this machine");
  if (sandbox && host !== null && !isLoopback(host)) reader.refuse("RELAY_METRICS_HOST", "a loopback address in the sandbox");
  const token = reader.secret("RELAY_METRICS_TOKEN", sandbox);
  if (token !== null && !/^[!-~]{1,512}$/.test(token)) reader.refuse("RELAY_METRICS_TOKEN", "at most 512 ASCII characters, without spaces");
  return { host: host ?? "127.0.0.1", port, token };
}

function readClickHouse(reader: Reader, sandbox: boolean): Config["clickhouse"] {
  const url = reader.url("RELAY_CLICKHOUSE_URL");
  const port = reader.integer("RELAY_CLICKHOUSE_PORT", 0, 0, 65_535);
  const analystPassword = reader.secret("RELAY_ANALYST_PASSWORD", sandbox);
  if (reader.word("RELAY_ANALYTICS", ["on", "off"] as const, "on") === "off") {
    if (url === null) return { type: "off" };
    reader.refuse("RELAY_ANALYTICS", "on or unset with RELAY_CLICKHOUSE_URL, because a node without analytics uses no ClickHouse");
  }
  return url === null ? { type: "embedded", port, analystPassword } : { type: "server", url };
}

/** Cluster mode requires all three: a node that shares its state but not its feed would not work. */
function readCluster(reader: Reader, sandbox: boolean): Config["cluster"] {
  const redisUrl = reader.matching("RELAY_REDIS_URL", isRedisUrl, `a redis or rediss URL, or ${SENTINEL_URL_FORM}`);
  const brokers = (reader.text("RELAY_KAFKA_BROKERS") ?? "").split(",").map((broker) => broker.trim());
  const kafkaBrokers = brokers.filter((broker) => broker !== "");
  if (!kafkaBrokers.every((broker) => /^[A-Za-z0-9.-]+:\d{1,5}$/.test(broker))) {
    reader.refuse("RELAY_KAFKA_BROKERS", "host:port, comma-separated");
  }
  const redisReplicas = reader.integer("RELAY_REDIS_WAIT_REPLICAS", 0, 0, 5);
  if (!sandbox && redisUrl !== null && isSentinelUrl(redisUrl) && redisReplicas === 0) {
    reader.refuse(
      "RELAY_REDIS_WAIT_REPLICAS",
      "1 or more with Sentinels, because Redis replicates asynchronously, and a failover loses data that only the previous primary has",
    );
  }
  if (redisUrl === null && kafkaBrokers.length === 0) {
    if (redisReplicas > 0)
      reader.refuse("RELAY_REDIS_WAIT_REPLICAS", "0 or unset without RELAY_REDIS_URL, because a single node has no replicas");
    return null;
  }
  const names = ["RELAY_REDIS_URL", "RELAY_KAFKA_BROKERS", "RELAY_CLICKHOUSE_URL"];
  for (const name of names) if (reader.text(name) === null) reader.refuse(name, `set it together with the others of ${names.join(", ")}`);
  return { redisUrl: redisUrl ?? "", redisReplicas, kafkaBrokers };
}

function isRedisUrl(value: string): boolean {
  if (isSentinelUrl(value)) return parseSentinelUrl(value) !== null;
  return URL.canParse(value) && /^rediss?:$/.test(new URL(value).protocol);
}
