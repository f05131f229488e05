/** Nothing of it runs, wherever it is opened. */
const POLICY = "sandbox; default-src 'none'";

/**
 * Headers of somebody's file: an attachment that no browser shows in place. RFC 6266: the name in ASCII for old clients, and as it is.
 */
export function contentDisposition(name: string): { "Content-Disposition": string; "Content-Security-Policy": string } {
  const ascii = name.replace(/[^A-Za-z0-9._ -]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return {
    "Content-Disposition": `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    "Content-Security-Policy": POLICY,
  };
}
