import ipaddr from "ipaddr.js";

/** A network of this length is one customer's; devices change the rest of their address by themselves (RFC 8981). */
const IPV6_CLIENT_BITS = 64;

/** Whether two addresses are one client's: the same IPv4 address, or IPv6 addresses of one /64. */
export function sameClient(one: string, other: string): boolean {
  if (one === other) return true;
  if (!ipaddr.isValid(one) || !ipaddr.isValid(other)) return false;
  const [left, right] = [ipaddr.process(one), ipaddr.process(other)];
  if (left instanceof ipaddr.IPv6 && right instanceof ipaddr.IPv6) return left.match(right, IPV6_CLIENT_BITS);
  return left.toString() === right.toString();
}
