import { isServiceCode, type PartnerApiGrant, type ServiceCode } from "../access/partner-grant.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import { type MerchantRecord, type MerchantService, serviceOf } from "./merchant.ts";
import { readConfiguration, type ServiceMode, type ServiceSecrets } from "./merchant-service.ts";
import type { MerchantStore } from "./merchant-store.ts";
import type { Merchants } from "./merchants.ts";

/** `not_permitted`: the service is none of the partner's. */
export type ServiceOutcome =
  | { type: "changed"; merchant: MerchantRecord; service: ServiceCode }
  | { type: "not_permitted" }
  | { type: "inactive" };

/** Whose merchant it is, and which services that partner permits: all that counts of who changes one. */
export type ServicesOf = Pick<PartnerApiGrant, "partnerId" | "allowedServices">;

/** The payment services of merchants, as their partner changes them and as they do themselves. An unknown service is RelayError `not_found`, as is another partner's merchant. */
export interface MerchantServices {
  setEnabled(partner: ServicesOf, merchantId: string, service: string, enabled: boolean): Promise<ServiceOutcome>;
  /**
   * Replaces the whole configuration; see `readConfiguration` for the secrets that may be left out. `seen` is when the one that was looked at was stored, or
   * null for none: RelayError `conflict` where it is another one by now. Not compared if absent.
   */
  configure(
    partner: ServicesOf,
    merchantId: string,
    service: string,
    body: unknown,
    seen?: { updatedAtMs: number | null },
  ): Promise<ServiceOutcome>;
  /** What was configured, its secrets in the clear: for those who call the service. Null where nothing is. */
  configurationOf(merchantId: string, service: ServiceCode): Promise<{ mode: ServiceMode; members: ReadonlyMap<string, string> } | null>;
}

export interface MerchantServicesOptions {
  merchants: Merchants;
  store: MerchantStore;
  secretBox: SecretBox;
  clock: Clock;
}

export function createMerchantServices({ merchants, store, secretBox, clock }: MerchantServicesOptions): MerchantServices {
  async function openSecrets(merchantId: string, service: ServiceCode): Promise<ServiceSecrets> {
    const sealed = await store.sealedSecrets(merchantId, service);
    if (sealed === null) return new Map();
    const opened: [string, string][] = JSON.parse(secretBox.open(sealed, contextOf(merchantId, service)));
    return new Map(opened);
  }

  /** Changes one service of an active merchant, where partner and service are the right ones. */
  async function changeService(
    partner: ServicesOf,
    merchantId: string,
    word: string,
    step: (service: ServiceCode, before: MerchantService) => Promise<{ after: MerchantService; sealed?: string }>,
  ): Promise<ServiceOutcome> {
    return merchants.change<ServiceOutcome>(partner, merchantId, async (before) => {
      if (!isServiceCode(word)) throw new RelayError("not_found", "There is no such service");
      if (!partner.allowedServices.includes(word)) return { answer: { type: "not_permitted" }, merchant: null };
      if (!before.active) return { answer: { type: "inactive" }, merchant: null };
      const { after, sealed } = await step(word, serviceOf(before, word));
      const merchant = { ...before, services: { ...before.services, [word]: after } };
      const answer: ServiceOutcome = { type: "changed", merchant, service: word };
      return { answer, merchant, ...(sealed === undefined ? {} : { secrets: { service: word, sealed } }) };
    });
  }

  return {
    setEnabled: (partner, merchantId, word, enabled) =>
      changeService(partner, merchantId, word, async (_service, before) => ({ after: { ...before, enabled } })),
    configure: (partner, merchantId, word, body, seen) =>
      changeService(partner, merchantId, word, async (service, before) => {
        const stored = before.configuration;
        if (seen !== undefined && seen.updatedAtMs !== (stored?.updatedAtMs ?? null)) {
          throw new RelayError("conflict", `${service} was configured by somebody else in the meantime; read it again`);
        }
        const secretsBefore = stored === null ? new Map<string, string>() : await openSecrets(merchantId, service);
        const read = readConfiguration(service, body, stored === null ? null : { members: stored.members, secrets: secretsBefore });
        const sealed = secretBox.seal(JSON.stringify([...read.secrets]), contextOf(merchantId, service));
        // Later than the one before, also within a millisecond and after a step of the clock: by it two configurations are told apart.
        const updatedAtMs = Math.max(clock.nowMs(), (stored?.updatedAtMs ?? 0) + 1);
        const configuration = { mode: read.mode, members: read.members, updatedAtMs };
        return { after: { ...before, configuration }, sealed };
      }),
    configurationOf: async (merchantId, service) => {
      const stored = await store.load(merchantId);
      const configuration = stored === null ? null : serviceOf(stored.record, service).configuration;
      if (configuration === null) return null;
      const secrets = await openSecrets(merchantId, service);
      return { mode: configuration.mode, members: new Map([...Object.entries(configuration.members), ...secrets]) };
    },
  };
}

/** Sealed under the place where it belongs: opened for another merchant or service it is refused. */
function contextOf(merchantId: string, service: ServiceCode): string {
  return `merchant/${merchantId}/${service}`;
}
