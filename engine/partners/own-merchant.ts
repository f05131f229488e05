import type { ServiceCode } from "../access/partner-grant.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { isMerchantId, type MerchantRecord } from "./merchant.ts";
import { keysAt } from "./merchant-keys.ts";
import type { MerchantServices, ServiceOutcome, ServicesOf } from "./merchant-services.ts";
import type { MerchantStore } from "./merchant-store.ts";
import type { Merchants } from "./merchants.ts";
import { type OpeningInterval, openingHoursOf } from "./opening-hours.ts";
import type { KeysOutcome, KeysReplacedBy, KeysRequest, PendingOutcome, ReplaceKeys } from "./replace-keys.ts";
import { returnSchemesOf } from "./return-schemes.ts";

/**
 * A merchant at its own services and keys: within what its partner permits, and by the same operations as the partner's own. Every method throws RelayError
 * `not_found` for what is no merchant, and `unavailable` when the store cannot answer.
 */
export interface OwnMerchant {
  /** With the keys that count now. */
  find(merchantId: string): Promise<MerchantRecord>;
  /** The merchant, and the services that it may use, in the order of SERVICE_CODES. */
  services(merchantId: string): Promise<{ merchant: MerchantRecord; permitted: readonly ServiceCode[] }>;
  setEnabled(merchantId: string, service: string, enabled: boolean): Promise<ServiceOutcome>;
  /** `seen`: see `MerchantServices.configure`. */
  configure(merchantId: string, service: string, body: unknown, seen?: { updatedAtMs: number | null }): Promise<ServiceOutcome>;
  replaceKeys(merchantId: string, request: KeysRequest): Promise<KeysOutcome>;
  confirmKeys(merchantId: string, publishableKey: string, by: KeysReplacedBy): Promise<PendingOutcome>;
  refuseKeys(merchantId: string, by: KeysReplacedBy): Promise<PendingOutcome>;
  /** Replaces the schemes of apps that buyers may return to; null for a merchant that is deactivated. Throws RelayError `invalid_request` too. */
  saveReturnSchemes(merchantId: string, schemes: readonly string[]): Promise<readonly string[] | null>;
  /** Replaces the hours in which the shop is open; null removes them. False for a merchant that is deactivated. Throws RelayError `invalid_request` too. */
  saveOpeningHours(merchantId: string, hours: readonly OpeningInterval[] | null): Promise<boolean>;
}

export interface OwnMerchantOptions {
  store: Pick<MerchantStore, "load">;
  merchants: Pick<Merchants, "change">;
  services: MerchantServices;
  keys: ReplaceKeys;
  clock: Pick<Clock, "nowMs">;
  /** The services permitted to a partner that is enabled; null for any other. In memory. */
  servicesOfPartner(partnerId: number): readonly ServiceCode[] | null;
}

export function createOwnMerchant({ store, merchants, services, keys, clock, servicesOfPartner }: OwnMerchantOptions): OwnMerchant {
  async function find(merchantId: string): Promise<MerchantRecord> {
    const stored = isMerchantId(merchantId) ? await store.load(merchantId) : null;
    if (stored === null) throw new RelayError("not_found", "There is no such merchant");
    return keysAt(stored.record, clock.nowMs());
  }

  /** A partner that was disabled a moment ago permits nothing any more. */
  async function permission(merchantId: string): Promise<ServicesOf & { merchant: MerchantRecord }> {
    const merchant = await find(merchantId);
    const { partnerId } = merchant;
    return { merchant, partnerId, allowedServices: servicesOfPartner(partnerId) ?? [] };
  }

  return {
    find,
    services: async (merchantId) => {
      const { merchant, allowedServices } = await permission(merchantId);
      return { merchant, permitted: allowedServices };
    },
    setEnabled: async (merchantId, service, enabled) => services.setEnabled(await permission(merchantId), merchantId, service, enabled),
    configure: async (merchantId, service, body, seen) => services.configure(await permission(merchantId), merchantId, service, body, seen),
    replaceKeys: async (merchantId, request) => keys.replace(await find(merchantId), merchantId, request),
    confirmKeys: async (merchantId, publishableKey, by) => keys.confirm(await find(merchantId), merchantId, publishableKey, by),
    refuseKeys: async (merchantId, by) => keys.refuse(await find(merchantId), merchantId, by),
    saveReturnSchemes: async (merchantId, given) => {
      const schemes = returnSchemesOf(given);
      return merchants.change<readonly string[] | null>(await find(merchantId), merchantId, (before) =>
        before.active ? { answer: schemes, merchant: { ...before, returnSchemes: schemes } } : { answer: null, merchant: null },
      );
    },
    saveOpeningHours: async (merchantId, given) => {
      const hours = given === null ? null : openingHoursOf(given);
      return merchants.change<boolean>(await find(merchantId), merchantId, (before) => {
        const { openingHours: _, ...others } = before;
        return before.active
          ? { answer: true, merchant: hours === null ? others : { ...others, openingHours: hours } }
          : { answer: false, merchant: null };
      });
    },
  };
}
