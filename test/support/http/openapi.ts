/**
 * Returns the document with its shared responses and parameters in each operation, where tests read
 * them. Schemas stay references.
 */
export function withSharedParts(document: unknown): unknown {
  return written(document, document);
}

const SHARED = /^#\/components\/(responses|parameters)\/([\w.-]+)$/;

function written(value: unknown, document: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => written(item, document));
  if (typeof value !== "object" || value === null) return value;
  const [, place, name] = SHARED.exec(String(Object(value).$ref)) ?? [];
  if (place !== undefined && name !== undefined) return Object(Object(Object(document).components)[place])[name];
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, written(inner, document)]));
}
