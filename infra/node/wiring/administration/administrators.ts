import { randomBytes } from "node:crypto";
import { type AdministerAdministrators, createAdministerAdministrators } from "../../../../engine/access/administer-administrators.ts";
import { createAdministratorStore } from "../../../../engine/access/administrator-store.ts";
import { type Administrators, createAdministrators } from "../../../../engine/access/administrators.ts";
import { createMachineTokenStore } from "../../../../engine/access/machine-token-store.ts";
import { type AdministerMachineTokens, createMachineTokens, type MachineTokens } from "../../../../engine/access/machine-tokens.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { Tables } from "../../../../engine/tables/replicated-table.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import type { Config } from "../../boot/config.ts";
import { removedWithAdministrator } from "../access/administrator-sign-in.ts";
import { reservedUsernamesOf, secrets } from "../merchants/partners.ts";

export interface AdministratorsParts {
  config: Pick<Config, "administrator" | "fleet">;
  kv: Kv;
  tables: Tables;
  clock: Clock;
}

/** The administrators, and the operations that change them. */
export interface ComposedAdministrators {
  administrators: Administrators;
  administerAdministrators: AdministerAdministrators;
  machineTokens: MachineTokens;
  administerMachineTokens: AdministerMachineTokens;
}

export function composeAdministrators({ config, kv, tables, clock }: AdministratorsParts): ComposedAdministrators {
  const store = createAdministratorStore(kv, removedWithAdministrator);
  const administrators = createAdministrators({ tables, store, configured: config.administrator.username });
  const reservedUsernames = reservedUsernamesOf(config);
  const administerAdministrators = createAdministerAdministrators({ store, administrators, secrets, clock, reservedUsernames });
  const { administer: administerMachineTokens, ...machineTokens } = createMachineTokens({
    ...{ tables, clock, reservedUsernames, stillOwner: administerAdministrators.stillOwner },
    store: createMachineTokenStore(kv),
    secrets: { newToken: () => `mt_${randomBytes(32).toString("base64url")}`, digest: sha256Hex },
  });
  return { administrators, administerAdministrators, machineTokens, administerMachineTokens };
}
