import type { AdministratorRole } from "./administrator-role.ts";
import type { SessionStage } from "./merchant-user-grant.ts";

/** The administrator that a session speaks for, as it was when the request was authenticated. */
export interface AdministratorSessionGrant {
  readonly sessionId: string;
  readonly stage: SessionStage;
  /** `adm_` and 32 characters. */
  readonly accountId: string;
  readonly username: string;
  readonly role: AdministratorRole;
  /** Until when what needs a fresh second factor is permitted; 0 for never. */
  readonly steppedUpUntilMs: number;
}
