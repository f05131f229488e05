export type Encoding = "identity" | "gzip" | "br";

/** Browsers send some 30 characters; of a longer list nothing is read, and the answer is sent as it is. */
const HEADER_LENGTH_MAX = 1_024;

/**
 * The form in which a client wants an answer, by `Accept-Encoding` (RFC 9110, 12.5.3): of what it gives the most weight the smallest. Without the header, and
 * where it takes none of the three, the answer is sent as it is: a client that refuses even that gets more from an answer than from a 406.
 */
export function preferredEncoding(header: string): Encoding {
  if (header === "" || header.length > HEADER_LENGTH_MAX) return "identity";
  const weights = weightsIn(header);
  const others = weights.get("*");
  const br = weights.get("br") ?? others ?? 0;
  const gzip = weights.get("gzip") ?? weights.get("x-gzip") ?? others ?? 0;
  // Acceptable without being named, but nothing to prefer then.
  const identity = weights.get("identity") ?? 0;
  if (Math.max(br, gzip) <= 0 || identity > Math.max(br, gzip)) return "identity";
  return br >= gzip ? "br" : "gzip";
}

/** By name in lower case. An entry whose weight is none of RFC 9110 is one that the client does not take. */
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
