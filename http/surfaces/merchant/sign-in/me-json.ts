import type { AccountRecord } from "../../../../engine/accounts/account.ts";
import type { MeJson } from "../schemas.ts";

export function meJson({ email, locale, theme, totp, passkeys, recoveryCodes, savedViews }: AccountRecord): MeJson {
  return {
    email,
    locale,
    theme,
    totp: totp !== null,
    passkeys: passkeys.map(({ credentialId, name, createdAtMs, lastUsedAtMs }) => ({
      id: credentialId,
      name,
      createdAt: new Date(createdAtMs).toISOString(),
      lastUsedAt: lastUsedAtMs === null ? null : new Date(lastUsedAtMs).toISOString(),
    })),
    recoveryCodesLeft: recoveryCodes.length,
    savedViews: [...savedViews],
  };
}
