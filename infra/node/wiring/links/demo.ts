import type { Intents } from "../../../../engine/intents/intents.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { MerchantsByKey } from "../../../../engine/partners/merchant-by-key.ts";
import { createDemoIntents } from "../../../../http/surfaces/demo/demo-intents.ts";
import type { DemoOperations } from "../../../../http/surfaces/demo/surface.ts";
import type { KnownKeys } from "../../../../http/web/docs-page.ts";
import type { Config } from "../../boot/config.ts";
import {
  SANDBOX_ADMINISTRATOR_PASSWORD,
  SANDBOX_MERCHANT,
  SANDBOX_OWNER,
  SANDBOX_PARTNER_API,
  SIMULATED_TERMINAL_ID,
} from "../../boot/sandbox-names.ts";
import { VERSION } from "../../boot/version.ts";

interface DemoParts {
  config: Pick<Config, "sandboxApiKey" | "administrator">;
  intents: Intents;
  merchantsByKey: MerchantsByKey;
  ids: Ids;
}

/** The shop and till of the demo pages, only in the sandbox. */
export function composeDemo({
  config,
  intents,
  merchantsByKey,
  ids,
}: DemoParts): Pick<DemoOperations, "createDemoIntent" | "demo" | "sandbox"> {
  const { publishable } = SANDBOX_MERCHANT.keys;
  return {
    createDemoIntent: createDemoIntents({
      intents,
      ids,
      findOwner: async () => {
        const found = await merchantsByKey.merchantByKey(publishable);
        return typeof found === "object" ? found : null;
      },
    }),
    sandbox: { version: VERSION, owner: SANDBOX_OWNER, administrator: knownAdministrator(config) },
    demo: { publishableKey: publishable, apiKey: config.sandboxApiKey ?? "", terminalId: SIMULATED_TERMINAL_ID },
  };
}

/** Returns null for a custom password, which is never shown. */
function knownAdministrator({ administrator: { username, password } }: Pick<Config, "administrator">) {
  return password === SANDBOX_ADMINISTRATOR_PASSWORD ? { username, password } : null;
}

/** Returns the keys that the documentation fills in, by security scheme, or null in production. */
export function knownKeys({ sandboxApiKey }: Pick<Config, "sandboxApiKey">): KnownKeys | null {
  if (sandboxApiKey === null) return null;
  return { apiKey: sandboxApiKey, partnerApi: SANDBOX_PARTNER_API.apiKey, merchantKey: SANDBOX_MERCHANT.keys.secret };
}
