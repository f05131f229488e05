import { randomBytes } from "node:crypto";
import { NO_TERMINAL, type PatternCompiler, type TerminalRule } from "../../../../engine/access/terminal-rule.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import { type AdministerPartners, createAdministerPartners } from "../../../../engine/partners/administer-partners.ts";
import type { PartnerSecrets } from "../../../../engine/partners/partner-secrets.ts";
import { createPartnerStore } from "../../../../engine/partners/partner-store.ts";
import { createPartners, type Partners } from "../../../../engine/partners/partners.ts";
import type { Tables } from "../../../../engine/tables/replicated-table.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { hashPassword } from "../../../../http/auth/partner-password.ts";
import type { Config } from "../../boot/config.ts";

/** The secrets of partners and administrators. */
export const secrets: PartnerSecrets = {
  newPassword: () => randomBytes(18).toString("base64url"),
  newApiKey: () => `pk_live_${randomText(32)}`,
  hashPassword,
  digest: sha256Hex,
};

/** Returns random letters and digits with a uniform distribution. */
function randomText(length: number): string {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const limit = 256 - (256 % alphabet.length);
  let text = "";
  while (text.length < length)
    for (const byte of randomBytes(length)) if (byte < limit && text.length < length) text += alphabet[byte % alphabet.length];
  return text;
}

export interface PartnerParts {
  config: Config;
  kv: Kv;
  tables: Tables;
  box: SecretBox;
  patterns: PatternCompiler;
  clock: Clock;
}

/** Returns the usernames of the configuration, which stored logins may not have. */
export function reservedUsernamesOf({ administrator, fleet }: Pick<Config, "administrator" | "fleet">): string[] {
  return [administrator.username, ...(fleet === null ? [] : [fleet.username])];
}

/** A shard's partners, and the operations that change them. */
export function composePartners({ config, kv, tables, box, patterns, clock }: PartnerParts): {
  partners: Partners;
  administerPartners: AdministerPartners;
} {
  const store = createPartnerStore(kv);
  const partners = createPartners({ tables, store, patterns, clock, sandbox: config.mode === "sandbox" });
  const reservedUsernames = reservedUsernamesOf(config);
  const defaultRule: TerminalRule = config.partnerDefaultRule === "any" ? { ruleType: "ANY" } : NO_TERMINAL;
  const administerPartners = createAdministerPartners({ store, partners, secrets, box, patterns, clock, reservedUsernames, defaultRule });
  return { partners, administerPartners };
}
