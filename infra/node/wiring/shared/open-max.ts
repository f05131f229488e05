import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";

/** The configured limits of open connections. A lower limit does not close open ones. */
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
