import { type AdministerAdministrators, createAdministerAdministrators } from "../../../engine/access/administer-administrators.ts";
import { createAdministratorStore } from "../../../engine/access/administrator-store.ts";
import { type Administrators, createAdministrators } from "../../../engine/access/administrators.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { Tables } from "../../../engine/tables/replicated-table.ts";
import type { Config } from "../boot/config.ts";
import { removedWithAdministrator } from "./administrator-sign-in.ts";
import { reservedUsernamesOf, secrets } from "./partners.ts";

export interface AdministratorsParts {
  config: Pick<Config, "administrator" | "fleet">;
  kv: Kv;
  tables: Tables;
  clock: Clock;
}

/** Who administers, and what changes that. */
export interface ComposedAdministrators {
  administrators: Administrators;
  administerAdministrators: AdministerAdministrators;
}

export function composeAdministrators({ config, kv, tables, clock }: AdministratorsParts): ComposedAdministrators {
  const store = createAdministratorStore(kv, removedWithAdministrator);
  const administrators = createAdministrators({ tables, store, configured: config.administrator.username });
  const reservedUsernames = reservedUsernamesOf(config);
  return {
    administrators,
    administerAdministrators: createAdministerAdministrators({ store, administrators, secrets, clock, reservedUsernames }),
  };
}
