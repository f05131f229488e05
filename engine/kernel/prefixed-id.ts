/**
 * Characters after the prefix: 124 bits, so that no two digests of one installation ever share an
 * id.
 */
const LENGTH = 24;

/**
 * Returns an id such as `pi_0d8f...`: the prefix and 24 lower-case letters or digits. They derive
 * from the digest (hex), so the same digest always yields the same id.
 */
export function prefixedId(prefix: string, digestHex: string): string {
  return prefix + BigInt(`0x${digestHex}`).toString(36).padStart(LENGTH, "0").slice(-LENGTH);
}

/** Digests a text to hex (SHA-256). The engine has no cryptography of its own. */
export type Digest = (text: string) => string;
