import type { Intents } from "../../../engine/intents/intents.ts";
import type { Ids } from "../../../engine/kernel/ids.ts";
import type { MerchantsByKey } from "../../../engine/partners/merchant-by-key.ts";
import { createDemoIntents } from "../../../http/surfaces/demo/demo-intents.ts";
import type { DemoOperations } from "../../../http/surfaces/demo/surface.ts";
import type { Config } from "../boot/config.ts";
import { SANDBOX_MERCHANT, SIMULATED_TERMINAL_ID } from "../boot/sandbox-names.ts";

interface DemoParts {
  config: Pick<Config, "sandboxApiKey">;
  intents: Intents;
  merchantsByKey: MerchantsByKey;
  ids: Ids;
}

/** The demo pages' shop and till; served in the sandbox only. */
export function composeDemo({ config, intents, merchantsByKey, ids }: DemoParts): Pick<DemoOperations, "createDemoIntent" | "demo"> {
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
    demo: { publishableKey: publishable, apiKey: config.sandboxApiKey ?? "", terminalId: SIMULATED_TERMINAL_ID },
  };
}
