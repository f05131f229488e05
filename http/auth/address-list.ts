import ipaddr from "ipaddr.js";
import { RelayError } from "../../engine/kernel/errors.ts";

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/**
 * Compiles addresses and networks (CIDR) to a check of a client's address; an empty list allows every address. Throws RelayError
 * `invalid_request` naming the first entry that is neither.
 */
export function compileAddressList(entries: readonly string[]): (ipAddress: string) => boolean {
  const networks = entries.map(networkOf);
  if (networks.length === 0) return () => true;
  return (ipAddress) => {
    if (!ipaddr.isValid(ipAddress)) return false;
    const address = unmapped(ipaddr.parse(ipAddress));
    return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
  };
}

/** Compiles one address or network; a client's address is compared as `compileAddressList` does. Throws RelayError `invalid_request` for what is neither. */
export function compileNetwork(entry: string): { key: string; bits: number; contains(ipAddress: string): boolean } {
  const [network, bits] = networkOf(entry);
  return {
    key: `${networkBytes(network, bits)}/${bits}`,
    bits,
    contains: (ipAddress) => {
      if (!ipaddr.isValid(ipAddress)) return false;
      const address = unmapped(ipaddr.parse(ipAddress));
      return network.kind() === address.kind() && address.match(network, bits);
    },
  };
}

/** The bytes of a network in hexadecimal, those of its hosts as zeros: 10.1.2.3/8 and 10.0.0.0/8 are one. */
function networkBytes(address: Address, bits: number): string {
  const bytes = address.toByteArray().map((byte, index) => {
    const own = Math.min(8, Math.max(0, bits - index * 8));
    return byte & ((0xff << (8 - own)) & 0xff);
  });
  return Buffer.from(bytes).toString("hex");
}

function networkOf(text: string): Network {
  const [address = "", bits, ...rest] = text.split("/");
  // ipaddr.js also accepts 10.1 and 0x0a000001, which are refused here.
  const valid = address.includes(":")
    ? ipaddr.IPv6.isValid(address) && !address.includes("%")
    : ipaddr.IPv4.isValidFourPartDecimal(address);
  if (valid && rest.length === 0) {
    const parsed = ipaddr.parse(address);
    const most = parsed.kind() === "ipv4" ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
    if (length <= most) return unmappedNetwork(parsed, length);
  }
  throw new RelayError(
    "invalid_request",
    `"${text.replace(/[^\x20-\x7e]/g, "?").slice(0, 64)}" is neither an address nor a network such as 10.0.0.0/8`,
  );
}

/** IPv4 clients are identified by their IPv4 address, also on an IPv6 socket. */
function unmapped(address: Address): Address {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function unmappedNetwork(address: Address, bits: number): Network {
  const plain = unmapped(address);
  return plain === address || bits < 96 ? [address, bits] : [plain, bits - 96];
}
