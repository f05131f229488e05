import { X509Certificate } from "node:crypto";

const BLOCK = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/** When the first of the certificates of a PEM file ends, wall time: clients refuse the chain from then on. Null where there is none in it. */
export function certificateExpiryMs(pem: string): number | null {
  const ends = (pem.match(BLOCK) ?? []).map((block) => Date.parse(new X509Certificate(block).validTo));
  return ends.length === 0 ? null : Math.min(...ends);
}
