import { ALLOWED_ADDRESSES_MAX, PARTNER_API_ROLES, SERVICE_CODES, type ServiceCode, servicesOf } from "../access/partner-grant.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { maskPans } from "../kernel/mask.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { AdministerPartners, PartnerApiEdit } from "./administer-partners.ts";
import { MERCHANTS_PER_PARTNER_MAX } from "./merchant.ts";
import { KEY_GRACE_SECONDS_MAX, type PartnerApiAccess, type PartnerRecord, partnerPlace } from "./partner.ts";
import type { AddressLists, ApiKeys } from "./partner-secrets.ts";

/** What an administrator may say of a partner's access to Partner API v1; absent members stay, or have their defaults at the first grant. */
export interface PartnerApiSettings {
  /** Required at the first grant, unique. */
  partnerCode?: string | undefined;
  /** The code where it is left out. */
  name?: string | undefined;
  /** ADMIN where it is left out. */
  role?: string | undefined;
  /** Service codes, also as one text that holds a JSON array, as `/me` shows them. None where it is left out. */
  allowedServices?: readonly string[] | string | undefined;
  /** Required at the first grant. */
  maxMerchants?: number | undefined;
  /** Addresses and CIDRs; empty, or left out: any. */
  ipWhitelist?: readonly string[] | undefined;
}

/** Shown when they are made, and never again. */
export interface PartnerApiKeys {
  /** `pk_partner_...`, the bearer key. */
  apiKey: string;
  /** `sk_partner_...`, which signs webhooks. */
  secret: string;
}

/** Access to Partner API v1, as a part of the partner's record. */
export interface AdministerPartnerApi {
  /**
   * The edit that these settings are, for AdministerPartners to make together with others; null takes the access away. `keys` are those that
   * the edit made, where it was the first grant. Throws RelayError `invalid_request` naming the member.
   */
  edit(settings: PartnerApiSettings | null): { edit: PartnerApiEdit; keys(): PartnerApiKeys | null };
  /** New keys; the bearer key before works on for `graceSeconds`, the secret before does not. Throws RelayError `not_found`. */
  replaceKeys(id: number, graceSeconds: number): Promise<{ partner: PartnerRecord; keys: PartnerApiKeys }>;
}

export interface AdministerPartnerApiOptions {
  administerPartners: AdministerPartners;
  apiKeys: ApiKeys;
  box: SecretBox;
  clock: Clock;
  addressLists: AddressLists;
}

/** Part of the interface: by its prefix one sees what a key is for. */
const API_KEY_PREFIX = "pk_partner_";
const SECRET_PREFIX = "sk_partner_";

const CODE = /^[A-Za-z0-9._-]{1,64}$/;
const NAME_LENGTH_MAX = 128;
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;

export function createAdministerPartnerApi(options: AdministerPartnerApiOptions): AdministerPartnerApi {
  const { administerPartners, apiKeys, box, clock, addressLists } = options;

  function made(id: number): { keys: PartnerApiKeys; stored: Pick<PartnerApiAccess, "keySha256" | "sealedSecret"> } {
    const keys = { apiKey: apiKeys.generate(API_KEY_PREFIX), secret: apiKeys.generate(SECRET_PREFIX) };
    const sealedSecret = box.seal(keys.secret, partnerPlace(id, "partnerApiSecret"));
    return { keys, stored: { keySha256: apiKeys.digest(keys.apiKey), sealedSecret } };
  }

  return {
    edit: (settings) => {
      if (settings === null) return { edit: () => null, keys: () => null };
      const checked = check(settings, addressLists);
      let shown: PartnerApiKeys | null = null;
      return {
        keys: () => shown,
        // Called again where somebody else's change was quicker; the keys of the last call are those that were stored.
        edit: (id, before) => {
          if (before !== null) {
            shown = null;
            return { ...before, ...checked };
          }
          const { partnerCode, maxMerchants } = checked;
          if (partnerCode === undefined) refuse("partnerCode", "is required");
          if (maxMerchants === undefined) refuse("maxMerchants", "is required");
          const { keys, stored } = made(id);
          shown = keys;
          const defaults = { name: partnerCode, role: "ADMIN" as const, allowedServices: [], ipWhitelist: [], previousKey: null };
          return { ...defaults, ...checked, partnerCode, maxMerchants, ...stored };
        },
      };
    },
    replaceKeys: async (id, graceSeconds) => {
      if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > KEY_GRACE_SECONDS_MAX) {
        throw new RelayError("invalid_request", `graceSeconds: must be an integer of 0 to ${KEY_GRACE_SECONDS_MAX}`);
      }
      const { keys, stored } = made(id);
      const untilMs = clock.nowMs() + graceSeconds * 1_000;
      const partner = await administerPartners.edit(id, (record) => {
        const { partnerApi } = record;
        if (partnerApi === null) throw new RelayError("not_found", "The partner has no access to the Partner API");
        const previousKey = graceSeconds === 0 ? null : { sha256: partnerApi.keySha256, untilMs };
        return { ...record, partnerApi: { ...partnerApi, ...stored, previousKey } };
      });
      return { partner, keys };
    },
  };
}

