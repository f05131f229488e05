import ipaddr from "ipaddr.js";
import type { HttpResponse } from "./uws.ts";

/** The client that a request comes from. */
export interface ClientAddress {
  readonly text: string;
  /** What rate limits count: an IPv4 address, or the /64 of an IPv6 address, as two 32-bit numbers. */
  readonly limitHigh: number;
  readonly limitLow: number;
}

interface Known extends ClientAddress {
  readonly trusted: boolean;
}

/** Addresses per shard whose text and trust are cached; at the bound all are dropped at once, and each is parsed again. */
const KNOWN_MAX = 65_536;

/** A longer entry of `X-Forwarded-For` is no address: IPv6 with a zone and a port has less. */
const ENTRY_LENGTH_MAX = 64;

/** Trusted proxies in a row; behind the last one nobody looks. */
const PROXIES_MAX = 16;

/** Stands for IPv4 in the high word; no IPv6 network begins with it. */
const IPV4 = -1;

/** Length of the prefix of 127.0.0.0/8. */
const LOOPBACK_BITS = 8;

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/**
 * Finds a request's client: the socket's address or, where that is a trusted proxy, the last address in `X-Forwarded-For` that is not
 * one, counted from the right; what stands further left was written by the client itself. A proxy that adds a line of its own behind the
 * client's is one more entry on the right, so callers pass all lines, joined.
 */
export class ClientAddresses {
  readonly #trusted: readonly Network[];
  readonly #byIpv4 = new Map<number, Known>();
  readonly #byText = new Map<string, Known>();
  /** By what a proxy wrote, where it is not plain IPv4. */
  readonly #byEntry = new Map<string, Known>();
  /** True if connections come from this machine only, and all of it is trusted. */
  #socketsTrusted = false;

  /** Networks in CIDR notation, or single addresses. Throws for one that is neither. */
  constructor(trustedProxies: readonly string[]) {
    this.#trusted = trustedProxies.map((text) => {
      if (text.includes("/")) return ipaddr.parseCIDR(text);
      const address = ipaddr.parse(text);
      return [address, address.kind() === "ipv4" ? 32 : 128];
    });
  }

  /**
   * Sets the address that the server listens on. On a loopback address (a proxy on the same machine terminates TLS) with all of 127.0.0.0/8
   * trusted, the socket's address decides nothing, so it is not read: each read is a system call.
   */
  listeningOn(host: string): void {
    const loopback = ipaddr.IPv4.isValidFourPartDecimal(host) && ipaddr.IPv4.parse(host).range() === "loopback";
    this.#socketsTrusted =
      loopback &&
      this.#trusted.some(([network, bits]) => network.kind() === "ipv4" && network.range() === "loopback" && bits <= LOOPBACK_BITS);
  }

  /** `forwardedFor` is every line of that header; it counts only where the socket is a trusted proxy. */
  of(res: Pick<HttpResponse, "getRemoteAddress">, forwardedFor: string): ClientAddress {
    if (this.#socketsTrusted) return this.#forwarded(forwardedFor) ?? this.#ofSocket(new Uint8Array(res.getRemoteAddress()));
    const socket = this.#ofSocket(new Uint8Array(res.getRemoteAddress()));
    return (socket.trusted ? this.#forwarded(forwardedFor) : null) ?? socket;
  }

  #ofSocket(bytes: Uint8Array): Known {
    if (bytes.length !== 4) return this.#ofText(bytes.length === 16 ? ipaddr.fromByteArray([...bytes]) : ipaddr.parse("::"));
    return this.#ofIpv4(wordAt(bytes, 0));
  }

  #ofIpv4(number: number): Known {
    const known = this.#byIpv4.get(number);
    if (known !== undefined) return known;
    return remember(
      this.#byIpv4,
      number,
      this.#known(new ipaddr.IPv4([number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255])),
    );
  }

  #ofText(address: ipaddr.IPv4 | ipaddr.IPv6): Known {
    const text = address.toString();
    return this.#byText.get(text) ?? remember(this.#byText, text, this.#known(address));
  }

  /** Null if the entry on the right cannot be read: then the proxy is the client. */
  #forwarded(header: string): ClientAddress | null {
    if (header === "") return null;
    const plain = plainIpv4(header);
    if (plain !== null) return plain;
    let client: Known | null = null;
    let end = header.length;
    for (let proxies = 0; end > 0 && proxies < PROXIES_MAX; proxies += 1) {
      const comma = header.lastIndexOf(",", end - 1);
      const next = this.#ofEntry(header.slice(comma + 1, end).trim());
      // An entry that cannot be read: the nearest trusted proxy is used as the client.
      if (next === null) return client;
      client = next;
      if (!next.trusted) return client;
      end = comma;
    }
    return client;
  }

  #ofEntry(text: string): Known | null {
    const number = ipv4In(text);
    if (number !== null) return this.#ofIpv4(number);
    if (text.length > ENTRY_LENGTH_MAX) return null;
    const seen = this.#byEntry.get(text);
    if (seen !== undefined) return seen;
    const address = parseForwarded(text);
    return address === null ? null : remember(this.#byEntry, text, this.#ofText(address));
  }

  #known(parsed: ipaddr.IPv4 | ipaddr.IPv6): Known {
    const address = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
    const bytes = address.toByteArray();
    const ipv4 = address.kind() === "ipv4";
    return {
      text: address.toString(),
      limitHigh: ipv4 ? IPV4 : wordAt(bytes, 0),
      limitLow: ipv4 ? wordAt(bytes, 0) : wordAt(bytes, 4),
      trusted: this.#trusted.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits)),
    };
  }
}

/** Four bytes as a signed 32-bit number. */
function wordAt(bytes: ArrayLike<number>, at: number): number {
  return ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16) | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
}

/**
 * The client of a header that is one plain IPv4 address, which is what nearly every proxy writes. Parsing it is faster than a lookup among
 * the addresses of a fleet, and needs no memory.
 */
function plainIpv4(header: string): ClientAddress | null {
  const number = ipv4In(header);
  return number === null ? null : { text: header, limitHigh: IPV4, limitLow: number };
}

/** The address, if the text consists of four decimal parts only; null if it has to be parsed in another way. */
function ipv4In(text: string): number | null {
  let number = 0;
  let part = 0;
  let digits = 0;
  let dots = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      if (digits === 0) return null;
      number = (number << 8) | part;
      part = 0;
      digits = 0;
      dots += 1;
      continue;
    }
    // No leading zeros: some read such parts as octal.
    if (code < ZERO || code > NINE || (digits > 0 && part === 0)) return null;
    part = part * 10 + code - ZERO;
    digits += 1;
    if (part > 255) return null;
  }
  return dots === 3 && digits > 0 ? (number << 8) | part : null;
}

/** An address as proxies write it, with or without a port. */
function parseForwarded(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const bare = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text)?.[1] ?? text;
  return ipaddr.isValid(bare) && (bare.includes(":") || ipaddr.IPv4.isValidFourPartDecimal(bare)) ? ipaddr.parse(bare) : null;
}

function remember<K, V>(map: Map<K, V>, key: K, value: V): V {
  if (map.size >= KNOWN_MAX) map.clear();
  map.set(key, value);
  return value;
}
