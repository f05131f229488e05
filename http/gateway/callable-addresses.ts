import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Which addresses the relay calls for its clients. They must not reach the relay's own network. */
export interface CallableAddresses {
  /** Whether the relay connects to this IP address. */
  mayCall(address: string): boolean;
  /** Whether the host of a URL is certainly refused. False for a name: only its addresses at the time of the call decide. */
  isLocalHost(host: string): boolean;
}

/**
 * The only public address that belongs to a local network: on Azure it is the platform's own server,
 * which answers every virtual machine.
 */
const AZURE_PLATFORM = "168.63.129.16";

/** `allowedNetworks`: CIDRs of local networks that may be called all the same. */
export function createCallableAddresses(allowedNetworks: readonly string[]): CallableAddresses {
  const allowed = allowedNetworks.map((cidr) => ipaddr.parseCIDR(cidr));
  const mayCall = (address: string): boolean => {
    const parsed = plain(ipaddr.parse(address));
    if (parsed.range() === "unicast" && !isIpv4Compatible(parsed) && parsed.toString() !== AZURE_PLATFORM) return true;
    return allowed.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
  };
  return {
    mayCall,
    isLocalHost: (host) => {
      const address = host.replace(/^\[|\]$/g, "");
      if (isIP(address) !== 0) return !mayCall(address);
      // These names are always loopback (RFC 6761), and the relay does not look them up.
      return /(^|\.)localhost\.?$/i.test(host) && !mayCall("127.0.0.1") && !mayCall("::1");
    },
  };
}

/** An IPv4-mapped IPv6 address is checked as the IPv4 address. */
function plain(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/** `::127.0.0.1`, long deprecated, which ipaddr.js calls unicast. */
function isIpv4Compatible(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.match(ipaddr.IPv6.parse("::"), 96);
}