type Checked = Partial<Pick<PartnerApiAccess, "partnerCode" | "name" | "role" | "allowedServices" | "maxMerchants" | "ipWhitelist">>;

function check(settings: PartnerApiSettings, addressLists: AddressLists): Checked {
  const { partnerCode, name, role, allowedServices, maxMerchants, ipWhitelist } = settings;
  if (partnerCode !== undefined && !CODE.test(partnerCode)) {
    refuse("partnerCode", "must be 1 to 64 letters, digits, dots, underscores or dashes");
  }
  if (name !== undefined && (name.trim() === "" || name.length > NAME_LENGTH_MAX || UNPRINTABLE.test(name))) {
    refuse("name", `must be a string of 1 to ${NAME_LENGTH_MAX} printable characters`);
  }
  const known = PARTNER_API_ROLES.find((word) => word === role);
  if (role !== undefined && known === undefined) refuse("role", `must be one of ${PARTNER_API_ROLES.join(", ")}`);
  if (maxMerchants !== undefined && !(Number.isInteger(maxMerchants) && maxMerchants >= 0 && maxMerchants <= MERCHANTS_PER_PARTNER_MAX)) {
    refuse("maxMerchants", `must be an integer of 0 to ${MERCHANTS_PER_PARTNER_MAX}`);
  }
  if (ipWhitelist !== undefined) checkAddresses(ipWhitelist, addressLists);
  return {
    ...(partnerCode === undefined ? {} : { partnerCode }),
    ...(name === undefined ? {} : { name: maskPans(name.trim()) }),
    ...(known === undefined ? {} : { role: known }),
    ...(allowedServices === undefined ? {} : { allowedServices: readServices(allowedServices) }),
    ...(maxMerchants === undefined ? {} : { maxMerchants }),
    ...(ipWhitelist === undefined ? {} : { ipWhitelist }),
  };
}

function checkAddresses(ipWhitelist: readonly string[], addressLists: AddressLists): void {
  if (ipWhitelist.length > ALLOWED_ADDRESSES_MAX) refuse("ipWhitelist", `may have at most ${ALLOWED_ADDRESSES_MAX} entries`);
  try {
    addressLists.compile(ipWhitelist);
  } catch (error) {
    if (error instanceof RelayError) refuse("ipWhitelist", error.message);
    throw error;
  }
}

function readServices(given: readonly string[] | string): ServiceCode[] {
  const words = typeof given === "string" ? jsonArray(given) : given;
  const services = words === null ? null : servicesOf(words);
  return services ?? refuse("allowedServices", `must be a list of ${SERVICE_CODES.join(", ")}`);
}

/** The texts of a JSON array; null for anything else. */
function jsonArray(text: string): string[] | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : null;
}

function refuse(member: string, demand: string): never {
  throw new RelayError("invalid_request", `partnerApi.${member}: ${demand}`);
}
