import type { AdministratorRole } from "../../../../engine/access/administrator-role.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { AuditEntry } from "../../../../engine/operators/audit-entry.ts";
import type { AuditLog } from "../../../../engine/operators/audit-store.ts";
import { BoundedMap } from "../../../../http/auth/bounded-map.ts";
import type { AdminSignInEvent } from "../../../../http/surfaces/admin/sign-in/surface.ts";
import type { SignInEvent } from "../../../../http/surfaces/merchant/sign-in/surface.ts";

const DAY_MS = 86_400_000;

/**
 * Refused sign-ins of one account that this thread writes in a day. A merchant's log has 10,000 entries at most, and the oldest go: twenty in an hour, of five people at
 * four threads, would push out all that its people did within a day, by whoever knows their addresses.
 */
const REFUSED_PER_DAY_MAX = 5;

/** Accounts of which this thread counts refused sign-ins. */
const ACCOUNTS_MAX = 10_000;

/** Entries that are being written at once; more are left out. */
const WRITING_MAX = 64;

/** Merchants of one person that are told of its sign-in. */
const MERCHANTS_MAX = 10;

export interface SignInAuditParts {
  audit: Pick<AuditLog, "record">;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/** A sign-in of somebody, and what of its entries is not the same for everybody. */
interface ToldSignIn {
  /** Whose refused sign-ins are counted. */
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
 * Writes sign-ins that began without a session to the audit log of the person's merchants. Nobody waits for it, so that the time of an answer does not tell
 * whether an e-mail address has an account.
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

/** The same of administrators, for the log of the installation. */
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
