import { Secret, TOTP } from "otpauth";
import type { Totp } from "../../engine/accounts/factors.ts";

/** What every authenticator app computes; other parameters many of them ignore. */
const PARAMETERS = { algorithm: "SHA1", digits: 6, period: 30 } as const;

/** Steps before and after the present one: half a minute for a clock that is wrong, and for typing. */
const WINDOW = 1;

const CODE = /^[0-9]{6}$/;

/** RFC 4226, section 4: 160 bits are recommended. */
const SECRET_BYTES = 20;

/** Codes of authenticator apps; `issuer` is the name that the app shows. */
export function createTotp(issuer: string): Totp {
  return {
    newSecret: () => new Secret({ size: SECRET_BYTES }).base32,
    uri: (secret, label) => new TOTP({ ...PARAMETERS, issuer, label, secret: Secret.fromBase32(secret) }).toString(),
    stepOf: (secret, code, atMs) => {
      if (!CODE.test(code)) return null;
      const totp = new TOTP({ ...PARAMETERS, secret: Secret.fromBase32(secret) });
      const delta = totp.validate({ token: code, timestamp: atMs, window: WINDOW });
      return delta === null ? null : totp.counter({ timestamp: atMs }) + delta;
    },
  };
}

/** The code that an authenticator app shows now, for whoever has the secret. */
export function currentCode(secret: string, atMs: number): { code: string; secondsLeft: number } {
  const totp = new TOTP({ ...PARAMETERS, secret: Secret.fromBase32(secret) });
  return { code: totp.generate({ timestamp: atMs }), secondsLeft: Math.ceil(totp.remaining({ timestamp: atMs }) / 1_000) };
}
