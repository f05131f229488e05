import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";

/** How much may be open at once as it is configured now. What is open already stays open where less is configured later. */
export interface OpenMax extends Lifecycle {
  current(): Config["openMax"];
}

export function createOpenMax(config: Pick<Config, "openMax">): OpenMax {
  let { openMax } = config;
  return {
    current: () => openMax,
    reload: ({ config: next }) => {
      openMax = next.openMax;
    },
  };
}
