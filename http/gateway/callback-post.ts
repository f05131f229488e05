import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { CallbackTarget } from "../../engine/callbacks/callback-sender.ts";
import { createNameResolver, lookupWith, type ResolveName } from "./resolve-name.ts";

/** An address has this long to answer, name and connection included. */
const DEADLINE_MS = 10_000;

export interface CallbackTargetOptions {
  /** CIDRs of local networks that may be called. */
  allowedNetworks: readonly string[];
  /** For tests: the addresses of a name. */
  resolve?: ResolveName;
  deadlineMs?: number;
}

class AddressRefused extends Error {}

/**
 * Posts to addresses that clients chose. A client must not reach the relay's own network this way: a non-public address is refused unless
 * it is allowed. The address is checked when the connection is made (so that a name cannot resolve to another address afterwards), and
 * redirects are not followed.
 */
export function createCallbackTarget({
  allowedNetworks,
  resolve = createNameResolver(),
  deadlineMs = DEADLINE_MS,
}: CallbackTargetOptions): CallbackTarget {
  const allowed = allowedNetworks.map((cidr) => ipaddr.parseCIDR(cidr));
  const mayCall = (address: string): boolean => {
    const parsed = plain(ipaddr.parse(address));
    if (parsed.range() === "unicast" && !isIpv4Compatible(parsed)) return true;
    return allowed.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
  };
  // Connects to the address that was checked.
  const lookup = lookupWith(resolve, (addresses) => {
    const fit = addresses.filter(({ address }) => mayCall(address));
    if (fit.length === 0) throw new AddressRefused("the address is of a local network");
    return fit;
  });

  return {
    post: (url, body) => {
      if (!URL.canParse(url)) return Promise.resolve({ type: "failed", reason: "the address is not a URL" });
      const target = new URL(url);
      const secure = target.protocol === "https:";
      const host = target.hostname.replace(/^\[|\]$/g, "");
      // An address that is written out is not looked up.
      if (isIP(host) !== 0 && !mayCall(host)) return Promise.resolve({ type: "failed", reason: "the address is of a local network" });
      return new Promise((done) => {
        const request = (secure ? httpsRequest : httpRequest)(target, {
          method: "POST",
          // A connection each: one that was checked long ago proves nothing now.
          agent: false,
          lookup,
          headers: {
            "content-type": "application/json",
            "content-length": String(Buffer.byteLength(body)),
            "user-agent": "terminal-relay",
            connection: "close",
          },
        });
        const fail = (reason: string): void => {
          clearTimeout(timer);
          request.destroy();
          done({ type: "failed", reason });
        };
        const timer = setTimeout(() => fail(`no answer within ${deadlineMs} ms`), deadlineMs);
        request.on("error", (error) => fail(reasonOf(error)));
        request.on("response", ({ statusCode = 0 }) => {
          clearTimeout(timer);
          // Whatever the answer says, its status is all that counts.
          request.destroy();
          done(statusCode >= 200 && statusCode < 300 ? { type: "delivered" } : { type: "failed", reason: `answered ${statusCode}` });
        });
        request.end(body);
      });
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

function reasonOf(error: Error): string {
  if (error instanceof AddressRefused) return error.message;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
