import { RelayError } from "./errors.ts";

/** Texts under names that the caller chooses. */
export interface Metadata {
  readonly [name: string]: string;
}

/** Part of the interface: the limit of the compatible platform. */
export const METADATA_KEYS_MAX = 50;

/**
 * A change of metadata: it clears all of it, sets names to a text, or removes names with null.
 * Other names do not change. It is applied to the version in the store, so that concurrent requests
 * with different names both count.
 */
export type MetadataChange = "clear" | { readonly [name: string]: string | null };

export const NO_METADATA: Metadata = {};

/** Returns metadata after a change. The caller checks the size of the result. */
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

/** Rejects a change that would exceed METADATA_KEYS_MAX. */
export class TooManyMetadataKeys extends RelayError {
  constructor() {
    super("invalid_request", `Metadata can have up to ${METADATA_KEYS_MAX} keys.`);
    this.name = "TooManyMetadataKeys";
  }
}
