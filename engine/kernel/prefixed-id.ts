/** Characters after the prefix: 124 bits, so that no two digests of one installation ever share them. */
const LENGTH = 24;

/**
 * An id such as `pi_0d8f...`: the prefix and 24 small letters or digits, which come from the digest (hex) of what the id is derived from. The same
 * digest always gives the same id.
 */
export function prefixedId(prefix: string, digestHex: string): string {
  return prefix + BigInt(`0x${digestHex}`).toString(36).padStart(LENGTH, "0").slice(-LENGTH);
}

/** Digests a text to hex (SHA-256); the engine has no cryptography of its own. */
export type Digest = (text: string) => string;
