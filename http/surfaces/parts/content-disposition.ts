/** The policy prevents the file from running anything, wherever it is opened. */
const POLICY = "sandbox; default-src 'none'";

/**
 * Returns the headers of an uploaded file, which make it an attachment that browsers do not
 * display. As RFC 6266 requires, they contain the name in ASCII for old clients, and unchanged.
 */
export function contentDisposition(name: string): { "Content-Disposition": string; "Content-Security-Policy": string } {
  const ascii = name.replace(/[^A-Za-z0-9._ -]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return {
    "Content-Disposition": `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
    "Content-Security-Policy": POLICY,
  };
}
