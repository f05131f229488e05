import type { AccountRecord } from "../../../../engine/accounts/account.ts";
import { passkeyItems } from "../../parts/factor-proof.ts";
import type { MeJson } from "./schemas.ts";

export function meJson({ email, locale, theme, totp, passkeys, recoveryCodes, savedViews }: AccountRecord): MeJson {
  return {
    email,
    locale,
    theme,
    totp: totp !== null,
    passkeys: passkeyItems(passkeys),
    recoveryCodesLeft: recoveryCodes.length,
    savedViews: [...savedViews],
  };
}
