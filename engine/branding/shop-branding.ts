import type { Clock } from "../kernel/clock.ts";
import { collectUpload, type ReadUpload } from "../kernel/collect-upload.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { SharedPlaces } from "../kernel/shared-places.ts";
import type { MerchantStore } from "../partners/merchant-store.ts";
import type { BrandingRecord, LogoFile, Shop } from "./branding.ts";
import type { BrandingStore } from "./branding-store.ts";
import { checkImage, type ImageProblem, LOGO_BYTES_MAX } from "./check-image.ts";

/** Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface ShopBranding {
  show(merchantId: string): Promise<BrandingRecord>;
  /** `color`: as COLOR_PATTERN; null removes it. */
  saveColor(merchantId: string, color: string | null): Promise<BrandingRecord>;
  /**
   * Replaces the logo. Throws RelayError `payload_too_large` for too many bytes, and `too_busy` or
   * `rate_limited` if many logos are being uploaded.
   */
  saveLogo(merchantId: string, read: ReadUpload): Promise<BrandingRecord | Exclude<ImageProblem, "too_large">>;
  removeLogo(merchantId: string): Promise<BrandingRecord>;
  /** Returns the file of a logo for its address; null if no merchant has it. */
  logo(id: string): Promise<LogoFile | null>;
}

/**
 * Shows a merchant to its customers. Rejects with RelayError `unavailable` when the store cannot
 * answer.
 */
export interface Shops {
  of(merchantId: string): Promise<Shop>;
}

export interface ShopsOptions {
  store: Pick<BrandingStore, "load">;
  merchants: Pick<MerchantStore, "load">;
}

export function createShops({ store, merchants }: ShopsOptions): Shops {
  return {
    of: async (merchantId) => {
      const [merchant, branding] = await Promise.all([merchants.load(merchantId), store.load(merchantId)]);
      const { color, logo } = branding.record;
      return { name: merchant?.record.merchantName ?? merchantId, color, logo };
    },
  };
}

/** Limits uploads that a thread reads at once, because each is in memory as a whole. */
export const LOGO_UPLOADS = { all: 16, each: 2 };
const ATTEMPTS_MAX = 5;

export interface ShopBrandingOptions {
  store: BrandingStore;
  clock: Pick<Clock, "nowMs">;
  /** Returns SHA-256 in hexadecimal digits. */
  digestOf(parts: readonly (string | Uint8Array)[]): string;
}

export function createShopBranding({ store, clock, digestOf }: ShopBrandingOptions): ShopBranding {
  const uploads = new SharedPlaces(LOGO_UPLOADS);

  function change(merchantId: string, changes: Partial<BrandingRecord>, file: LogoFile | null = null): Promise<BrandingRecord> {
    return retryOnConflict(ATTEMPTS_MAX, async () => {
      const before = await store.load(merchantId);
      const after = { ...before.record, ...changes, updatedAtMs: clock.nowMs() };
      return (await store.replace(before, after, file)) ? after : CONFLICT;
    });
  }

  async function stored(merchantId: string, read: ReadUpload): ReturnType<ShopBranding["saveLogo"]> {
    const checked = checkImage(await collectUpload(read, LOGO_BYTES_MAX, tooLarge));
    if (checked === "too_large") throw tooLarge();
    if (typeof checked === "string") return checked;
    const { type, width, height, contents } = checked;
    // The merchant is a part of the id, so that no merchant can delete the same file of another one.
    const id = digestOf([`logo of ${merchantId}\n`, contents]).slice(0, 32);
    return change(merchantId, { logo: { id, type, width, height, bytes: contents.length } }, { type, contents });
  }

  return {
    show: async (merchantId) => (await store.load(merchantId)).record,
    saveColor: (merchantId, color) => change(merchantId, { color: color?.toLowerCase() ?? null }),
    saveLogo: async (merchantId, read) => {
      const refusal = uploads.refusalOf(merchantId);
      if (refusal !== null) {
        const code = refusal === "all" ? "too_busy" : "rate_limited";
        throw new RelayError(code, "Too many files are being uploaded; retry shortly", { retryAfterSeconds: 2 });
      }
      const release = uploads.take(merchantId);
      try {
        return await stored(merchantId, read);
      } finally {
        release();
      }
    },
    removeLogo: (merchantId) => change(merchantId, { logo: null }),
    logo: store.logo,
  };
}

function tooLarge(): RelayError {
  return new RelayError("payload_too_large", `A logo may have at most ${LOGO_BYTES_MAX / 1_024} KB`);
}
