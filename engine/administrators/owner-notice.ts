import type { CommitPart } from "../accounts/account-store.ts";
import type { Client } from "../accounts/factor-steps.ts";
import { SECURITY_CHANGES, type SecurityChange } from "../accounts/security-notice.ts";
import type { Clock } from "../kernel/clock.ts";
import { cutText } from "../kernel/cut-text.ts";
import type { Ids } from "../kernel/ids.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import { mailOperations } from "../mails/mail-store.ts";
import { composeMail } from "../mails/mail-text.ts";

/** What happened to the second factors of the owner of the configuration. */
export type OwnerFactorChange = SecurityChange | "all removed by a command" | "all removed by an owner";

/**
 * Tells the owner of the configuration (`RELAY_ADMIN_EMAIL`) by mail what became of its second
 * factors, in the commit that makes the change; null without an address. Such changes are few, so
 * that their notices need no room. Other administrators have no address: the audit log says it.
 */
export type OwnerNotice = (change: OwnerFactorChange, client: Client | null) => CommitPart | null;

export interface OwnerNoticeOptions {
  email: string | null;
  box: SecretBox;
  ids: Ids;
  clock: Pick<Clock, "nowMs">;
}

/** A notice is worth telling for as long as somebody may still do something about it. */
const NOTICE_LIFETIME_MS = 3 * 86_400_000;

const WHERE_LENGTH_MAX = 200;

export function createOwnerNotice({ email, box, ids, clock }: OwnerNoticeOptions): OwnerNotice {
  return (change, client) => {
    const atMs = clock.nowMs();
    if (email === null) return null;
    const from = client === null ? [] : [["From", cutText(`${client.ipAddress}, ${client.userAgent}`, WHERE_LENGTH_MAX)] as const];
    const text = composeMail(
      "en",
      SUBJECT,
      "Hello,",
      `the sign-in of the relay's owner was changed. ${whatOf(change)}`,
      { facts: [["When", `${new Date(atMs).toISOString().slice(0, 19)}Z`], ...from] },
      "If none of you did this, set another RELAY_ADMIN_PASSWORD, restart the nodes, and check the audit log (GET /admin/audit).",
    );
    const mail = { id: ids.uuid(), kind: "security-notice", to: email, merchantId: null, ...text } as const;
    return { checks: [], operations: mailOperations(mail, { box, atMs, expiresAtMs: atMs + NOTICE_LIFETIME_MS }) };
  };
}

const SUBJECT = "The sign-in of the relay's owner was changed";

function whatOf(change: OwnerFactorChange): string {
  switch (change) {
    case "all removed by a command":
      return "A command on the machine removed all second factors.";
    case "all removed by an owner":
      return "Another owner removed all second factors.";
    default:
      return SECURITY_CHANGES.en[change];
  }
}
