import type { AddressRange } from "./address-range.ts";
import type { ZvtRouteChoice } from "./zvt-payments.ts";

/** What selects a route. */
export interface RouteSelector {
  readonly id: string;
  readonly tid: string;
  /** Its own, or the listener's. */
  readonly port: number;
  /** Empty: every address. */
  readonly ranges: readonly AddressRange[];
  readonly password: string | null;
}

/** The route of a connection: own port, then the narrowest network, then the password. `password` null: none came yet. */
export function selectRoute(
  selectors: readonly RouteSelector[],
  { port, address }: { port: number; address: string },
  password: string | null,
): ZvtRouteChoice {
  const candidates = narrowest(
    selectors.filter((selector) => selector.port === port),
    address,
  );
  const [first] = candidates;
  if (first === undefined) return { type: "none" };
  // Of several each has a password of its own (`conflictOf`).
  if (password === null) return candidates.length === 1 ? chosen(first, first.password !== null) : { type: "password" };
  const found = candidates.find((candidate) => candidate.password === null || candidate.password === password);
  return found === undefined ? { type: "wrongPassword" } : chosen(found, false);
}

function chosen({ id, tid }: RouteSelector, needsPassword: boolean): ZvtRouteChoice {
  return { type: "route", route: { routeId: id, tid, needsPassword } };
}

function narrowest(selectors: readonly RouteSelector[], address: string): RouteSelector[] {
  let bits = -1;
  let found: RouteSelector[] = [];
  for (const selector of selectors) {
    const own = bitsFor(selector, address);
    if (own === null || own < bits) continue;
    if (own > bits) found = [];
    bits = own;
    found.push(selector);
  }
  return found;
}

/** Null where it is not for the address; every address is the widest network of all. */
function bitsFor({ ranges }: RouteSelector, address: string): number | null {
  if (ranges.length === 0) return -1;
  const matching = ranges.filter((range) => range.contains(address)).map(({ bits }) => bits);
  return matching.length === 0 ? null : Math.max(...matching);
}

/**
 * Two routes between which a register could not choose: on one port, with the same network, and not each with a password of its own. Networks are either in
 * each other or apart, so that of two different ones one is the narrower.
 */
export function conflictOf(selectors: readonly RouteSelector[]): [string, string] | null {
  const seen = new Map<string, RouteSelector[]>();
  for (const selector of selectors) {
    for (const place of placesOf(selector)) {
      const others = seen.get(place) ?? [];
      const other = others.find(({ password }) => password === null || selector.password === null || password === selector.password);
      if (other !== undefined && other !== selector) return [other.id, selector.id];
      seen.set(place, [...others, selector]);
    }
  }
  return null;
}

function placesOf({ port, ranges }: RouteSelector): ReadonlySet<string> {
  return new Set(ranges.length === 0 ? [`${port} *`] : ranges.map(({ key }) => `${port} ${key}`));
}
