import type { Administrators } from "../../../../engine/access/administrators.ts";
import type { Directory } from "../../../../engine/access/directory.ts";
import type { MachineTokens } from "../../../../engine/access/machine-tokens.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { PartnerRates } from "../../../../engine/partners/partner.ts";
import type { Partner, Partners } from "../../../../engine/partners/partners.ts";
import type { TerminalGroups } from "../../../../engine/settings/terminal-groups.ts";
import type { AdministratorCredential, CredentialSource, PartnerCredential } from "../../../../http/auth/credential-source.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import type { Config } from "../../boot/config.ts";

const NO_RATES: PartnerRates = {};

const ADMINISTRATOR = "g/administrator";

/**
 * The administrator's password: the configured one, or one that is generated at the first start.
 */
export interface AdministratorPassword {
  sha256: string;
  /** The fresh password if it is in use. It is shown once. */
  generated: string | null;
}

/**
 * Finds the administrator's password. If there is none, it stores the digest of the fresh one,
 * which is long and random.
 */
export async function administratorPassword(kv: Kv, config: Config, fresh: string): Promise<AdministratorPassword> {
  if (config.administrator.password !== null) return { sha256: sha256Hex(config.administrator.password), generated: null };
  const freshSha256 = sha256Hex(fresh);
  const stored = await kv.get(ADMINISTRATOR);
  if (stored !== null) {
    const sha256: string = JSON.parse(stored.value).passwordSha256;
    // An earlier attempt of this start may have stored it without a confirmation.
    return { sha256, generated: sha256 === freshSha256 ? fresh : null };
  }
  const value = JSON.stringify({ schema: 1, passwordSha256: freshSha256 });
  const result = await kv.commit({
    checks: [{ key: ADMINISTRATOR, version: 0 }],
    operations: [{ type: "put", key: ADMINISTRATOR, value }],
  });
  if (result.type === "conflict") return administratorPassword(kv, config, fresh);
  return { sha256: freshSha256, generated: fresh };
}

export interface CredentialTables {
  administrators: Administrators;
  machineTokens: MachineTokens;
  partners: Partners;
  terminalGroups: TerminalGroups;
}

/**
 * The credentials of a node: those of the configuration, the administrators, the deny list and the
 * partners.
 */
export function createCredentials(
  config: Pick<Config, "administrator" | "fleet" | "terminalSecret">,
  passwordSha256: string,
  directory: Directory,
  { administrators, machineTokens, partners, terminalGroups }: CredentialTables,
): CredentialSource {
  const configured: AdministratorCredential = {
    username: config.administrator.username,
    role: "owner",
    password: { type: "sha256", hex: passwordSha256 },
  };
  const fleet = config.fleet === null ? null : { username: config.fleet.username, passwordSha256: sha256Hex(config.fleet.password) };
  return {
    generation: () =>
      administrators.generation() +
      machineTokens.generation() +
      directory.generation() +
      partners.generation() +
      terminalGroups.generation(),
    administratorByUsername: (username) => {
      if (username === configured.username) return configured;
      const administrator = administrators.byUsername(username);
      return administrator?.enabled === true && administrator.username === username ? administrator : null;
    },
    machineByName: machineTokens.byName,
    fleet: () => fleet,
    terminalSecret: () => config.terminalSecret,
    isTerminalDenied: directory.isDenied,
    managedBy: terminalGroups.managedBy,
    partnerByUsername: (username) => credentialOf(partners.byUsername(username)),
    partnerByKeySha256: (keySha256) => credentialOf(partners.byKeySha256(keySha256)),
    isOriginListed: partners.isOriginListed,
  };
}

function credentialOf(partner: Partner | null): PartnerCredential | null {
  if (partner === null) return null;
  const { record, terminals } = partner;
  const { id: partnerId, username, passwordHash, enabled, allowedOrigins, rates = NO_RATES } = record;
  return { partnerId, username, passwordHash, enabled, allowedOrigins: Object.values(allowedOrigins), terminals, rates };
}
