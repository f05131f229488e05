import type { CloudConfig } from "../domain/cloud-config.ts";
import { CLOUD_CONFIGS_MAX } from "../domain/cloud-config.ts";
import { RelayError } from "../domain/errors.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ids } from "../ports/ids.ts";
import type { Terminals } from "../ports/terminals.ts";

/** Members that are absent stay as they are; null takes one away. */
export interface CloudConfigChange {
  merchantId?: string | null | undefined;
  group?: string | null | undefined;
  family?: string | null | undefined;
  settings?: CloudConfig["settings"] | null | undefined;
}

/** Where cloud configurations are kept and looked up. */
export interface CloudConfigs {
  readonly size: number;
  get(terminalId: string): CloudConfig | undefined;
  save(terminalId: string, config: CloudConfig): Promise<void>;
  remove(terminalId: string): Promise<boolean>;
}

/** Changes what is administered of a terminal, and tells it the settings where it is connected. */
export interface ConfigureTerminal {
  save(terminalId: string, change: CloudConfigChange): Promise<CloudConfig>;
  /** Says whether there was one. */
  remove(terminalId: string): Promise<boolean>;
  /** What a terminal is told when it connects; null where it has no settings. */
  greeting(terminalId: string): string | null;
}

export interface ConfigureTerminalOptions {
  configs: CloudConfigs;
  terminals: Pick<Terminals, "broadcast">;
  clock: Clock;
  ids: Ids;
}

export function createConfigureTerminal({ configs, terminals, clock, ids }: ConfigureTerminalOptions): ConfigureTerminal {
  function message(terminalId: string, settings: CloudConfig["settings"]): string {
    return JSON.stringify({ uuid: ids.uuid(), service: "CONFIG", amount: 0, terminalId, settings });
  }

  /** Only what is news to the terminal is told: not every app knows the notice. */
  async function tell(terminalId: string, before: CloudConfig["settings"], after: CloudConfig["settings"]): Promise<void> {
    if (!sameSettings(before, after)) await terminals.broadcast(terminalId, message(terminalId, after));
  }

  return {
    save: async (terminalId, change) => {
      const before = configs.get(terminalId);
      if (before === undefined && configs.size >= CLOUD_CONFIGS_MAX) {
        throw new RelayError("invalid_request", `There are ${CLOUD_CONFIGS_MAX} configurations already`);
      }
      const config: CloudConfig = {
        schema: 1,
        terminalId,
        merchantId: change.merchantId === undefined ? (before?.merchantId ?? null) : change.merchantId,
        group: change.group === undefined ? (before?.group ?? null) : change.group,
        family: change.family === undefined ? (before?.family ?? null) : change.family,
        settings: (change.settings === undefined ? before?.settings : change.settings) ?? {},
        updatedAtMs: clock.nowMs(),
      };
      await configs.save(terminalId, config);
      await tell(terminalId, before?.settings ?? {}, config.settings);
      return config;
    },
    remove: async (terminalId) => {
      const before = configs.get(terminalId);
      const known = await configs.remove(terminalId);
      await tell(terminalId, before?.settings ?? {}, {});
      return known;
    },
    greeting: (terminalId) => {
      const settings = configs.get(terminalId)?.settings ?? {};
      return Object.keys(settings).length === 0 ? null : message(terminalId, settings);
    },
  };
}

function sameSettings(one: CloudConfig["settings"], other: CloudConfig["settings"]): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && one[name] === other[name]);
}
