import { createHmac } from "node:crypto";
import type { AdministerAdministrators } from "../../../../engine/access/administer-administrators.ts";
import type { AdministratorRecord } from "../../../../engine/access/administrator.ts";
import type { Administrators } from "../../../../engine/access/administrators.ts";
import type { GuardedSecrets, Totp } from "../../../../engine/accounts/factors.ts";
import { createProveFactor } from "../../../../engine/accounts/prove-factor.ts";
import { createSessionStoreAt } from "../../../../engine/accounts/session-store.ts";
import {
  administratorTotpPlace,
  createAdministratorFactorsStore,
  factorsRemoved,
} from "../../../../engine/administrators/administrator-factors-store.ts";
import { ADMINISTRATOR_SESSIONS, type AdministratorSession } from "../../../../engine/administrators/administrator-session.ts";
import { createAdministratorSignIn } from "../../../../engine/administrators/administrator-sign-in.ts";
import { createCheckAdministratorSession } from "../../../../engine/administrators/check-administrator-session.ts";
import { createOwnerNotice } from "../../../../engine/administrators/owner-notice.ts";
import { createPasswordAlone, type PasswordAlone } from "../../../../engine/administrators/password-alone.ts";
import { createSigningAdministrators, storedAccountId } from "../../../../engine/administrators/signing-administrators.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv, Operation } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import type { AuditLog } from "../../../../engine/operators/audit-store.ts";
import { type AdministratorSessions, administratorCookie } from "../../../../http/auth/administrator-session.ts";
import type { Authenticator } from "../../../../http/auth/authenticator.ts";
import { sha256Hex } from "../../../../http/auth/digest.ts";
import { createPasskeys } from "../../../../http/auth/passkeys.ts";
import type { AdminSignInOperations } from "../../../../http/surfaces/admin/sign-in/surface.ts";
import { type Config, isCookieSecure } from "../../boot/config.ts";
import { accountSecrets, keyOf } from "./accounts.ts";
import { loginDigestKey } from "./logins.ts";
import { createAdminSignInAudit } from "./sign-in-audit.ts";

export interface AdministratorSignInParts {
  config: Pick<Config, "administrator" | "terminalSecret" | "mode" | "tls" | "publicUrl">;
  kv: Kv;
  box: SecretBox;
  clock: Clock;
  administrators: Administrators;
  administerAdministrators: Pick<AdministerAdministrators, "stillOwner">;
  administratorPasswordSha256: string;
  /** Guards codes, shared with the portal. */
  guard: GuardedSecrets;
  totp: Totp;
  audit: Pick<AuditLog, "record">;
  ids: Ids;
  /** The address by which browsers reach the relay. It is known once the relay listens. */
  publicUrl(): string;
  /** Checks a password as a login does. */
  byPassword: Authenticator["administratorByPassword"];
  failed(what: string, error: unknown): void;
}

/** The sign-in of administrators with a browser, in a shard. */
export interface ComposedAdministratorSignIn {
  /** Used by the authenticator. */
  sessions: AdministratorSessions;
  isPasswordEnough: PasswordAlone;
  operations: Pick<AdminSignInOperations, "administratorSignIn" | "adminSignInAudited" | "administratorCookie">;
}

export function composeAdministratorSignIn(parts: AdministratorSignInParts): ComposedAdministratorSignIn {
  const { config, kv, box, clock, administrators, guard, totp, audit, publicUrl, byPassword, failed } = parts;
  const { nowMs } = clock;
  const sessions = createSessionStoreAt<AdministratorSession>(kv, nowMs, ADMINISTRATOR_SESSIONS);
  // The challenges are separate, so a response for the portal is invalid here.
  const passkeys = createPasskeys({
    publicUrl,
    key: keyOf(loginDigestKey(config.terminalSecret), "administrators' passkey challenges"),
    nowMs,
  });
  const markKey = keyOf(loginDigestKey(config.terminalSecret), "administrators' passwords");
  const signing = createSigningAdministrators({
    administrators,
    configuredPassword: { type: "sha256", hex: parts.administratorPasswordSha256 },
    digest: sha256Hex,
    keyedDigest: (text) => createHmac("sha256", markKey).update(text, "utf8").digest("hex"),
  });
  const proveFactor = createProveFactor({ totp, passkeys, secrets: accountSecrets, box, sessions, placeOf: administratorTotpPlace, nowMs });
  const factors = createAdministratorFactorsStore(kv);
  const cookie = administratorCookie({ isSecure: isCookieSecure(config) });
  return {
    sessions: { find: createCheckAdministratorSession({ sessions, administrators: signing, nowMs }), cookie },
    isPasswordEnough: createPasswordAlone({ isSandbox: config.mode === "sandbox", administrators: signing, factors }),
    operations: {
      administratorSignIn: createAdministratorSignIn({
        ...{ sessions, proveFactor, totp, passkeys, guard, secrets: accountSecrets, box, clock },
        administrators: signing,
        factors,
        stillOwner: parts.administerAdministrators.stillOwner,
        ownerNotice: createOwnerNotice({ email: config.administrator.email, box, ids: parts.ids, clock }),
        isPassword: async (login, ipAddress) => {
          const found = await byPassword(login, ipAddress);
          if (found.type === "administrator") return true;
          // Returns the same error as any wrong credential. Only a blocked caller learns that
          // nothing was compared.
          if (found.type === "refused" && found.code !== "unauthorized") {
            const { code, message, retryAfterSeconds } = found;
            throw new RelayError(code, message, retryAfterSeconds === undefined ? {} : { retryAfterSeconds });
          }
          return false;
        },
      }),
      adminSignInAudited: createAdminSignInAudit({
        audit,
        clock,
        failed,
        roleOf: (username) => signing.byUsername(username)?.role ?? null,
      }),
      administratorCookie: cookie,
    },
  };
}

/** Returns the operations that remove an administrator's factors. */
export function removedWithAdministrator(administrator: AdministratorRecord): Operation[] {
  return [factorsRemoved(storedAccountId(sha256Hex, administrator))];
}
