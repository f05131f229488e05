import type { AdministratorRole } from "../../engine/access/administrator-role.ts";
import type { MachineRight } from "../../engine/access/machine-token.ts";
import type { TerminalMatcher } from "../../engine/access/terminal-rule.ts";
import type { ErrorCode, ErrorDetail } from "../../engine/kernel/errors.ts";
import type { PartnerRates } from "../../engine/partners/partner.ts";

/** A user name and the SHA-256 (hex) of its password; for credentials that come from the configuration or are long and random. */
export interface NamedSecret {
  readonly username: string;
  readonly passwordSha256: string;
}

export interface AdministratorCredential {
  readonly username: string;
  readonly role: AdministratorRole;
  /**
   * `sha256` (hex): from the configuration, or generated, long and random; compared at once. `slow`: chosen by a person, in the form of
   * `hashPassword` in partner-password.ts.
   */
  readonly password: { readonly type: "sha256"; readonly hex: string } | { readonly type: "slow"; readonly hash: string };
}

export interface MachineCredential {
  readonly name: string;
  /** In hex. */
  readonly tokenSha256: string;
  readonly rights: readonly MachineRight[];
  readonly expiresAtMs: number;
}

export interface PartnerCredential {
  readonly partnerId: number;
  readonly username: string;
  /** In the form of `hashPassword` in partner-password.ts. */
  readonly passwordHash: string;
  readonly enabled: boolean;
  /** Origins from which a browser may use this key; empty means any. A request without an `Origin` header passes. */
  readonly allowedOrigins: readonly string[];
  readonly terminals: TerminalMatcher;
  readonly rates: PartnerRates;
}

/** The source of credentials: lookups in memory, so that a request does not wait. */
export interface CredentialSource {
  /** Increases with every change of any credential; earlier verifications are then no longer valid. */
  generation(): number;
  administratorByUsername(username: string): AdministratorCredential | null;
  /** A machine token by its name, expired or not. */
  machineByName(name: string): MachineCredential | null;
  /** The credential that a fleet shares, if one is set. */
  fleet(): NamedSecret | null;
  /** Key of the terminals' derived passwords; null if terminals have no login of their own. */
  terminalSecret(): string | null;
  isTerminalDenied(terminalId: string): boolean;
  /** The terminals that this one acts for by a terminal group; null for none. */
  managedBy(terminalId: string): ReadonlySet<string> | null;
  partnerByUsername(username: string): PartnerCredential | null;
  /** By the SHA-256 (hex) of an API key: keys themselves are not stored. */
  partnerByKeySha256(keySha256: string): PartnerCredential | null;
  /** Whether any enabled partner lists this origin: a browser's preflight does not say which key will be used. */
  isOriginListed(origin: string): boolean;
}

export interface Refusal {
  type: "refused";
  code: ErrorCode;
  message: string;
  /** Seconds after which a retry makes sense, if known. */
  retryAfterSeconds?: number;
  detail?: ErrorDetail;
}
