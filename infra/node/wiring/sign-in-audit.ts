import type { Clock } from "../../../engine/kernel/clock.ts";
import type { AuditLog } from "../../../engine/operators/audit-store.ts";
import { BoundedMap } from "../../../http/auth/bounded-map.ts";
import type { SignInEvent } from "../../../http/surfaces/merchant/sign-in/surface.ts";

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

/**
 * Writes sign-ins that began without a session to the audit log of the person's merchants. Nobody waits for it, so that the time of an answer does not tell
 * whether an e-mail address has an account.
 */
export function createSignInAudit({ audit, clock, failed }: SignInAuditParts): (event: SignInEvent) => void {
  const refused = new BoundedMap<string, { sinceMs: number; written: number }>(ACCOUNTS_MAX);
  let writing = 0;

  function mayWrite({ account, outcome }: SignInEvent): boolean {
    if (writing >= WRITING_MAX) return false;
    if (outcome.type === "done") return true;
    const nowMs = clock.nowMs();
    const known = refused.get(account.email);
    const counted = known === undefined || nowMs - known.sinceMs >= DAY_MS ? { sinceMs: nowMs, written: 0 } : known;
    counted.written += 1;
    refused.set(account.email, counted);
    return counted.written <= REFUSED_PER_DAY_MAX;
  }

  return (event) => {
    if (!mayWrite(event)) return;
    const { account, way, outcome, ipAddress, requestId } = event;
    for (const merchantId of account.merchantIds.slice(0, MERCHANTS_MAX)) {
      writing += 1;
      audit
        .record({
          atMs: clock.nowMs(),
          actor: `merchant:${merchantId}`,
          merchantId,
          username: account.email,
          ipAddress,
          requestId,
          action: "session.begin",
          subject: way,
          members: [],
          outcome,
        })
        .catch((error: unknown) => failed("audit of a sign-in", error))
        .finally(() => {
          writing -= 1;
        });
    }
  };
}
