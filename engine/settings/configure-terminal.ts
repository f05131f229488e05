import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { Ids } from "../kernel/ids.ts";
import { holdsSchemePan, maskSchemeValues } from "../kernel/mask.ts";
import { currencyOf } from "../kernel/money.ts";
import { SCHEMAS } from "../kernel/schemas.ts";
import { isMerchantId } from "../partners/merchant.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import type { Terminals } from "../terminals/terminals.ts";
import type { CloudConfig } from "./cloud-config.ts";
import { CLOUD_CONFIGS_MAX } from "./cloud-config.ts";

/** Members that are absent stay as they are; null takes one away. */
export interface CloudConfigChange {
  merchantId?: string | null | undefined;
  group?: string | null | undefined;
  family?: string | null | undefined;
  currency?: string | null | undefined;
  settings?: CloudConfig["settings"] | null | undefined;
  /** Set in addition to the others. */
  moreSettings?: CloudConfig["settings"];
}

/** Settings of one terminal. */
export const SETTINGS_MAX = 100;

/** Where cloud configurations are kept and looked up. */
export interface CloudConfigs {
  readonly size: number;
  get(terminalId: string): CloudConfig | undefined;
  change(terminalId: string, work: (before: CloudConfig | undefined) => CloudConfig): Promise<CloudConfig>;
  remove(terminalId: string): Promise<boolean>;
}

/** Changes what is administered of a terminal; each shard tells the settings to the terminal's sessions that it holds. */
export interface ConfigureTerminal {
  /** Rejects with RelayError `invalid_request` for what may not be configured, such as a merchant that does not exist or is deactivated. */
  save(terminalId: string, change: CloudConfigChange): Promise<CloudConfig>;
  /** Says whether there was one. */
  remove(terminalId: string): Promise<boolean>;
  /**
   * To be called on every shard with each configuration that came, changed or went, in the order in which they were stored: so what a connected
   * terminal was told last is what is stored, wherever it was changed.
   */
  changed(terminalId: string, after: CloudConfig | null, before: CloudConfig | null): void;
  /** What a terminal is told when it connects; null where it has no settings. */
  greeting(terminalId: string): string | null;
}

export interface ConfigureTerminalOptions {
  configs: CloudConfigs;
  /** As they are stored: what a shard has in memory may not have the merchant that was created a moment ago. */
  merchants: Pick<MerchantStore, "load">;
  terminals: Pick<Terminals, "tellHere">;
  clock: Clock;
  ids: Ids;
}

/** The notice of all settings of a terminal. */
export function configText(ids: Ids, terminalId: string, settings: CloudConfig["settings"]): string {
  return JSON.stringify({ uuid: ids.uuid(), service: "CONFIG", amount: 0, terminalId, settings });
}

export function createConfigureTerminal({ configs, merchants, terminals, clock, ids }: ConfigureTerminalOptions): ConfigureTerminal {
  /** One that is configured already stays, whatever it names: it may have been deactivated since, or be from before this was checked. */
  async function requireMerchant(terminalId: string, merchantId: string): Promise<void> {
    if (configs.get(terminalId)?.merchantId === merchantId) return;
    const stored = isMerchantId(merchantId) ? await merchants.load(merchantId) : null;
    if (stored === null) throw new RelayError("invalid_request", "merchantId: there is no such merchant");
    if (!stored.record.active) throw new RelayError("invalid_request", "merchantId: this merchant is deactivated");
  }

  return {
    save: async (terminalId, change) => {
      for (const member of ["merchantId", "group"] as const) {
        if (holdsSchemePan(change[member] ?? "")) throw new RelayError("invalid_request", `${member}: must not be a card number`);
      }
      const currency = typeof change.currency === "string" ? currencyOf(change.currency) : change.currency;
      if (currency === null && change.currency !== null)
        throw new RelayError("invalid_request", "currency: must be an ISO 4217 code such as EUR");
      if (typeof change.merchantId === "string") await requireMerchant(terminalId, change.merchantId);
      return configs.change(terminalId, (before) => {
        if (before === undefined && configs.size >= CLOUD_CONFIGS_MAX) {
          throw new RelayError("invalid_request", `There are already ${CLOUD_CONFIGS_MAX} configurations; delete one first`);
        }
        const takes = currency === undefined ? before?.currency : currency;
        return {
          schema: SCHEMAS.cloudConfig.writes,
          terminalId,
          merchantId: change.merchantId === undefined ? (before?.merchantId ?? null) : change.merchantId,
          group: change.group === undefined ? (before?.group ?? null) : change.group,
          family: change.family === undefined ? (before?.family ?? null) : change.family,
          ...(takes === undefined || takes === null ? {} : { currency: takes }),
          settings: settingsAfter(before?.settings ?? {}, change),
          updatedAtMs: clock.nowMs(),
        };
      });
    },
    remove: (terminalId) => configs.remove(terminalId),
    changed: (terminalId, after, before) => {
      const settings = after?.settings ?? {};
      // Only what is news to the terminal is told: not every app knows the notice.
      if (!sameSettings(before?.settings ?? {}, settings)) terminals.tellHere(terminalId, () => configText(ids, terminalId, settings));
    },
    greeting: (terminalId) => {
      const settings = configs.get(terminalId)?.settings ?? {};
      return Object.keys(settings).length === 0 ? null : configText(ids, terminalId, settings);
    },
  };
}

function settingsAfter(before: CloudConfig["settings"], { settings, moreSettings }: CloudConfigChange): CloudConfig["settings"] {
  const base = settings === undefined ? before : maskSchemeValues(settings ?? {});
  if (moreSettings === undefined) return base;
  const after = { ...base, ...maskSchemeValues(moreSettings) };
  if (Object.keys(after).length > SETTINGS_MAX) throw new RelayError("invalid_request", `settings: at most ${SETTINGS_MAX} are permitted`);
  return after;
}

function sameSettings(one: CloudConfig["settings"], other: CloudConfig["settings"]): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => Object.hasOwn(other, name) && one[name] === other[name]);
}
