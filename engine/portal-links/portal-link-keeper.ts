import type { CommitGuard } from "../workflow/workflow.ts";
import type { PortalLinkRecord } from "./portal-link.ts";

/** How often an account is read again after another thread has changed it. */
export const ACCOUNT_ATTEMPTS_MAX = 256;

/** Joins the commits that change portal links. An agent's credential tracks its links this way. */
export type PortalLinkKeeper = CommitGuard<PortalLinkRecord>;
