import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createSecureContext } from "node:tls";
import { certificateExpiryMs } from "../boot/certificate-expiry.ts";
import type { Config } from "../boot/config.ts";
import { StartRefused } from "../boot/start-refused.ts";

/** What the configured files hold. */
export interface Certificates {
  /** Of all of them together; another one after any of them has changed. */
  digest: string;
  /** When the first of the chain ends, wall time: clients refuse it from then on. Null without TLS. */
  validUntilMs: number | null;
}

/** Reads the files of the certificate, its key and the clients' authorities. uWebSockets does not report what is wrong with them: throws StartRefused with it. */
export async function readCertificates({ tls, tlsClientCaFile }: Pick<Config, "tls" | "tlsClientCaFile">): Promise<Certificates> {
  const digest = createHash("sha256");
  if (tls === null) return { digest: digest.digest("hex"), validUntilMs: null };
  try {
    const [cert, key] = await Promise.all([readFile(tls.certFile), readFile(tls.keyFile)]);
    createSecureContext({ cert, key });
    const certificate = new X509Certificate(cert);
    // The context does not compare them where they are of different kinds.
    if (!certificate.checkPrivateKey(createPrivateKey(key))) throw new Error("the key does not belong to the certificate");
    digest.update(createHash("sha256").update(cert).digest()).update(createHash("sha256").update(key).digest());
    if (tlsClientCaFile !== null) digest.update(await clientCa(tlsClientCaFile));
    return { digest: digest.digest("hex"), validUntilMs: certificateExpiryMs(cert.toString("latin1")) };
  } catch (error) {
    if (error instanceof StartRefused) throw error;
    throw new StartRefused(`RELAY_TLS_CERT (${tls.certFile}) and RELAY_TLS_KEY (${tls.keyFile}) cannot be used: ${reasonOf(error)}`);
  }
}

async function clientCa(file: string): Promise<Buffer> {
  try {
    const ca = await readFile(file);
    createSecureContext({ ca });
    return ca;
  } catch (error) {
    throw new StartRefused(`RELAY_TLS_CLIENT_CA (${file}) cannot be used: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
