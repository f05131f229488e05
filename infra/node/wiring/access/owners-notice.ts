import { createAccountStore } from "../../../../engine/accounts/account-store.ts";
import { createMailTexts } from "../../../../engine/accounts/mail-texts.ts";
import { createOwnersMailTexts } from "../../../../engine/accounts/owners-mail-texts.ts";
import { createOwnersNotice, type OwnersNotice } from "../../../../engine/accounts/owners-notice.ts";
import { createPortalMails, type PortalMails } from "../../../../engine/accounts/portal-mails.ts";
import { createTeamStore } from "../../../../engine/accounts/team-store.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import type { MailStore } from "../../../../engine/mails/mail-store.ts";
import { createMerchantStore } from "../../../../engine/partners/merchant-store.ts";
import type { Config } from "../../boot/config.ts";

export interface OwnersNoticeParts {
  config: Pick<Config, "timeZone">;
  kv: Kv;
  box: SecretBox;
  clock: Clock;
  ids: Ids;
  mails: Pick<MailStore, "room" | "load">;
  /** The address by which browsers reach the relay. It is known once the relay listens. */
  publicUrl(): string;
}

/** Mails to merchants' people, and the notices to their owners. */
export interface ComposedOwnersNotice {
  portalMails: PortalMails;
  ownersNotice: OwnersNotice;
}

export function composeOwnersNotice({ config, kv, box, clock, ids, mails, publicUrl }: OwnersNoticeParts): ComposedOwnersNotice {
  const words = { publicUrl, timeZone: config.timeZone };
  const texts = { texts: createMailTexts(words), ownersTexts: createOwnersMailTexts(words) };
  const portalMails = createPortalMails({ ...texts, store: mails, box, clock, ids });
  const stores = { teams: createTeamStore(kv), accounts: createAccountStore(kv), merchants: createMerchantStore(kv) };
  return { portalMails, ownersNotice: createOwnersNotice({ ...stores, mails: portalMails, clock }) };
}
