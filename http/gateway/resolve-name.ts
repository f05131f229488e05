import { type LookupAddress, promises, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";

/** A name server that does not answer is asked once more. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;

export type ResolveName = (name: string) => Promise<LookupAddress[]>;

/**
 * The addresses of a name, asked of the name servers directly. The system's own look-up blocks a thread of the pool that the embedded store
 * writes with, for as long as a name server is silent: four such names and every payment of this node would wait.
 */
export function createNameResolver(): ResolveName {
  const resolver = new promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  return async (name) => {
    if (name === "localhost" || name.endsWith(".localhost")) return LOCALHOST;
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [
      ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
      ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length === 0) throw four.status === "rejected" ? four.reason : new Error("the name has no address");
    return addresses;
  };
}

const LOCALHOST: LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/** In the place of the usual look-up of a connection. `check` leaves those addresses that may be connected to, or throws. */
export function lookupWith(resolve: ResolveName, check: (addresses: LookupAddress[]) => LookupAddress[]): LookupFunction {
  return (name, options, callback) => {
    resolve(name)
      .then(check)
      .then(
        (addresses) => {
          const [first] = addresses;
          if (first === undefined) callback(new Error("the name has no address"), []);
          else if (options.all === true) callback(null, addresses);
          else callback(null, first.address, first.family);
        },
        (error: unknown) => callback(error instanceof Error ? error : new Error("the name could not be resolved"), []),
      );
  };
}

/**
 * The same for a name that an operator configured, which may be in the hosts file of this machine: if the name servers do not know the
 * name, or do not answer, the system resolves it.
 */
export function resolveConfigured(resolve: ResolveName): ResolveName {
  return (name) =>
    resolve(name).catch(
      () =>
        new Promise((done, failed) => {
          systemLookup(name, { all: true }, (error, addresses) => (error === null ? done(addresses) : failed(error)));
        }),
    );
}
