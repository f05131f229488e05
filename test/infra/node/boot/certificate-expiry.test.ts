import assert from "node:assert/strict";
import { it } from "node:test";
import { certificateExpiryMs } from "../../../../infra/node/boot/certificate-expiry.ts";
import { selfSigned } from "../../../support/http/certificate.ts";

it("a chain ends with the first of its certificates", () => {
  const endsInMs = (certificateExpiryMs(selfSigned(300).cert + selfSigned(3).cert) ?? 0) - Date.now();
  assert.ok(Math.abs(endsInMs - 3 * 86_400_000) < 60_000, `${endsInMs} ms`);
});

it("a file without a certificate has no end", () => {
  assert.equal(certificateExpiryMs("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n"), null);
});
