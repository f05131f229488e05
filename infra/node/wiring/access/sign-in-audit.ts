import type { AdministratorRole } from "../../../../engine/access/administrator-role.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { AuditEntry } from "../../../../engine/operators/audit-entry.ts";
import type { AuditLog } from "../../../../engine/operators/audit-store.ts";
import { BoundedMap } from "../../../../http/auth/bounded-map.ts";
import type { AdminSignInEvent } from "../../../../http/surfaces/admin/sign-in/surface.ts";
import type { SignInEvent } from "../../../../http/surfaces/merchant/sign-in/surface.ts";

const DAY_MS = 86_400_000;

/**
 * Limits the refused sign-ins of an account that this thread writes per day. A merchant's log has
 * at most 10,000 entries and drops the oldest. With twenty per hour, five people and four threads,
 * anybody who knows their addresses could erase the log within a day.
 */
const REFUSED_PER_DAY_MAX = 5;

/** Limits the accounts whose refused sign-ins this thread counts. */
const ACCOUNTS_MAX = 10_000;

/** Limits the entries that are being written. Further ones are skipped. */
const WRITING_MAX = 64;

/** Limits the merchants of a person whose logs record the sign-in. */
const MERCHANTS_MAX = 10;

export interface SignInAuditParts {
  audit: Pick<AuditLog, "record">;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/** A sign-in, with the parts of its entries that differ between people and administrators. */
interface ToldSignIn {
  /** The account whose refused sign-ins are counted. */
  readonly who: string;
  readonly event: Pick<SignInEvent, "way" | "outcome" | "ipAddress" | "requestId">;
  readonly entries: readonly Pick<AuditEntry, "actor" | "merchantId" | "username" | "role" | "action">[];
}

function createBoundedAudit({ audit, clock, failed }: SignInAuditParts): (told: ToldSignIn) => void {
  const refused = new BoundedMap<string, { sinceMs: number; written: number }>(ACCOUNTS_MAX);
  let writing = 0;

  function mayWrite(who: string, outcome: SignInEvent["outcome"]): boolean {
    if (writing >= WRITING_MAX) return false;
    if (outcome.type === "done") return true;
    const nowMs = clock.nowMs();
    const known = refused.get(who);
    const counted = known === undefined || nowMs - known.sinceMs >= DAY_MS ? { sinceMs: nowMs, written: 0 } : known;
    counted.written += 1;
    refused.set(who, counted);
    return counted.written <= REFUSED_PER_DAY_MAX;
  }

  return ({ who, event: { way, outcome, ipAddress, requestId }, entries }) => {
    if (!mayWrite(who, outcome)) return;
    for (const entry of entries) {
      writing += 1;
      audit
        .record({ ...entry, atMs: clock.nowMs(), ipAddress, requestId, subject: way, members: [], outcome })
        .catch((error: unknown) => failed("audit of a sign-in", error))
        .finally(() => {
          writing -= 1;
        });
    }
  };
}

/**
 * Writes sign-ins without a session to the audit logs of the person's merchants. No response waits
 * for it, so its timing does not reveal whether an e-mail address has an account.
 */
export function createSignInAudit(parts: SignInAuditParts): (event: SignInEvent) => void {
  const tell = createBoundedAudit(parts);
  return (event) => {
    const { email: username, merchantIds } = event.account;
    const entries = merchantIds
      .slice(0, MERCHANTS_MAX)
      .map((merchantId) => ({ actor: `merchant:${merchantId}`, merchantId, username, action: "session.begin" }));
    tell({ who: username, event, entries });
  };
}

/** Writes administrators' sign-ins to the audit log of the installation. */
export function createAdminSignInAudit(
  parts: SignInAuditParts & { roleOf(username: string): AdministratorRole | null },
): (event: AdminSignInEvent) => void {
  const tell = createBoundedAudit(parts);
  return (event) => {
    const { username } = event;
    const role = parts.roleOf(username);
    const entry = { actor: "administrator", username, ...(role === null ? {} : { role }), action: "administrator.sign-in" };
    tell({ who: username, event, entries: [entry] });
  };
}
