export type Encoding = "identity" | "gzip" | "br";

/**
 * Browsers send about 30 characters. A longer header is not read, and the response is sent
 * uncompressed.
 */
const HEADER_LENGTH_MAX = 1_024;

/**
 * Returns the encoding for a client by its `Accept-Encoding` (RFC 9110, 12.5.3): the smallest of
 * those with the highest weight. Without the header, or if the client accepts none of the three,
 * the response is sent uncompressed, because even a client that rejects that gets more from a
 * response than from a 406.
 */
export function preferredEncoding(header: string): Encoding {
  if (header === "" || header.length > HEADER_LENGTH_MAX) return "identity";
  const weights = weightsIn(header);
  const others = weights.get("*");
  const br = weights.get("br") ?? others ?? 0;
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? others ?? 0;
  // An unnamed `identity` is acceptable, but not preferred.
  const identity = weights.get("identity") ?? 0;
  if (Math.max(br, gzip) <= 0 || identity > Math.max(br, gzip)) return "identity";
  return br >= gzip ? "br" : "gzip";
}

/**
 * Returns the weights by name in lower case. An entry with a weight that RFC 9110 does not allow
 * counts as not accepted.
 */
function weightsIn(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const entry of header.split(",")) {
    const [name = "", ...parameters] = entry.split(";").map((part) => part.trim().toLowerCase());
    if (name === "") continue;
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    weights.set(name, WEIGHT.test(weight) ? Number(weight) : 0);
  }
  return weights;
}

const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;
