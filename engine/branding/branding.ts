import type { ImageType } from "./check-image.ts";

/**
 * The colour and the logo that a merchant's customers see. The name is in the merchant's record.
 */
export interface BrandingRecord {
  readonly schema: 1;
  readonly merchantId: string;
  /** `#rrggbb` in lower-case letters; null for the usual colour of the pages. */
  readonly color: string | null;
  readonly logo: LogoFacts | null;
  readonly updatedAtMs: number;
}

export interface LogoFacts {
  /**
   * 32 hexadecimal digits of a digest of the merchant and the contents: the address of the file.
   */
  readonly id: string;
  readonly type: ImageType;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

export const LOGO_ID_PATTERN = "^[0-9a-f]{32}$";

export interface LogoFile extends Pick<LogoFacts, "type"> {
  readonly contents: Uint8Array;
}

/** A shop as its customers see it. */
export interface Shop extends Pick<BrandingRecord, "color" | "logo"> {
  readonly name: string;
}

export function noBranding(merchantId: string): BrandingRecord {
  return { schema: 1, merchantId, color: null, logo: null, updatedAtMs: 0 };
}
