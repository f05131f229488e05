import { available, type Kv, type Operation } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { type BrandingRecord, LOGO_ID_PATTERN, type LogoFile, noBranding } from "./branding.ts";

/** Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface BrandingStore {
  /** Without a stored record, returns one without branding, at version 0. */
  load(merchantId: string): Promise<Stored<BrandingRecord>>;
  /**
   * Replaces the record together with the logo's file, so that neither is ever without the other.
   * The file of the logo before is deleted in the same commit. `file` is null if the logo stays as
   * it is, or is removed. Returns false if another version is stored.
   */
  replace(before: Stored<BrandingRecord>, after: BrandingRecord, file: LogoFile | null): Promise<boolean>;
  /** Returns null if no merchant has this logo. */
  logo(id: string): Promise<LogoFile | null>;
}

const BRANDINGS = "branding/";
const LOGOS = "branding-logo/";
const ID = new RegExp(LOGO_ID_PATTERN);

interface StoredLogo {
  readonly type: LogoFile["type"];
  readonly base64: string;
}

/**
 * Branding on the key-value store: `branding/<merchantId>`, and the files `branding-logo/<id>` in
 * Base64.
 */
export function createBrandingStore(kv: Kv): BrandingStore {
  return {
    load: (merchantId) =>
      available(async () => {
        const entry = await kv.get(BRANDINGS + merchantId);
        if (entry === null) return { record: noBranding(merchantId), version: 0 };
        return { record: readRecord<BrandingRecord>("branding", "the branding of a merchant", entry.value), version: entry.version };
      }),
    replace: ({ record: before, version }, after, file) =>
      available(async () => {
        const key = BRANDINGS + after.merchantId;
        const operations: Operation[] = [{ type: "put", key, value: recordText("branding", after) }];
        if (before.logo !== null && before.logo.id !== after.logo?.id) operations.push({ type: "delete", key: LOGOS + before.logo.id });
        if (after.logo !== null && file !== null) operations.push({ type: "put", key: LOGOS + after.logo.id, value: logoText(file) });
        return (await kv.commit({ checks: [{ key, version }], operations })).type === "committed";
      }),
    logo: (id) =>
      available(async () => {
        // Ids come out of requests as they are.
        const entry = ID.test(id) ? await kv.get(LOGOS + id) : null;
        if (entry === null) return null;
        const { type, base64 } = readRecord<StoredLogo>("brandingLogo", "a logo", entry.value);
        return { type, contents: Buffer.from(base64, "base64") };
      }),
  };
}

function logoText({ type, contents }: LogoFile): string {
  const base64 = Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength).toString("base64");
  return recordText("brandingLogo", { type, base64 } satisfies StoredLogo);
}
