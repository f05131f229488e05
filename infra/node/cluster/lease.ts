import type { Authenticator } from "../../../http/auth/authenticator.ts";
import type { Refusal } from "../../../http/auth/credential-source.ts";
import type { SignatureAuthenticator } from "../../../http/auth/signature-authenticator.ts";
import { isSessionOptional } from "../../../http/endpoint/portal-auth.ts";
import type { Lease } from "../boot/shard-boot.ts";

export function createLease(): Lease {
  return new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT);
}

export function extendLease(lease: Lease, untilMs: number): void {
  new Float64Array(lease)[0] = untilMs;
}

const AWAY: Refusal = { type: "refused", code: "unavailable", message: "This node is cut off from the others; retry shortly" };

/** False while the lease has expired. */
export function holdsLease(lease: Lease, monotonicMs: () => number): boolean {
  return monotonicMs() < (new Float64Array(lease)[0] ?? 0);
}

/** Accepts nobody while the lease has expired: it is then not known which credentials are still valid. */
export function leasedAuthenticator(authenticator: Authenticator, lease: Lease, monotonicMs: () => number): Authenticator {
  return {
    knownPartner: (credentials) => (holdsLease(lease, monotonicMs) ? authenticator.knownPartner(credentials) : null),
    isOriginListed: authenticator.isOriginListed,
    isOriginListedBy: authenticator.isOriginListedBy,
    requireSessionNeeds: authenticator.requireSessionNeeds,
    namesAdministratorSession: authenticator.namesAdministratorSession,
    administratorByPassword: (user, ipAddress) =>
      holdsLease(lease, monotonicMs) ? authenticator.administratorByPassword(user, ipAddress) : AWAY,
    authenticate: (requirement, credentials) => {
      const isAnonymous =
        requirement === "none" ||
        (requirement === "optionalBasic" && credentials.authorization === "") ||
        (isSessionOptional(requirement) && credentials.cookie === "");
      if (!isAnonymous && !holdsLease(lease, monotonicMs)) return AWAY;
      return authenticator.authenticate(requirement, credentials);
    },
  };
}

/** The same for signed requests. */
export function leasedSignatures(signatures: SignatureAuthenticator, lease: Lease, monotonicMs: () => number): SignatureAuthenticator {
  const until = new Float64Array(lease);
  return { authenticate: async (request) => (monotonicMs() >= (until[0] ?? 0) ? AWAY : signatures.authenticate(request)) };
}
