/** The Sentinels that know which Redis is the primary, and how that one is used. */
export interface SentinelAddress {
  sentinels: readonly { host: string; port: number }[];
  /** The primary's, as the Sentinels monitor it. */
  name: string;
  /** Of the servers. */
  username: string | null;
  password: string | null;
  database: number;
  /** Of the Sentinels themselves. */
  sentinelUsername: string | null;
  sentinelPassword: string | null;
  /** To the Sentinels and to the servers. */
  tls: boolean;
}

export const SENTINEL_URL_FORM =
  "redis-sentinel://user:password@host:26379,host:26379,host:26379/0?name=mymaster (or rediss-sentinel://), percent-encoded; sentinel-username and sentinel-password may follow";

const SENTINELS_MAX = 16;
const PORT_DEFAULT = 26_379;
const DATABASES = 16;
const SCHEME = /^rediss?-sentinel:/;
const FORM = /^(rediss?)-sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/(\d{0,2}))?\?([^#]+)$/;
const HOST = /^(\[[0-9a-fA-F:.]{2,45}\]|[A-Za-z0-9._-]{1,253})(?::(\d{1,5}))?$/;
const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const QUERY: readonly string[] = ["name", "sentinel-username", "sentinel-password"];

/** Whether this is to be the address of Sentinels, right or wrong. */
export function isSentinelUrl(url: string): boolean {
  return SCHEME.test(url);
}

/** Null where it does not have the form that `SENTINEL_URL_FORM` tells. */
export function parseSentinelUrl(url: string): SentinelAddress | null {
  const [, scheme, login = "", hosts = "", database = "", search = ""] = FORM.exec(url) ?? [];
  if (scheme === undefined) return null;
  const query = new URLSearchParams(search);
  const name = query.get("name") ?? "";
  const isKnown = [...query.keys()].every((key, index, keys) => QUERY.includes(key) && keys.indexOf(key) === index);
  const sentinels = hosts.split(",").map(endpoint);
  const known = sentinels.filter((sentinel) => sentinel !== null);
  const credentials = loginOf(login);
  if (!isKnown || !NAME.test(name) || known.length !== sentinels.length || known.length > SENTINELS_MAX || credentials === null)
    return null;
  if (Number(database) >= DATABASES) return null;
  return {
    ...{ sentinels: known, name, ...credentials },
    database: Number(database),
    sentinelUsername: query.get("sentinel-username"),
    sentinelPassword: query.get("sentinel-password"),
    tls: scheme === "rediss",
  };
}

/** How messages name the server of a Redis URL of any kind; without credentials. */
export function redisPlace(url: string): string {
  const address = parseSentinelUrl(url);
  return address === null ? `the Redis at ${redisHosts(url)}` : `the Redis ${address.name} of the Sentinels ${redisHosts(url)}`;
}

/** Host and port of the server of a Redis URL of any kind, or those of all its Sentinels; without credentials. */
export function redisHosts(url: string): string {
  const address = parseSentinelUrl(url);
  if (address === null) return new URL(url).host;
  return address.sentinels.map(({ host, port }) => `${host.includes(":") ? `[${host}]` : host}:${port}`).join(", ");
}

function endpoint(text: string): { host: string; port: number } | null {
  const [, host, port = String(PORT_DEFAULT)] = HOST.exec(text) ?? [];
  const number = Number(port);
  if (host === undefined || number < 1 || number > 65_535) return null;
  return { host: host.replace(/^\[|\]$/g, ""), port: number };
}

function loginOf(text: string): Pick<SentinelAddress, "username" | "password"> | null {
  if (text === "") return { username: null, password: null };
  const [user = "", ...rest] = text.split(":");
  // A password without a user is the default user's.
  if (rest.length !== 1) return null;
  try {
    const [username, password] = [decodeURIComponent(user), decodeURIComponent(rest[0] ?? "")];
    return password === "" ? null : { username: username === "" ? null : username, password };
  } catch {
    return null;
  }
}
