import type { Kv } from "../../../engine/kernel/kv.ts";
import type { CloudConfig } from "../../../engine/settings/cloud-config.ts";
import { CLOUD_CONFIGS, createRecordStore } from "../../../engine/tables/record-store.ts";
import type { Config } from "../boot/config.ts";
import { POLLING_TERMINAL_ID, SANDBOX_MERCHANT, SIMULATED_TERMINAL_ID } from "../boot/sandbox-names.ts";

/**
 * In the sandbox: gives the demo shop its terminals, where they have no configuration yet; a developer's own stays as it is. Runs after
 * `prepareSandboxMerchant`. Several nodes may do it at once.
 */
export async function prepareSandboxTerminals(kv: Kv, config: Pick<Config, "sandboxApiKey">, nowMs: number): Promise<void> {
  if (config.sandboxApiKey === null) return;
  const configs = createRecordStore<CloudConfig>(kv, CLOUD_CONFIGS);
  for (const terminalId of [SIMULATED_TERMINAL_ID, POLLING_TERMINAL_ID]) {
    await configs.change(terminalId, (before) => before ?? configOf(terminalId, nowMs));
  }
}

function configOf(terminalId: string, updatedAtMs: number): CloudConfig {
  return { schema: 1, terminalId, merchantId: SANDBOX_MERCHANT.merchantId, group: null, family: null, settings: {}, updatedAtMs };
}
