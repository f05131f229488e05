import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { AccountRecord } from "../../../engine/accounts/account.ts";
import { createAccountStore } from "../../../engine/accounts/account-store.ts";
import type { AccountSecrets, GuardedSecrets } from "../../../engine/accounts/factors.ts";
import { createInvitations } from "../../../engine/accounts/invitations.ts";
import { createMailTexts } from "../../../engine/accounts/mail-texts.ts";
import { createOwnersMailTexts } from "../../../engine/accounts/owners-mail-texts.ts";
import { createOwnersNotice } from "../../../engine/accounts/owners-notice.ts";
import { createPasswordResetStore } from "../../../engine/accounts/password-reset-store.ts";
import { createForgottenPasswords } from "../../../engine/accounts/password-resets.ts";
import { createPortalMails } from "../../../engine/accounts/portal-mails.ts";
import { createResetFactors } from "../../../engine/accounts/reset-factors.ts";
import { createSessionStore } from "../../../engine/accounts/session-store.ts";
import type { TeamActor } from "../../../engine/accounts/team-rules.ts";
import { createTeamStore } from "../../../engine/accounts/team-store.ts";
import { createUsers } from "../../../engine/accounts/users.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import type { MailRecord } from "../../../engine/mails/mail-record.ts";
import { createMailStore, mailText } from "../../../engine/mails/mail-store.ts";
import type { MerchantRecord } from "../../../engine/partners/merchant.ts";
import { createMerchantStore } from "../../../engine/partners/merchant-store.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock } from "../world.ts";

export const ADMINISTRATOR: TeamActor = { type: "administrator" };
export const SHOP = "SHOP-001";
export const PASSWORD = "heron under a violet lamp";
export const TOO_COMMON = "Password1234!";

const OPEN_BOX: SecretBox = { seal: (secret) => secret, open: (sealed) => sealed };

export interface SentMail extends Pick<MailRecord, "to" | "kind" | "merchantId"> {
  subject: string;
  text: string;
  /** Of the link in it; empty without one. */
  token: string;
}

export type TeamWorld = Awaited<ReturnType<typeof createTeamWorld>>;

/** Teams of a merchant SHOP-001 and one SHOP-002, on a store in memory and a clock that the test moves. */
export async function createTeamWorld() {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  let made = 0;
  const next = (length: number) => {
    made += 1;
    return String(made).padStart(length, "0");
  };
  const secrets: Omit<AccountSecrets, "newRecoveryCodes"> = {
    newToken: () => next(43),
    newId: (prefix) => prefix + next(22),
    digest: (text) => createHash("sha256").update(text).digest("hex"),
    hashPassword: async (password) => `hash of ${password}`,
  };
  const [accounts, resets] = [createAccountStore(kv), createPasswordResetStore(kv)];
  const sessions = createSessionStore(kv, clock.nowMs);
  const [merchants, mailStore] = [createMerchantStore(kv), createMailStore(kv)];
  const words = { publicUrl: () => "https://relay.example", timeZone: "Europe/Rome" };
  const texts = { texts: createMailTexts(words), ownersTexts: createOwnersMailTexts(words) };
  const mails = createPortalMails({ ...texts, store: mailStore, box: OPEN_BOX, clock, ids: { uuid: () => next(8) } });
  const owners = createOwnersNotice({ teams: createTeamStore(kv), accounts, merchants, mails, clock });
  const teams = createTeamStore(kv, owners.ofTeam);
  const failures: unknown[] = [];
  const failed = (_what: string, error: unknown) => void failures.push(error);
  /** Addresses of the network that may not ask now. */
  const heldBack = new Set<string>();
  const proofs: { accountId: string; ipAddress: string }[] = [];
  const guard: Pick<GuardedSecrets, "isPassword"> = {
    isPassword: async (password, { account, hash }, ipAddress) => {
      if (heldBack.has(ipAddress)) throw new RelayError("rate_limited", "Too many", { retryAfterSeconds: 1 });
      proofs.push({ accountId: account.username, ipAddress });
      return hash === `hash of ${password}`;
    },
  };
  const admit = async (ipAddress: string) => {
    if (heldBack.has(ipAddress)) throw new RelayError("rate_limited", "Too many", { retryAfterSeconds: 1 });
  };
  const users = createUsers({ teams, accounts, sessions, merchants, mails, secrets, clock, failed });
  const invitations = createInvitations({ teams, accounts, merchants, guard, secrets, clock });
  const forgotten = createForgottenPasswords({ resets, accounts, sessions, mails, secrets, admit, clock, failed });
  const resetFactors = createResetFactors({ accounts, sessions, mails, owners, clock });

  async function storeMerchant(record: MerchantRecord, version: number, before: MerchantRecord | null): Promise<void> {
    assert.equal(await merchants.commit({ merchant: { record, version }, before, count: null, secrets: null }), "committed");
  }
  for (const merchantId of [SHOP, "SHOP-002"]) {
    const keys = { publishable: `pk ${merchantId}`, secret: `sk ${merchantId}` };
    const record: MerchantRecord = {
      ...{ schema: 1, merchantId, partnerId: 1, merchantName: `Bar ${merchantId}`, environment: "TEST", active: true },
      ...{ createdAtMs: clock.nowMs(), updatedAtMs: clock.nowMs(), createdBy: "request", keys, services: {} },
    };
    await storeMerchant(record, 0, null);
  }

  /** All that was written, oldest first. */
  async function sent(): Promise<SentMail[]> {
    const records = await mailStore.page(null, 100);
    return records.reverse().map((record) => {
      const { subject, text } = mailText(OPEN_BOX, record) ?? { subject: "", text: "" };
      const { to, kind, merchantId } = record;
      return { to, kind, merchantId, subject, text, token: /\/portal\/(?:invitation|reset)\/(\S+)/.exec(text)?.[1] ?? "" };
    });
  }

  const lastMailTo = async (email: string): Promise<SentMail> => {
    const found = (await sent()).filter(({ to }) => to === email).at(-1);
    assert.ok(found !== undefined, `nobody wrote to ${email}`);
    return found;
  };

  return {
    ...{ mails, mailStore, owners },
    ...{ kv, clock, teams, accounts, sessions, users, invitations, forgotten, resetFactors, sent, lastMailTo, failures, heldBack, proofs },
    /** Invited and joined; answers with the id of the user. */
    join: async (email: string, role: "OWNER" | "ADMIN" | "VIEWER", merchantId = SHOP, password = PASSWORD): Promise<string> => {
      // So that the order of mails is theirs.
      clock.advance(1);
      const invited = await users.invite(merchantId, ADMINISTRATOR, { email, role });
      assert.ok(invited.type === "done", JSON.stringify(invited));
      const { token } = await lastMailTo(email);
      const accepted = await invitations.accept(token, { password, ipAddress: "192.0.2.1" });
      assert.equal(accepted.type, "joined");
      return invited.user.userId;
    },
    deactivate: async (merchantId: string): Promise<void> => {
      const stored = await merchants.load(merchantId);
      assert.ok(stored !== null);
      await storeMerchant({ ...stored.record, active: false }, stored.version, stored.record);
    },
    accountOf: async (email: string): Promise<AccountRecord> => {
      const stored = await accounts.byEmail(email);
      assert.ok(stored !== null);
      return stored.record;
    },
  };
}
