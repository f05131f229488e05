import { RelayError } from "./errors.ts";

/** Texts under names that a caller chose. */
export interface Metadata {
  readonly [name: string]: string;
}

/** Part of the interface: as many as the compatible platform takes. */
export const METADATA_KEYS_MAX = 50;

/**
 * What a request does with metadata: all of it is cleared, or names get a text, or (null) are removed; others stay. It is applied to the version that is stored over, so that two
 * requests at once with different names both count.
 */
export type MetadataChange = "clear" | { readonly [name: string]: string | null };

export const NO_METADATA: Metadata = {};

/** Metadata after a change; whether that is too much is to be asked of the result. */
export function changedMetadata(before: Metadata, change: MetadataChange | undefined): Metadata {
  if (change === undefined) return before;
  if (change === "clear") return {};
  const after = new Map(Object.entries(before));
  for (const [name, value] of Object.entries(change)) {
    if (value === null) after.delete(name);
    else after.set(name, value);
  }
  return Object.fromEntries(after);
}

export function hasTooManyKeys(metadata: Metadata): boolean {
  return Object.keys(metadata).length > METADATA_KEYS_MAX;
}

/** Refuses a change by which there would be more than METADATA_KEYS_MAX. */
export class TooManyMetadataKeys extends RelayError {
  constructor() {
    super("invalid_request", `Metadata can have up to ${METADATA_KEYS_MAX} keys.`);
    this.name = "TooManyMetadataKeys";
  }
}
